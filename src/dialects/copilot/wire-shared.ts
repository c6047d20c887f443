// What all of Copilot's records are made of: one envelope, with `type` saying what `data` holds.
// Only what reading needs is typed; other keys that the program is known to write are named. Optional fields may be null: it writes both.
import Type, { type Static, type TSchema } from 'typebox'
import { named } from '../wire-named.ts'

export const text = Type.String()
export const number = Type.Number()
export const flag = Type.Boolean()
export const any = Type.Unknown()
export const optional = Type.Optional
export const maybe = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))
export const fields = <Fields extends Record<string, TSchema>>(each: Fields) => Type.Object(each)
export const list = <Item extends TSchema>(item: Item) => Type.Array(item)

/** `ephemeral` records are on stdout only; `agentId` names the subagent that a record comes from. */
export const envelope = {
  id: optional(text),
  timestamp: optional(text),
  parentId: optional(any),
  ephemeral: optional(any),
  agentId: maybe(text),
}

/** Where a record of any type may say that it comes from a subagent: the call that started it. Older versions say it nowhere else. */
const child = { parentToolCallId: maybe(text) }

export const record = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, data: Fields) =>
  Type.Object({ type: Type.Literal(type), ...envelope, data: fields({ ...data, ...child }) })

/** The model call that a record is part of. */
export const step = named(['turnId', 'interactionId', 'rte'])

export const codeChanges = fields({ filesModified: maybe(list(text)), ...named(['linesAdded', 'linesRemoved']) })

/** A request to the provider. */
export const request = named([
  'providerCallId',
  'apiEndpoint',
  'transport',
  'requestBodyBytes',
  'requestBodyWireBytes',
  'requestBodyEncoding',
  'isByok',
  'byokKind',
  'providerType',
  'isAuto',
  'interactionType',
])

/** Cached tokens are part of the input, reasoning part of the output. */
export const tokens = {
  inputTokens: maybe(number),
  outputTokens: maybe(number),
  reasoningTokens: maybe(number),
  cacheReadTokens: maybe(number),
  cacheWriteTokens: maybe(number),
}

/** What one model call used. */
export const callUsage = {
  ...tokens,
  model: maybe(text),
  modelProvider: maybe(text),
  finishReason: maybe(text),
  apiCallId: maybe(text),
  maxPromptTokens: maybe(number),
  maxOutputTokens: maybe(number),
  ...child,
  ...step,
  ...request,
  ...named([
    'modelDisplayName',
    'cost',
    'duration',
    'timeToFirstTokenMs',
    'outputTtftMs',
    'interTokenLatencyMs',
    'initiator',
    'accounting',
    'aiCreditsStatus',
    'reasoningSummary',
    'availableToolCount',
    'toolTokenCount',
    'customToolCallCount',
    'unmatchedToolResultCount',
    'orphanToolCallCount',
    'frontierSource',
    'cacheDetailsReported',
    'numToolCalls',
    'toolCounts',
    'contentFilterTriggered',
  ]),
}
