// The Agent Client Protocol, version 1: JSON-RPC 2.0, one message a line. A message may stand alone or in a record of traffic,
// `{t, from, message}`. Told apart by `method`; a response has none, so what it holds must do.
import Type, { type Static, type TSchema } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { named } from '../wire-named.ts'
import { aliases, families, resultTags } from './message.ts'
import { any, block, list, number, object, optional, orNull, settings, text, tool } from './wire-shared.ts'
import { updates, type Variant } from './wire-update.ts'

const ofSession = { sessionId: text }
const terminal = { ...ofSession, terminalId: text }
const folder = { cwd: optional(text), mcpServers: optional(any) }

const info = orNull(object({ name: optional(text), title: orNull(text), version: optional(text) }))
const option = object({ optionId: text, name: optional(text), kind: optional(text) })

/** Requests and notifications of both sides. Families that say nothing of a conversation share one type each. */
const methods = {
  // ── from the host ──────────────────────────────────────────────────────────────────────────────────────────────────────
  initialize: object({ protocolVersion: optional(any), clientInfo: optional(any), clientCapabilities: optional(any) }),
  authenticate: object({ methodId: optional(text) }),
  'session/new': object(folder),
  'session/load': object({ ...ofSession, ...folder }),
  'session/resume': object({ ...ofSession, ...folder }),
  'session/fork': object({ ...ofSession, ...folder }),
  'session/close': object(ofSession),
  'session/list': any,
  'session/delete': object(ofSession),
  'session/prompt': object({ ...ofSession, prompt: list(block), messageId: orNull(text) }),
  'session/cancel': object(ofSession),
  'session/set_mode': object({ ...ofSession, modeId: text }),
  'session/set_model': object({ ...ofSession, modelId: text }),
  'session/set_config_option': object({ ...ofSession, configId: text, value: optional(any) }),
  'session/set_title': object({ ...ofSession, title: orNull(text) }),
  logout: any,
  // ── from the agent ─────────────────────────────────────────────────────────────────────────────────────────────────────
  'session/request_permission': object({ ...ofSession, toolCall: tool, options: list(option) }),
  'fs/read_text_file': object({ ...ofSession, path: text }),
  'fs/write_text_file': object({ ...ofSession, path: text }),
  'terminal/create': object({ ...ofSession, command: optional(text) }),
  'terminal/output': object(terminal),
  'terminal/wait_for_exit': object(terminal),
  'terminal/kill': object(terminal),
  'terminal/release': object(terminal),
  'elicitation/create': object({
    sessionId: orNull(text),
    toolCallId: orNull(text),
    message: text,
    mode: optional(text),
    requestedSchema: optional(any),
    url: optional(text),
  }),
  'elicitation/complete': any,
  'auth/status_update': any,
  // ── from either side ───────────────────────────────────────────────────────────────────────────────────────────────────
  '$/cancel_request': object({ requestId: any }),
  mcp: any,
  nes: any,
  document: any,
  providers: any,
  proxy: any,
  /** A method whose name begins with `_` is somebody's own. */
  extension: any,
  'session/update/extension': object(ofSession),
}

const usage = orNull(
  object({
    inputTokens: optional(number),
    outputTokens: optional(number),
    totalTokens: optional(number),
    ...named(['thoughtTokens', 'cachedReadTokens', 'cachedWriteTokens']),
    // as agents write them elsewhere
    ...named(['reasoningOutputTokens', 'cachedInputTokens', 'cacheWriteInputTokens']),
    ...named(['input_tokens', 'output_tokens', 'total_tokens', 'thought_tokens', 'cached_read_tokens', 'cached_write_tokens']),
  }),
)
const exit = { exitCode: orNull(number), signal: orNull(text) }

/** What a response holds, as far as it tells what it answers. */
const results = {
  'result/initialize': object({ protocolVersion: any, agentInfo: info }),
  'result/session': object({ sessionId: orNull(text), ...settings }),
  'result/prompt': object({ stopReason: text, usage }),
  'result/permission': object({ outcome: object({ outcome: text, optionId: optional(text) }) }),
  'result/elicitation': object({ action: text, content: optional(any) }),
  'result/terminal': object({ output: optional(text), exitStatus: orNull(object(exit)), ...exit }),
  result: any,
}

const error = object({ code: number, message: text, data: optional(any) })

/**
 * The message itself, or a record of traffic with the message in it. `t` counts milliseconds; only a large one is a date. The type is
 * known by then, so nothing is said of `jsonrpc`, `method` and `id`.
 */
const record = (fields: Record<string, TSchema>, required: string[]) => {
  const body = Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, optional(schema)]))
  const rpc = { jsonrpc: optional(any), id: optional(any), ...body }
  const message = { ...Type.Object(rpc), required }
  return Type.Object(
    { ...rpc, t: optional(number), from: optional(text), message: optional(message) },
    { anyOf: [{ required }, { required: ['message'] }] },
  )
}

const call = (params: TSchema) => record({ method: any, params }, needed(params))
/** `params` may be absent where nothing of it is needed. */
const needed = ({ required = [] }: TSchema & { required?: string[] }): string[] => (required.length > 0 ? ['method', 'params'] : ['method'])

const mapped = <Keys extends string>(shapes: Record<Keys, TSchema>, make: (shape: TSchema) => TSchema) =>
  Object.fromEntries(Object.entries<TSchema>(shapes).map(([tag, shape]) => [tag, make(shape)])) as Record<Keys, TSchema>

export const records: Record<string, TSchema> = {
  ...Object.fromEntries(
    Object.entries(updates).map(([variant, { properties }]) => {
      const update = Type.Object({ sessionUpdate: optional(any), ...properties })
      return [`session/update/${variant}`, call(object({ ...ofSession, update }))]
    }),
  ),
  ...mapped(methods, call),
  ...mapped(results, (result) => record({ result }, ['result'])),
  error: record({ error }, ['error']),
}

// ── the schema that is printed: a compiled check is chosen by the tag and need not look at what tells it ──────────────────

/** What tells the type, in a message alone or in a record of traffic. */
export function pin(tag: string): object {
  const { properties, required } = tag === 'error' || tag in results ? ofResponse(tag) : ofCall(tag)
  const message = { type: 'object', properties: { jsonrpc: { const: '2.0' }, ...properties }, required: ['jsonrpc', ...required] }
  const traffic = { properties: { message, jsonrpc: false }, required: ['message'] }
  return { anyOf: [message, traffic] }
}

type Pinned = { properties: Record<string, object>; required: string[] }

function ofCall(tag: string): Pinned {
  const variant = /^session\/update\/(.*)/.exec(tag)?.[1]
  if (variant === undefined) return { properties: { method: methodOf(tag) }, required: ['method'] }
  const sessionUpdate = variant === 'extension' ? { type: 'string', pattern: '^_' } : { const: variant }
  const update = { type: 'object', properties: { sessionUpdate }, required: ['sessionUpdate'] }
  const params = { type: 'object', properties: { update }, required: ['update'] }
  return { properties: { method: { const: 'session/update' }, params }, required: ['method', 'params'] }
}

function methodOf(tag: string): object {
  if (families.has(tag)) return { type: 'string', pattern: `^${tag}/` }
  if (tag === 'extension') return { type: 'string', pattern: '^_', not: { enum: [...aliases.keys()] } }
  const others = [...aliases].flatMap(([alias, method]) => (method === tag ? [alias] : []))
  return others.length === 0 ? { const: tag } : { enum: [tag, ...others] }
}

/** The first key that only one sort of answer has, tells. */
function ofResponse(tag: string): Pinned {
  const method = { not: { type: 'string' } }
  if (tag === 'error') return { properties: { method, error: { type: 'object' } }, required: ['error'] }
  const first = resultTags.findIndex(([, other]) => other === tag)
  const has = (keys: typeof resultTags): object => ({ type: 'object', anyOf: keys.map(([key]) => ({ required: [key] })) })
  const earlier = resultTags.slice(0, first === -1 ? undefined : first)
  const result = {
    ...(first !== -1 && has(resultTags.filter(([, other]) => other === tag))),
    ...(earlier.length > 0 && { not: has(earlier) }),
  }
  return { properties: { method, error: { not: { type: 'object' } }, result }, required: ['result'] }
}

export type Params<Method extends keyof typeof methods> = Loose<Static<(typeof methods)[Method]>>
export type Result<Tag extends keyof typeof results> = Loose<Static<(typeof results)[Tag]>>
export type WireError = Loose<Static<typeof error>>
export type Update<V extends Variant> = Loose<Static<(typeof updates)[V]>>
export type Tool = Loose<Static<typeof tool>>
export type Block = Loose<Static<typeof block>>
export type Settings = Result<'result/session'>
export type { Variant }

/** A JSON-RPC message: a request, a notification or a response. */
export type Message = {
  jsonrpc: string
  id?: unknown
  method?: string
  params?: { [key: string]: unknown } | null
  result?: unknown
  error?: WireError
}
