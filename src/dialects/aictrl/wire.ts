// aictrl's `run --format json` records, schema version "1": one JSON object a line, told apart by `type`. The eighteen of the
// document, then the four that newer programs add. Its examples leave out the base keys and `sequenceNum`, so those are
// optional here and the order rules ask for them.
import Type, { type Static, type TSchema } from 'typebox'
import type { Loose } from '../../model/loose.ts'

const text = Type.String()
const number = Type.Number()
const json = Type.Unknown()
const optional = Type.Optional
/** A value of several JSON types: one comparison each, where a union would make an error object for every wrong guess. */
const mixed = <Value>(type: readonly string[], rest: object = {}) => Type.Unsafe<Value>({ type: [...type], ...rest })
const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))

// Newer programs repeat schemaVersion on every line and add invocationID.
const base = {
  timestamp: optional(number),
  sessionID: optional(text),
  schemaVersion: optional(text),
  invocationID: optional(text),
}
const type = <const Name extends string, Fields extends Record<string, TSchema>>(name: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(name), ...base, ...fields })

/** Seconds in the document's example, milliseconds in the program. */
const time = orNull(Type.Object({ start: optional(number), end: optional(number), compacted: optional(json) }))
const part = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({
    id: optional(text),
    sessionID: optional(text),
    messageID: optional(text),
    type: optional(text),
    metadata: optional(json),
    ...fields,
  })
const spoken = {
  part: part({ text, time, synthetic: optional(json), ignored: optional(json) }),
  sequenceNum: optional(number),
}
const cache = orNull(Type.Object({ read: optional(number), write: optional(number) }))
const tokens = Type.Object({
  total: optional(number),
  input: optional(number),
  output: optional(number),
  reasoning: optional(number),
  cache,
})
const price = Type.Object({ input: optional(number), output: optional(number), cache })
/** An object in the document, the sum in the program. */
const cost = optional(mixed<Static<typeof price> | number | null>(['object', 'number', 'null'], { properties: price.properties }))

/** Of a step; `message_complete` tells it, too, where it follows. */
const sum = { reason: optional(json), tokens: orNull(tokens), cost }

const state = Type.Object({
  status: Type.Unsafe<'completed' | 'error'>({ enum: ['completed', 'error'] }),
  input: optional(json),
  output: orNull(text),
  error: optional(json),
  title: orNull(text),
  metadata: optional(mixed<{ [key: string]: unknown } | null>(['object', 'null'])),
  time,
  attachments: orNull(Type.Array(json)),
})

const permission = { callID: optional(text), tool: text, permission: text, patterns: Type.Array(text), input: json }
const subagent = { subagentSessionID: text, parentSessionID: optional(text) }

export const records = {
  session_start: type('session_start', {
    schemaVersion: text,
    model: optional(text),
    agent: optional(text),
    permissions: Type.Array(Type.Object({ permission: text, pattern: text, action: text })),
  }),
  tool_catalog: type('tool_catalog', {
    tools: Type.Array(Type.Object({ name: text, source: text, server: optional(text) })),
    skills: Type.Array(Type.Object({ name: text, version: mixed<string | null>(['string', 'null']) })),
  }),
  session_complete: type('session_complete', { durationMs: optional(number), error: orNull(text) }),
  session_error: type('session_error', {
    reason: text,
    code: optional(mixed<string | number | null>(['string', 'number', 'null'])),
    message: text,
  }),
  message_complete: type('message_complete', {
    messageID: optional(text),
    modelID: optional(text),
    providerID: optional(text),
    agent: optional(text),
    cost,
    tokens: orNull(tokens),
    context: orNull(Type.Object({ used: number, limit: number, ratio: optional(number) })),
    usageStatus: optional(json),
    status: optional(json),
    finish: orNull(text),
  }),
  text: type('text', spoken),
  reasoning: type('reasoning', spoken),
  tool_use: type('tool_use', {
    part: part({ callID: optional(text), tool: text, state }),
    sequenceNum: optional(number),
  }),
  step_start: type('step_start', { part: part({ snapshot: optional(json) }) }),
  step_finish: type('step_finish', { part: part({ snapshot: optional(json), ...sum }) }),
  skill_discovered: type('skill_discovered', { name: text, description: optional(text), location: optional(text) }),
  skill_loaded: type('skill_loaded', { name: text, location: optional(text) }),
  skill_resource_loaded: type('skill_resource_loaded', { skillName: text, filePath: optional(text) }),
  subagent_start: type('subagent_start', { ...subagent, title: optional(text) }),
  subagent_complete: type('subagent_complete', subagent),
  error: type('error', { error: json, sourceSessionID: optional(text) }),
  permission_rejected: type('permission_rejected', permission),
  permission_granted: type('permission_granted', permission),

  invocation_start: type('invocation_start', {}),
  invocation_error: type('invocation_error', { phase: optional(text), code: optional(text), message: optional(text) }),
  invocation_complete: type('invocation_complete', { status: optional(text), durationMs: optional(number) }),
  tool_catalog_error: type('tool_catalog_error', { error: optional(json) }),
}

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
export type AnyWire = { [T in Tag]: Wire<T> }[Tag]
export type Base = Loose<Static<ReturnType<typeof Type.Object<typeof base>>>>
