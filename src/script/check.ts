// Checks a value against a schema and says in words what does not fit. Strict: a key that the schema does not name is a mistake.
import { isRecord, type Rec } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import type { Schema } from './schema.ts'

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

export function* mistakesIn(value: unknown, schema: Schema, path: Path = []): Generator<Mistake> {
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return yield { path, message: `${nameOf(path)} must be ${types.map((type) => typeNames[type]).join(' or ')}, not ${describe(value)}` }
  const message = isRecord(value) ? undefined : complaint(value, schema)
  if (message !== undefined) yield { path, message: `${nameOf(path)} ${message}` }
  if (isRecord(value)) yield* mistakesOfKeys(value, schema, path)
  if (Array.isArray(value) && schema.items !== undefined)
    for (const [index, item] of value.entries()) yield* mistakesIn(item, schema.items, [...path, index])
}

function* mistakesOfKeys(value: Rec, schema: Schema, path: Path): Generator<Mistake> {
  const { properties, required = [], anyOf, minProperties = 0, dependentRequired = {} } = schema
  if (properties === undefined) return
  const known = Object.keys(properties)
  const given = Object.keys(value)
  for (const key of given) {
    if (Object.hasOwn(properties, key)) yield* mistakesIn(value[key], properties[key]!, [...path, key])
    else {
      const near = nearest(key, known)
      const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`
      yield { path: [...path, key], message: `unknown key ${quoted(key)} in ${nameOf(path)}; ${hint}`, ofKey: true }
    }
  }
  for (const key of required) if (!given.includes(key)) yield { path, message: `${nameOf(path)} needs ${key}` }
  if (anyOf?.some((choice) => choice.required.every((key) => given.includes(key))) === false)
    yield { path, message: `${nameOf(path)} needs ${anyOf.map((choice) => choice.required.join(' and ')).join(' or ')}` }
  if (given.length < minProperties) yield { path, message: `${nameOf(path)} needs at least one of ${known.join(', ')}` }
  for (const [key, others] of Object.entries(dependentRequired))
    for (const other of given.includes(key) ? others : [])
      if (!given.includes(other)) yield { path: [...path, key], message: `${key} means nothing without ${other}`, ofKey: true }
}

function complaint(value: unknown, schema: Schema): string | undefined {
  const { enum: words, pattern, minimum = -Infinity, maximum = Infinity, description } = schema
  if (typeof value === 'number' && !(value >= minimum && value <= maximum))
    return maximum === Infinity ? `must be ${minimum} or more, not ${value}` : `must be from ${minimum} to ${maximum}, not ${value}`
  if (typeof value !== 'string') return undefined
  if (words !== undefined && !words.includes(value)) return `must be one of ${words.join(', ')}, not ${quoted(value)}`
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return `cannot be ${quoted(value)} (${description})`
  return undefined
}

/** `turns 1, usage`: places in a list are counted as a reader does. */
const nameOf = (path: Path): string =>
  path.length === 0
    ? 'the script'
    : path.map((key, index) => (typeof key === 'number' ? ` ${key + 1}` : `${index === 0 ? '' : ', '}${key}`)).join('')

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function describe(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'a mapping' : typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}
