// opencode's records: what `opencode run --format json` prints (`type` with an underscore or none), and the events of
// `opencode serve` (`type` with a dot, all else under `properties`). Both hold the same parts of a message.
// Lenient: older servers name the session only inside `info` or `part`, and a number that was NaN comes as null.
import Type, { type Static, type TSchema } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { named } from '../wire-named.ts'
import { quiet } from './quiet.ts'

const text = Type.String()
const number = Type.Number()
const json = Type.Unknown()
const optional = Type.Optional
const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))
const anything = optional(Type.Unsafe<{ [key: string]: unknown } | null>({ type: ['object', 'null'] }))

// ── parts of a message ───────────────────────────────────────────────────────────────────────────────────────────────────

const part = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({ type: optional(text), id: optional(text), sessionID: optional(text), messageID: optional(text), ...fields })

const time = orNull(
  Type.Object({
    start: orNull(number),
    end: orNull(number),
    compacted: optional(json),
    created: orNull(number),
    updated: orNull(number),
    completed: orNull(number),
  }),
)
const tokens = orNull(
  Type.Object({
    total: orNull(number),
    input: orNull(number),
    output: orNull(number),
    reasoning: orNull(number),
    cache: orNull(Type.Object({ read: orNull(number), write: orNull(number) })),
  }),
)
const state = Type.Object({
  status: Type.Unsafe<'pending' | 'running' | 'completed' | 'error'>({ enum: ['pending', 'running', 'completed', 'error'] }),
  input: optional(json),
  output: orNull(text),
  error: optional(json),
  title: orNull(text),
  metadata: anything,
  time,
  attachments: orNull(Type.Array(json)),
  ...named(['raw']),
})
const spoken = { text, time, synthetic: optional(json), metadata: anything }

const parts = {
  text: part(spoken),
  reasoning: part(spoken),
  tool: part({ tool: text, callID: optional(text), state }),
  'step-start': part(named(['snapshot'])),
  'step-finish': part({ reason: orNull(text), tokens, cost: orNull(number), ...named(['snapshot']) }),
  file: part({ mime: orNull(text), url: orNull(text) }),
  patch: part({ files: Type.Array(text), ...named(['hash']) }),
  retry: part({ attempt: number, error: optional(json) }),
  compaction: part({ auto: optional(json) }),
  subtask: part({ prompt: orNull(text) }),
  agent: part({}),
  snapshot: part(named(['snapshot'])),
}
export type PartType = keyof typeof parts
export type PartOf<T extends PartType> = Loose<Static<(typeof parts)[T]>>

// ── opencode run ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const line = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), timestamp: optional(number), sessionID: optional(text), ...fields })

const run = {
  step_start: line('step_start', { part: parts['step-start'] }),
  text: line('text', { part: parts.text }),
  reasoning: line('reasoning', { part: parts.reasoning }),
  tool_use: line('tool_use', { part: parts.tool }),
  step_finish: line('step_finish', { part: parts['step-finish'] }),
  error: line('error', { error: json }),
}

// ── opencode serve ───────────────────────────────────────────────────────────────────────────────────────────────────────

const event = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), id: optional(text), properties: Type.Object({ sessionID: optional(text), ...fields }) })

const updated = <T extends PartType>(type: T) =>
  Type.Object({
    type: Type.Literal('message.part.updated'),
    id: optional(text),
    properties: Type.Object({ sessionID: optional(text), part: parts[type], time: orNull(number) }),
  })

const model = orNull(Type.Object({ id: orNull(text), modelID: orNull(text), providerID: orNull(text), ...named(['variant']) }))
const sessionInfo = Type.Object({
  id: text,
  parentID: orNull(text),
  title: orNull(text),
  version: orNull(text),
  directory: orNull(text),
  agent: orNull(text),
  model,
  permission: optional(json),
  cost: orNull(number),
  tokens,
  time,
  ...named(['slug', 'projectID', 'path', 'summary']),
})
const messageInfo = Type.Object({
  id: text,
  role: text,
  sessionID: optional(text),
  modelID: orNull(text),
  providerID: orNull(text),
  agent: orNull(text),
  finish: orNull(text),
  error: optional(json),
  structured: optional(json),
  cost: orNull(number),
  tokens,
  time,
  ...named(['parentID', 'mode', 'path', 'model', 'summary', 'variant']),
})
const question = Type.Object({
  question: text,
  header: orNull(text),
  options: orNull(Type.Array(Type.Object({ label: text, description: orNull(text) }))),
  multiple: optional(json),
})
const fileDiff = Type.Object({ file: orNull(text), path: orNull(text), patch: orNull(text), status: orNull(text) })
const answer = { requestID: optional(text) }

const server = {
  'session.created': event('session.created', { info: sessionInfo }),
  'session.updated': event('session.updated', { info: sessionInfo }),
  'session.deleted': event('session.deleted', { info: sessionInfo }),
  'session.status': event('session.status', {
    status: Type.Object({ type: text, attempt: orNull(number), message: orNull(text), next: orNull(number) }),
  }),
  'session.idle': event('session.idle', {}),
  'session.error': event('session.error', { error: optional(json) }),
  'session.diff': event('session.diff', { diff: Type.Array(fileDiff) }),
  'session.compacted': event('session.compacted', {}),
  'message.updated': event('message.updated', { info: messageInfo }),
  'message.part.delta': event('message.part.delta', { messageID: optional(text), partID: text, field: text, delta: text }),
  'message.part.updated': event('message.part.updated', { part: Type.Object({ type: text }) }),
  'message.part.updated/text': updated('text'),
  'message.part.updated/reasoning': updated('reasoning'),
  'message.part.updated/tool': updated('tool'),
  'message.part.updated/step-start': updated('step-start'),
  'message.part.updated/step-finish': updated('step-finish'),
  'message.part.updated/file': updated('file'),
  'message.part.updated/patch': updated('patch'),
  'message.part.updated/retry': updated('retry'),
  'message.part.updated/compaction': updated('compaction'),
  'message.part.updated/subtask': updated('subtask'),
  'message.part.updated/agent': updated('agent'),
  'message.part.updated/snapshot': updated('snapshot'),
  'permission.asked': event('permission.asked', {
    id: text,
    permission: orNull(text),
    patterns: orNull(Type.Array(text)),
    metadata: optional(json),
    always: orNull(Type.Array(json)),
    tool: orNull(Type.Object({ callID: orNull(text), ...named(['messageID']) })),
  }),
  // Before 1.1: one pattern or several, and a title for people.
  'permission.updated': event('permission.updated', {
    id: text,
    type: orNull(text),
    pattern: optional(json),
    callID: orNull(text),
    title: orNull(text),
    metadata: optional(json),
  }),
  'permission.replied': event('permission.replied', {
    ...answer,
    permissionID: optional(text),
    reply: orNull(text),
    response: orNull(text),
  }),
  'question.asked': event('question.asked', {
    id: text,
    questions: Type.Array(question),
    tool: orNull(Type.Object({ callID: orNull(text), ...named(['messageID']) })),
  }),
  'question.replied': event('question.replied', { ...answer, answers: orNull(Type.Array(json)) }),
  'question.rejected': event('question.rejected', answer),
  'todo.updated': event('todo.updated', {
    todos: Type.Array(Type.Object({ content: text, status: orNull(text), priority: orNull(text) })),
  }),
  'file.edited': event('file.edited', { file: text }),
  'file.watcher.updated': event('file.watcher.updated', { file: text, event: orNull(text) }),
  'command.executed': event('command.executed', { name: text, arguments: orNull(text) }),
  'tui.toast.show': event('tui.toast.show', { message: text, variant: orNull(text) }),
  'worktree.failed': event('worktree.failed', { message: text }),
  'workspace.failed': event('workspace.failed', { message: text }),
}

const quietEvents = Object.fromEntries(quiet.map((type) => [type, event(type, {})])) as {
  [Name in (typeof quiet)[number]]: ReturnType<typeof event<Name, Record<never, TSchema>>>
}

export const records = { ...run, ...server, ...quietEvents }

/** What tells the type of a server's part, for the schema that is printed: a compiled check is chosen by the tag and need not look. */
export function pin(tag: string): object | undefined {
  const [updated, type] = tag.split('/')
  if (updated !== 'message.part.updated') return undefined
  if (type === undefined) return { not: {} } // a part has a type
  const part = { type: 'object', properties: { type: { const: type } }, required: ['type'] }
  return { properties: { properties: { type: 'object', properties: { part }, required: ['part'] } } }
}

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
export type Properties<T extends keyof typeof server> = Wire<T>['properties']
export type Info = Properties<'session.updated'>['info']
export type MessageInfo = Properties<'message.updated'>['info']
export type Tokens = PartOf<'step-finish'>['tokens']
