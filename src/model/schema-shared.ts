// Schema pieces that several event families share. Only schema files and build scripts import these values: TypeBox stays
// out of the running program, which sees the types alone.
import Type, { type TSchema } from 'typebox'
import { faultCategories, modelVersion, optionKinds } from './vocabulary.ts'

export const optional = Type.Optional
export const text = Type.String()
export const count = Type.Integer({ minimum: 0 })
export const millis = Type.Number()
export const flag = Type.Boolean()
export const json = Type.Unknown()
/** One word of a closed list. (Type.Enum loses the literal types of a generic list.) */
export const words = <const Word extends string>(choices: readonly Word[]) => Type.Unsafe<Word>({ enum: [...choices] })
export const list = <Item extends TSchema>(item: Item) => Type.Array(item)

/** Tokens in buckets that never overlap; an absent bucket was not reported. */
export const usage = Type.Object({
  input: optional(count),
  output: optional(count),
  reasoning: optional(count),
  cacheRead: optional(count),
  cacheWrite: optional(count),
})

export const cost = Type.Object({
  usd: Type.Number(),
  parts: optional(
    Type.Object({
      input: optional(Type.Number()),
      output: optional(Type.Number()),
      cacheRead: optional(Type.Number()),
      cacheWrite: optional(Type.Number()),
    }),
  ),
  by: words(['source', 'priced']),
})

export const context = Type.Object({ used: count, limit: optional(count) })

export const fault = Type.Object({
  category: words(faultCategories),
  text: Type.String(),
  code: optional(text),
  http: optional(count),
  retryable: optional(flag),
})

export const option = Type.Object({
  id: text,
  kind: words(optionKinds),
  label: optional(text),
  needsText: optional(flag),
})
export const rule = Type.Object({ permission: text, pattern: text, action: text })

/** The record an event was made from. Most streams have a record on every line and are written by the agent: that need not be said. */
export const origin = Type.Object({
  dialect: text,
  record: Type.Integer({ minimum: 1 }),
  offset: count,
  length: count,
  line: optional(Type.Integer({ minimum: 1 })),
  from: optional(words(['agent', 'host'])),
  /** What the source calls this very record, where it names its records. */
  id: optional(text),
  /** Told where `ext` keeps keys of the record: they stand in this type of record and in no other. */
  type: optional(text),
})

/** On every event. `session` is absent where the source names none, and on run-level and connection-level events. */
const envelope = {
  v: Type.Literal(modelVersion),
  seq: Type.Integer({ minimum: 1 }),
  at: optional(millis),
  session: optional(text),
  run: optional(text),
  agent: optional(text),
  turn: optional(Type.Integer({ minimum: 1 })),
  message: optional(text),
  block: optional(count),
  call: optional(text),
  clock: optional(Type.Literal('arrival')),
  origin: optional(origin),
  synthetic: optional(text),
  ext: optional(Type.Record(text, json)),
  raw: optional(text),
}

/** One kind: its envelope and its own fields, open to keys we do not know yet. */
export const event = <const Kind extends string, Fields extends Record<string, TSchema>>(kind: Kind, fields: Fields) =>
  Type.Object({ ...envelope, kind: Type.Literal(kind), ...fields })
