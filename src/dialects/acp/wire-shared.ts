// Schema pieces that several messages of the protocol share. Only what decoding needs is required; nobody's extra keys are wrong.
import Type, { type Static, type TSchema } from 'typebox'
import { named } from '../wire-named.ts'

export const text = Type.String()
export const number = Type.Number()
export const count = Type.Number({ minimum: 0 })
export const any = Type.Unknown()
export const optional = Type.Optional
export const list = Type.Array
/** Agents write null where they have nothing to say. */
export const orNull = <Schema extends TSchema & { type: string }>(schema: Schema) =>
  optional(Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] }))
export const object = <Fields extends Record<string, TSchema>>(fields: Fields) => Type.Object({ ...fields, _meta: optional(any) })

/** Text, an image, audio, a link or an embedded resource: told apart by `type`. */
export const block = object({
  type: optional(text),
  text: optional(text),
  data: optional(any),
  mimeType: orNull(text),
  uri: orNull(text),
  name: orNull(text),
  resource: optional(any),
})

/** A block in `content`, a diff or a terminal: told apart by `type`. */
const toolContent = object({
  type: optional(text),
  content: optional(any),
  terminalId: optional(text),
  ...named(['path', 'oldText', 'newText']),
})

export const tool = object({
  toolCallId: text,
  title: orNull(text),
  name: orNull(text),
  kind: orNull(text),
  status: orNull(text),
  content: orNull(list(toolContent)),
  locations: orNull(list(object({ path: optional(text) }))),
  rawInput: optional(any),
  rawOutput: optional(any),
})

export const planEntry = object({ content: optional(text), status: optional(text), priority: optional(text) })

// ── what a session can be set to ─────────────────────────────────────────────────────────────────────────────────────────

const label = { name: optional(text), description: orNull(text) }

const choice = object({
  ...label,
  ...named(['group']),
  value: optional(text),
  options: optional(list(object({ ...label, value: optional(text) }))),
})
/** `options` may stand in groups, which have options of their own. */
const configOption = object({
  ...label,
  id: optional(text),
  ...named(['type']),
  category: orNull(text),
  currentValue: optional(any),
  options: optional(list(choice)),
})
export const configOptions = orNull(list(configOption))

export const settings = {
  modes: orNull(object({ currentModeId: optional(text), availableModes: optional(list(object({ ...label, id: optional(text) }))) })),
  models: orNull(
    object({ currentModelId: optional(text), availableModels: optional(list(object({ ...label, modelId: optional(text) }))) }),
  ),
  configOptions,
}
