// Unknown keys deeper in a record: in objects whose keys the dialect's schema names. Where it names none, as in a tool's input, all are known.
import type { Schema } from '../base/explain.ts'
import { isRawJson, isRecord, type Rec, stringifyJson } from '../base/json.ts'

/**
 * `keys`: those of an object, each with what is known of its value; `open`: it may have any others. `items`: of a list. `values`: of a map,
 * whatever its keys.
 */
export type Known = {
  keys?: ReadonlyMap<string, Known | undefined>
  open?: boolean
  items?: Known | undefined
  values?: Known | undefined
}

export function knownIn({ anyOf, properties, patternProperties = {}, additionalProperties, items }: Schema): Known | undefined {
  // Beside properties, anyOf only says which of them must be there.
  if (properties !== undefined) {
    const keys = new Map(Object.entries(properties).map(([key, value]) => [key, knownIn(value)]))
    return { keys, ...(additionalProperties && { open: true }) }
  }
  if (anyOf !== undefined) return anyOf.some(isOpen) ? undefined : anyOf.map(knownIn).reduce(joined, undefined)
  const [inMap = additionalProperties || undefined] = Object.values(patternProperties)
  const known = { items: items && knownIn(items), values: inMap && knownIn(inMap) }
  return known.items === undefined && known.values === undefined ? undefined : known
}

/** It allows any object, any list, or any value. */
const isOpen = ({ anyOf, properties, patternProperties, additionalProperties, items, ...rest }: Schema): boolean =>
  (anyOf ?? properties ?? patternProperties ?? additionalProperties ?? items) === undefined &&
  (rest.type === 'object' || rest.type === 'array' || !('type' in rest || 'const' in rest || 'enum' in rest))

/** What one of them knows, the other need not. */
function joined(one: Known | undefined, other: Known | undefined): Known | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const keys = new Map(one.keys)
  for (const [key, value] of other.keys ?? []) keys.set(key, keys.has(key) ? either(keys.get(key), value) : value)
  const open = one.open === true || other.open === true
  return {
    ...(keys.size > 0 && { keys }),
    ...(open && { open }),
    items: joined(one.items, other.items),
    values: joined(one.values, other.values),
  }
}

/** Of one key: where one of them allows anything, nothing is unknown. */
const either = (one: Known | undefined, other: Known | undefined): Known | undefined => one && other && joined(one, other)

/** The value with nothing in it but what is not known; undefined when all is. Items of a list stand under their numbers. */
export function unknownIn(value: unknown, { keys, open = false, items, values }: Known): Rec | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const each = Array.isArray(value) ? items : values
  if (each === undefined && (keys === undefined || Array.isArray(value))) return undefined
  if (isRawJson(value)) return value as Rec // a number where an object belongs
  let found: Rec | undefined
  for (const key in value) {
    const known = each ?? keys!.get(key)
    if (known === undefined && (open || keys!.has(key))) continue
    const part = known === undefined ? (value as Rec)[key] : unknownIn((value as Rec)[key], known)
    if (part === undefined) continue
    found ??= Object.create(null) as Rec // a key may be __proto__
    found[key] = part
  }
  return found
}

/** Both, as deep as both have objects. */
export function merged(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other
  const both = Object.assign(Object.create(null) as Rec, one)
  for (const key in other) both[key] = merged(both[key], other[key])
  return both
}

/**
 * Puts what `unknownIn` has found where it stood. False: some of it has no place, since what it stood in is not there, or something else
 * stands there. What is known is never put, only compared.
 */
export function putBack(into: unknown, found: Rec, known: Known | undefined): boolean {
  if (typeof into !== 'object' || into === null) return false
  let all = true
  for (const key in found) {
    const here = Object.hasOwn(into, key) ? (into as Rec)[key] : undefined
    const deeper = (Array.isArray(into) ? known?.items : known?.values) ?? known?.keys?.get(key)
    if (isRecord(found[key]) && typeof here === 'object') all = putBack(here, found[key], deeper) && all
    else if (here !== undefined) all = stringifyJson(here) === stringifyJson(found[key]) && all
    else if (known?.keys === undefined || known.keys.has(key) || Array.isArray(into)) all = false
    else Object.defineProperty(into, key, { value: found[key], enumerable: true, configurable: true, writable: true }) // may be __proto__
  }
  return all
}
