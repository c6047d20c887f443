// Why a value does not fit its JSON Schema, in words. Used only when a compiled check has said no, so it need not be fast; it knows
// the keywords that our schemas use.
import { isRecord } from './json.ts'
import { quoted } from './text.ts'

export type Schema = {
  description?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | false
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
}

/** The first thing that is wrong; undefined when nothing is, as far as these keywords go. */
export function explain(schema: Schema, value: unknown, path = ''): string | undefined {
  const where = path === '' ? 'the record' : quoted(path)
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `${where} must be ${types.join(' or ')}`
  if ('const' in schema && value !== schema.const) return `${where} must be ${JSON.stringify(schema.const)}`
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${where} must be one of ${schema.enum.map((word) => JSON.stringify(word)).join(', ')}`
  if (schema.minimum !== undefined && typeof value === 'number' && value < schema.minimum)
    return `${where} must not be below ${schema.minimum}`
  if (schema.anyOf !== undefined) {
    const reasons = schema.anyOf.map((choice) => explain(choice, value, path))
    if (!reasons.includes(undefined)) return reasons[0]
  }
  if (Array.isArray(value)) return firstOf(value.map((item, index) => [`${path}/${index}`, schema.items, item]))
  return isRecord(value) ? explainObject(schema, value, path, where) : undefined
}

function explainObject(schema: Schema, value: { [key: string]: unknown }, path: string, where: string): string | undefined {
  const missing = schema.required?.find((key) => value[key] === undefined)
  if (missing !== undefined) return `${where} lacks ${quoted(missing)}`
  const anyKey = Object.values(schema.patternProperties ?? {})[0]
  return firstOf(
    Object.entries(value).map(([key, item]) => {
      const part = schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : anyKey
      return [`${path}/${key}`, item === undefined ? undefined : part, item]
    }),
  )
}

function firstOf(parts: [path: string, schema: Schema | undefined, value: unknown][]): string | undefined {
  for (const [path, schema, value] of parts) {
    const reason = schema === undefined ? undefined : explain(schema, value, path)
    if (reason !== undefined) return reason
  }
  return undefined
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
