// Gemini CLI's records, in three forms: the events of `--output-format stream-json`, the one object of `--output-format json`
// (`output`), and the lines of a chat file. Only some have a `type`; `tag.ts` tells the rest apart by their keys.
import Type, { type Static, type TSchema } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { named } from '../wire-named.ts'

const text = Type.String()
const number = Type.Number()
const any = Type.Unknown()
const optional = Type.Optional
const list = Type.Array
/** Absent in one version is null in another. */
const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))
const record = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), timestamp: optional(text), ...fields })
/** One value for each model's name. */
const byModel = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Record<string, Static<Schema>>>({ type: 'object', additionalProperties: schema })

const error = Type.Object({ type: optional(text), message: optional(text), code: optional(any) })

// ── events on stdout ─────────────────────────────────────────────────────────────────────────────────────────────────────

const counts = {
  total_tokens: optional(number),
  input_tokens: optional(number), // with the cached ones
  output_tokens: optional(number), // without the thoughts, which only the total has
  cached: optional(number),
  input: optional(number),
}
const stats = Type.Object({
  ...counts,
  duration_ms: optional(number),
  tool_calls: optional(number),
  models: optional(byModel(Type.Object(counts))),
})

const events = {
  init: record('init', { session_id: optional(text), model: optional(text) }),
  message: record('message', { role: text, content: text, delta: optional(Type.Boolean()) }),
  tool_use: record('tool_use', { tool_name: text, tool_id: text, parameters: optional(any) }),
  tool_result: record('tool_result', { tool_id: text, status: optional(text), output: optional(any), error: orNull(error) }),
  error: record('error', { severity: optional(text), message: text }),
  result: record('result', { status: text, error: orNull(error), stats: orNull(stats) }),
}

// ── the one object ───────────────────────────────────────────────────────────────────────────────────────────────────────

const modelStats = Type.Object({
  api: optional(
    Type.Object({ totalRequests: optional(number), totalLatencyMs: optional(number), ...named(['totalErrors', 'errorsByType']) }),
  ),
  tokens: optional(
    Type.Object({
      input: optional(number),
      prompt: optional(number), // input and cached ones
      candidates: optional(number),
      total: optional(number),
      cached: optional(number),
      thoughts: optional(number),
      tool: optional(number),
    }),
  ),
  ...named(['roles']),
})

const output = {
  output: Type.Object({
    session_id: optional(text),
    response: orNull(text),
    stats: orNull(Type.Object({ models: optional(byModel(modelStats)), tools: optional(any), files: optional(any) })),
    error: orNull(error),
    warnings: orNull(list(text)),
  }),
}

// ── chat files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `content` is one text, one part or a list of them, as the API has it. */
const said = { timestamp: optional(text), content: optional(any), displayContent: optional(any) }

const toolCall = Type.Object({
  id: text,
  name: text,
  args: optional(any),
  result: optional(any),
  status: optional(text),
  timestamp: optional(text),
  agentId: orNull(text),
  resultDisplay: optional(any),
  description: orNull(text),
  displayName: orNull(text),
  renderOutputAsMarkdown: optional(any),
})
const thought = Type.Object({ subject: optional(text), description: optional(text), timestamp: optional(text) })
const tokens = Type.Object({
  input: optional(number), // with the cached ones
  output: optional(number),
  cached: optional(number),
  thoughts: optional(number),
  tool: optional(number),
  total: optional(number),
})
const meta = {
  startTime: optional(text),
  lastUpdated: optional(text),
  kind: orNull(text),
  summary: orNull(text),
  directories: optional(any),
  memoryScratchpad: optional(any),
  activeExtensionName: optional(any),
}

const answer = { thoughts: orNull(list(thought)), tokens: orNull(tokens), model: orNull(text), toolCalls: orNull(list(toolCall)) }
const message = Type.Object({ type: text, id: optional(text), ...said, ...answer })
/** A message as a line of its own. */
const line = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), id: text, ...said, ...fields })

/** What a message has besides, as far as it is one of those above. */
const again = ['timestamp', 'displayContent', 'thoughts', 'tokens', 'model', 'toolCalls'] as const

const chat = {
  header: Type.Object({ sessionId: text, projectHash: text, ...meta }),
  user: line('user', {}),
  gemini: line('gemini', answer),
  info: line('info', {}),
  warning: line('warning', {}),
  'error/chat': line('error', {}),
  $set: Type.Object({
    $set: Type.Object({
      ...meta,
      messages: optional(list(Type.Object({ type: optional(text), id: optional(text), content: optional(any), ...named(again) }))),
    }),
  }),
  $rewindTo: Type.Object({ $rewindTo: text }),
  /** The file of older versions: all in one object. */
  conversation: Type.Object({ sessionId: text, projectHash: text, ...meta, messages: list(message) }),
}

export const records = { ...events, ...output, ...chat }

/** What tells a type that no constant tells, for the schema that is printed; as `tag.ts` has it. */
export function pin(tag: string): object | undefined {
  const untyped = (...keys: string[]): object[] => ['type', ...keys].map((key) => ({ not: { required: [key] } }))
  const saved = { properties: { sessionId: { type: 'string' } }, required: ['sessionId', 'projectHash'] }
  const object = (properties: object, ...required: string[]): object => ({ type: 'object', properties, required })
  switch (tag) {
    case 'error':
      return { anyOf: [{ required: ['message'] }, { not: { required: ['content'] } }] }
    case 'error/chat':
      return { required: ['content'], not: { required: ['message'] } }
    case '$set':
      return { allOf: untyped() }
    case '$rewindTo':
      return { allOf: untyped('$set') }
    case 'header':
      return { allOf: untyped('$set', '$rewindTo', 'messages') }
    case 'conversation':
      return { allOf: untyped('$set', '$rewindTo') }
    case 'output':
      return {
        allOf: [...untyped('$set', '$rewindTo'), { not: saved }],
        anyOf: [
          object({ stats: object({ models: { type: 'object' } }, 'models') }, 'stats'),
          object({ error: object({ type: { type: 'string' } }, 'type') }, 'error'),
          object({ response: { type: 'string' }, session_id: { type: 'string' } }, 'response', 'session_id'),
        ],
      }
    default:
      return undefined
  }
}

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
export type Message = Loose<Static<typeof message>>
export type ToolCall = Loose<Static<typeof toolCall>>
