// Checks a value against a schema and says in words what does not fit. Strict: a key that the schema does not name is a mistake.
import { isRecord, type Rec } from './json.ts'
import { nearest } from './nearest.ts'
import { quoted } from './text.ts'

/** The part of JSON Schema that the checker knows: what it says and what a validator says is the same. */
export type Schema = {
  $schema?: string
  title?: string
  description?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  /** A schema: of the values under all other keys. */
  additionalProperties?: boolean | Schema
  propertyNames?: { pattern: string; description: string }
  required?: string[]
  anyOf?: { required: string[] }[]
  oneOf?: { required: string[] }[]
  dependentRequired?: Record<string, string[]>
  minProperties?: number
  items?: Schema
  minItems?: number
  enum?: string[]
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

export type Path = readonly (string | number)[]
/** `ofKey`: the mistake is the last key of the path, not what stands under it. */
export type Mistake = { path: Path; message: string; ofKey?: true }

const typeNames: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

/** `what`: the whole that is checked, as messages name it: `the script`. */
export function* mistakesIn(value: unknown, schema: Schema, what: string, path: Path = []): Generator<Mistake> {
  const types = [schema.type ?? []].flat()
  const name = (): string => nameOf(path, what) // rarely needed, and not for nothing
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return yield { path, message: `${name()} must be ${types.map((type) => typeNames[type]).join(' or ')}, not ${describe(value)}` }
  const message = isRecord(value) ? undefined : complaint(value, schema)
  if (message !== undefined) yield { path, message: `${name()} ${message}` }
  if (isRecord(value)) yield* mistakesOfKeys(value, schema, what, path)
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) yield { path, message: `${name()} must not be empty` }
    if (schema.items !== undefined)
      for (const [index, item] of value.entries()) yield* mistakesIn(item, schema.items, what, [...path, index])
  }
}

function* mistakesOfKeys(value: Rec, schema: Schema, what: string, path: Path): Generator<Mistake> {
  const { properties = {}, additionalProperties: others, propertyNames, required = [], anyOf, oneOf } = schema
  if (schema.properties === undefined && others === undefined) return
  const name = (): string => nameOf(path, what) // rarely needed, and not for nothing
  const known = Object.keys(properties)
  const given = Object.keys(value)
  for (const key of given) {
    const at = [...path, key]
    if (propertyNames !== undefined && !new RegExp(propertyNames.pattern).test(key))
      yield { path: at, message: `${quoted(key)} in ${name()} is no name (${propertyNames.description})`, ofKey: true }
    if (Object.hasOwn(properties, key)) yield* mistakesIn(value[key], properties[key]!, what, at)
    else if (typeof others === 'object') yield* mistakesIn(value[key], others, what, at)
    else {
      const near = nearest(key, known)
      const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`
      yield { path: at, message: `unknown key ${quoted(key)} in ${name()}; ${hint}`, ofKey: true }
    }
  }
  for (const key of required) if (!given.includes(key)) yield { path, message: `${name()} needs ${key}` }
  const choices = anyOf ?? oneOf ?? []
  const met = choices.filter((choice) => choice.required.every((key) => given.includes(key))).length
  const words = choices.map((choice) => choice.required.join(' and ')).join(' or ')
  if (choices.length > 0 && met === 0) yield { path, message: `${name()} needs ${words}` }
  if (oneOf !== undefined && met > 1) yield { path, message: `${name()} needs ${words}, not both` }
  if (given.length < (schema.minProperties ?? 0)) yield { path, message: `${name()} needs at least one of ${known.join(', ')}` }
  for (const [key, needed] of Object.entries(schema.dependentRequired ?? {}))
    for (const other of given.includes(key) ? needed : [])
      if (!given.includes(other)) yield { path: [...path, key], message: `${key} means nothing without ${other}`, ofKey: true }
}

function complaint(value: unknown, schema: Schema): string | undefined {
  const { enum: words, pattern, minimum = -Infinity, exclusiveMinimum, maximum = Infinity, description } = schema
  if (typeof value === 'number') {
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum)) return `must be more than ${exclusiveMinimum}, not ${value}`
    if (value >= minimum && value <= maximum) return undefined
    return maximum === Infinity ? `must be ${minimum} or more, not ${value}` : `must be from ${minimum} to ${maximum}, not ${value}`
  }
  if (typeof value !== 'string') return undefined
  if (words !== undefined && !words.includes(value)) return `must be one of ${words.join(', ')}, not ${quoted(value)}`
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return `cannot be ${quoted(value)} (${description})`
  return undefined
}

/** `turns 1, usage`: places in a list are counted as a reader does. */
const nameOf = (path: Path, what: string): string =>
  path.length === 0
    ? what
    : path.map((key, index) => (typeof key === 'number' ? ` ${key + 1}` : `${index === 0 ? '' : ', '}${shown(key)}`)).join('')

/** A key is a word of the schema, or whatever the writer of the file put there. */
const shown = (key: string): string => (/^[\w$.-]{1,60}$/.test(key) ? key : quoted(key))

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'a mapping' : typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}
