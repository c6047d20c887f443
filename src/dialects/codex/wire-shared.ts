// Schema pieces of all three forms of the dialect. Lenient on purpose: what decoding does not need is neither required nor typed.
import Type, { type Static, type TSchema } from 'typebox'
import { named } from '../wire-named.ts'

export const optional = Type.Optional
export const text = Type.String()
export const number = Type.Number()
export const integer = Type.Integer()
export const flag = Type.Boolean()
export const any = Type.Unknown()
export const list = Type.Array
type Rec = { [key: string]: unknown }
export const object = Type.Unsafe<Rec>({ type: 'object' })
/** The program writes null for what it has not got. */
export const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))
export const objectOrNull = optional(Type.Unsafe<Rec | null>({ type: ['object', 'null'] }))
/** Strings in some versions, objects in others. */
export const textOrObject = Type.Unsafe<string | Rec | null>({ type: ['string', 'object', 'null'] })

export const words = <const Word extends string>(choices: Word[]) => Type.Unsafe<Word>({ enum: choices })

/** What every message of the app-server may have beside its method. */
export const rpc = { emittedAtMs: optional(any), jsonrpc: optional(any), trace: optional(any) }

const tokens = orNull(number)
/** In the spelling of exec and rollout files, and in that of the app-server. */
export const usage = Type.Object({
  input_tokens: tokens,
  cached_input_tokens: tokens,
  cache_write_input_tokens: tokens,
  output_tokens: tokens,
  reasoning_output_tokens: tokens,
  inputTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteInputTokens: tokens,
  outputTokens: tokens,
  reasoningOutputTokens: tokens,
  ...named(['total_tokens', 'totalTokens']),
})

/** When an item, a turn or a question began and ended, in the app-server's spelling; the events have times of their own. */
export const lasted = named(['startedAtMs', 'completedAtMs', 'startedAt', 'completedAt'])

export const fault = Type.Object({
  message: text,
  codex_error_info: optional(textOrObject),
  codexErrorInfo: optional(textOrObject),
  additionalDetails: orNull(text),
  ...named(['misalignment']),
})

const question = Type.Object({
  id: optional(text),
  header: orNull(text),
  question: text,
  options: orNull(list(Type.Object({ label: text, description: orNull(text) }))),
})
export const questions = list(question)
