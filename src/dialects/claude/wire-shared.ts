// Pieces that several record families share. Only what the decoder reads is typed; all other keys are named and left open,
// so a new version of the program does not turn good records into bad ones.
import Type, { type Static, type TSchema } from 'typebox'
import { named } from '../wire-named.ts'

export const text = Type.String()
export const number = Type.Number()
export const flag = Type.Boolean()
export const any = Type.Unknown()
export const texts = Type.Array(text)
export const optional = Type.Optional
/** An optional key that may also be null. Two words in `type` cost one comparison; a union would cost an error object. */
export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [(schema as { type?: string }).type, 'null'] }))
/** On nearly all records of the live stream; control records have neither. */
export const stamp = { session_id: optional(text), uuid: optional(any) }

/** On the conversation records of the transcript file, which spells its keys in camelCase. */
export const line = {
  sessionId: optional(text),
  timestamp: optional(text),
  agentId: optional(text),
  isSidechain: optional(flag),
  isMeta: optional(flag),
  ...named([
    'cwd',
    'version',
    'parentUuid',
    'logicalParentUuid',
    'userType',
    'entrypoint',
    'gitBranch',
    'slug',
    'isVisibleInTranscriptOnly',
    'isCompactSummary',
    'forkedFrom',
    'teamName',
    'agentName',
    'sessionKind',
  ]),
}

/** `input_tokens` excludes both caches; thinking is part of `output_tokens`. */
export const usage = Type.Object({
  input_tokens: orNull(number),
  output_tokens: orNull(number),
  cache_creation_input_tokens: orNull(number),
  cache_read_input_tokens: orNull(number),
  ...named([
    'output_tokens_details',
    'cache_creation',
    'server_tool_use',
    'service_tier',
    'inference_geo',
    'iterations',
    'speed',
    'fallback_credit',
  ]),
})

/** One entry of `modelUsage`. */
export const modelUsage = Type.Object({
  inputTokens: optional(number),
  outputTokens: optional(number),
  cacheReadInputTokens: optional(number),
  cacheCreationInputTokens: optional(number),
  costUSD: optional(number),
  ...named([
    'thinkingTokens',
    'contextWindow',
    'maxOutputTokens',
    'webSearchRequests',
    'cacheCreationEphemeral5mInputTokens',
    'cacheCreationEphemeral1hInputTokens',
    'canonicalModel',
    'provider',
    'costBasis',
  ]),
})
export const models = Type.Unsafe<Record<string, Static<typeof modelUsage>>>({
  type: 'object',
  additionalProperties: modelUsage,
})

/** A block of this type cannot be read without these keys. A chain, the frequent types first: a check stops at its match. */
const needs = (type: string, required: string[], otherwise: object = {}) => ({
  if: { type: 'object', properties: { type: { const: type } } },
  then: { type: 'object', properties: Object.fromEntries(required.map((key) => [key, {}])), required },
  else: otherwise,
})

/** A content block of any type. Unknown types pass; a known type that lacks what it is about does not. */
export const block = Type.Object(
  {
    type: text,
    text: optional(text),
    thinking: optional(text),
    signature: optional(text),
    id: optional(text),
    name: optional(text),
    tool_use_id: optional(text),
    is_error: orNull(flag),
    input: optional(any),
    content: optional(any),
    source: optional(any),
    ...named(['data']), // redacted thinking
  },
  needs('text', ['text'], needs('tool_use', ['id', 'name'], needs('tool_result', ['tool_use_id'], needs('thinking', ['thinking'])))),
)
export const blocks = Type.Array(block)
