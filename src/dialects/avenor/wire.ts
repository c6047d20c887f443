// Avenor's event log: one flat JSON object an event, told apart by `event`. The names and fields of its document, and what
// the program writes beside them. Any other `event` is a user's own, and nothing in it is checked.
import Type, { type Static, type TSchema } from 'typebox'
import type { Loose } from '../../model/loose.ts'

const text = Type.String()
const number = Type.Number()
const count = Type.Integer({ minimum: 0 })
const flag = Type.Boolean()
const any = Type.Unknown()
const optional = Type.Optional
/** Backends pass on what their agents say, null included. */
const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))

/** Newer versions stamp all of these on every event; older ones a session and now and then a time. */
const stamp = {
  session_id: optional(text),
  ts: optional(number), // milliseconds since the epoch
  seq: optional(number),
  run_id: optional(text),
  run_label: optional(text),
  runtime_id: optional(text),
}

const event = <const Name extends string, Fields extends Record<string, TSchema>>(name: Name, fields: Fields, options = {}) =>
  Type.Object({ event: Type.Literal(name), ...stamp, ...fields }, options)

/** Fields that the model has no place for: checked, but not among the known keys, so they travel with the event as `ext`. */
const carried = (properties: Record<string, TSchema>) => ({ anyOf: [{ type: 'object', properties }] })

// ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Content = { type?: string; text?: string; [key: string]: unknown }

/** The document has one object with `text`; other backends send a list, a bare string, `delta` or a report's `payload`. */
const chunk = {
  content: optional(
    Type.Unsafe<Content | (Content | string)[] | string>({
      type: ['object', 'array', 'string'],
      properties: { type: text, text },
      items: { type: ['object', 'string'], properties: { type: text, text } },
    }),
  ),
  delta: optional(text),
  payload: optional(any),
  messageId: orNull(text),
  session_update: optional(any),
}
// As a condition, since a failing branch of anyOf would cost an error object for every chunk.
const saysSomething = { if: { required: ['content'] }, else: { anyOf: [{ required: ['delta'] }, { required: ['payload'] }] } }

const tool = {
  toolCallId: text,
  title: orNull(text),
  kind: orNull(text),
  status: orNull(text),
  rawInput: optional(any), // the object; a string holds its JSON
  rawOutput: optional(any),
  content: optional(any),
  locations: optional(any),
  session_update: optional(any),
}

const planEntry = Type.Object({ content: optional(text), text: optional(text), status: orNull(text), priority: orNull(text) })

const conversation = {
  'agent.message_chunk': event('agent.message_chunk', chunk, saysSomething),
  'agent.thought_chunk': event('agent.thought_chunk', chunk, saysSomething),
  'user.message_chunk': event('user.message_chunk', chunk, saysSomething),
  'tool.call': event('tool.call', tool),
  'tool.call_update': event('tool.call_update', tool),
  'session.plan': event('session.plan', {
    entries: optional(Type.Array(planEntry)),
    label: orNull(text),
    title: orNull(text),
    session_update: optional(any),
  }),
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A dialog read off a terminal has `id` and `label` only; the document's prose shows bare words. */
export type WireOption = Loose<{ optionId?: string; id?: string; kind?: string; name?: string; label?: string; requiresMessage?: boolean }>
const option = Type.Unsafe<WireOption | string>({
  type: ['object', 'string'],
  properties: { optionId: text, id: text, kind: text, name: text, label: text, requiresMessage: flag },
})
const requestId = Type.Unsafe<string | number>({ type: ['string', 'number'] })

const permissions = {
  'permission.request': event(
    'permission.request',
    {
      request_id: optional(requestId),
      tool: orNull(text),
      question: orNull(text),
      options: orNull(Type.Array(option)),
      description: orNull(text),
      message: orNull(text),
      source: orNull(text),
      input: optional(any),
      requires_user_input: orNull(flag),
      toolCall: orNull(Type.Object({ toolCallId: orNull(text), title: orNull(text), kind: orNull(text), rawInput: optional(any) })),
    },
    carried({ resolver: text }),
  ),
  'permission.response': event('permission.response', {
    request_id: requestId,
    option_id: orNull(text),
    kind: orNull(text),
    source: orNull(text),
    message: orNull(text),
  }),
}

// ── loops ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const phase = { phase: text, iteration: count }

const loops = {
  'avenor.loop.start': event('avenor.loop.start', {
    max_iterations: optional(count),
    pre_phase_count: optional(count),
    loop_phase_count: optional(count),
  }),
  'avenor.phase.start': event('avenor.phase.start', { ...phase, kind: optional(text) }),
  'avenor.phase.end': event('avenor.phase.end', {
    ...phase,
    stop_reason: optional(text),
    abort_marker: optional(flag),
    abort_marker_label: optional(text),
    exit_marker: optional(flag),
    exit_marker_label: optional(text),
  }),
  'avenor.loop.end': event('avenor.loop.end', { exit_reason: text, exit_label: optional(text), iterations_completed: optional(count) }),
}

// ── sessions, the channel, trouble ───────────────────────────────────────────────────────────────────────────────────────

const usage = Type.Object({
  input_tokens: optional(number),
  output_tokens: optional(number),
  total_tokens: optional(number),
  cached_read_tokens: optional(number),
})
const files = orNull(Type.Array(text))
const channel = { source: optional(text), payload: optional(any) }

const states = {
  'session.start': event(
    'session.start',
    { backend: optional(text), dir: optional(text) },
    carried({ dangerously_load: flag, broker_url: text }),
  ),
  'session.end': event('session.end', {
    stop_reason: text,
    usage: orNull(usage),
    status: orNull(text),
    summary: orNull(text),
    final_output: orNull(text),
    files_changed: files,
  }),
  'agent.prompt_submitted': event('agent.prompt_submitted', { delivery: optional(text), prompt_length: optional(count) }),
  'agent.prompt_queued': event(
    'agent.prompt_queued',
    { control_id: optional(text), delivery: optional(text), prompt_length: optional(count) },
    carried({ message_type: text }),
  ),
  'agent.channel_ready': event('agent.channel_ready', { server_name: optional(text), source: optional(text) }),
  'agent.report': event('agent.report', { ...channel, state: optional(text) }),
  'agent.reply': event('agent.reply', { ...channel, to: optional(text) }),
  'agent.finish': event('agent.finish', { ...channel, status: optional(text), summary: optional(text), files_changed: files }),
  'agent.status': event('agent.status', { phase: text, source: optional(text), label: orNull(text) }, carried({ records: count })),
  'avenor.retry': event('avenor.retry', { attempt: count, max_retries: optional(count) }),
  'avenor.error': event('avenor.error', {
    source: optional(text),
    message: optional(text),
    kind: optional(text),
    stop_reason: optional(text),
    model: optional(text),
    diagnostics: optional(any),
  }),
  // Not in the document: read, never written.
  'avenor.compaction': event('avenor.compaction', { llm_summary: optional(any) }, carried({ kind: text, bytes_saved: number })),
  'subscriber.lagged': event('subscriber.lagged', { dropped_count: optional(number) }),
}

export const records = { ...conversation, ...permissions, ...loops, ...states }

/** A user's own event. */
export const custom = Type.Object({ event: Type.Unsafe<string>({ type: 'string', not: { enum: Object.keys(records) } }) })

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
export type AnyWire = { [T in Tag]: Wire<T> }[Tag]
