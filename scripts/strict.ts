// A schema as strict validators want it, with the same meaning: one type at a time, and nothing required that is not named beside it.

export type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; required?: string[] }

/** To which type a keyword speaks: to all others it says nothing. */
const speaksTo: Readonly<Record<string, string>> = { properties: 'object', required: 'object', items: 'array' }

/** Among properties, `type` and `required` are schemas and no lists: whatever has the list is a schema. */
export function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly)
  if (typeof value !== 'object' || value === null) return value
  const schema = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, strictly(part)])) as Schema
  return oneTypeEach(Array.isArray(schema.required) ? allNamed(schema, schema.required) : schema)
}

function allNamed(schema: Schema, required: readonly string[]): Schema {
  const unnamed = required.filter((key) => !Object.hasOwn(schema.properties ?? {}, key))
  if (unnamed.length === 0) return schema
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(unnamed.map((key) => [key, {}])) } }
}

/** A type or null passes for one type. */
function oneTypeEach({ type, ...rest }: Schema): Schema {
  if (!Array.isArray(type) || type.length < 2 || (type.length === 2 && type.includes('null')))
    return type === undefined ? rest : { type, ...rest }
  const others = Object.keys(rest).filter((key) => speaksTo[key] === undefined)
  if (others.length > 0) throw new Error(`beside several types: ${others.join(', ')}`)
  return {
    anyOf: type.map((one: string) => ({ type: one, ...Object.fromEntries(Object.entries(rest).filter(([key]) => speaksTo[key] === one)) })),
  }
}
