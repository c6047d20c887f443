// The one JSON reader and writer. Two surprises: a number that no double holds, as an integer past 2^53, keeps its text (as JSON.rawJSON),
// and a value nested deeper than the engine's own writer can follow is still written.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** One JSON object as it stood in the input; nothing is known of its keys. */
export type Rec = { [key: string]: unknown }

/** As JSON.parse, but integers past 2^53, and what is larger than any double, keep their text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepNumberText)
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text) // nested too deep for the engine's walk over values
    throw error
  }
}

/**
 * Whether an integer past 2^53 may stand in these bytes of JSON; without one, JSON.parse loses nothing and is faster.
 * Such a number has 16 digits or more, so one of them stands where we look: at every sixteenth byte.
 */
export function mayHoldBigNumber(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start + 15; at < end; at += 16) {
    const byte = bytes[at]!
    if (byte > 57 || byte < 48) continue
    let first = at
    let last = at
    while (first > start && isDigit(bytes[first - 1]!)) first--
    while (last + 1 < end && isDigit(bytes[last + 1]!)) last++
    if (last - first >= 15 && bytes[first - 1] !== point) return true // digits after a point are a fraction, as sums of costs have them
    at = Math.max(at, last - 15)
  }
  return false
}

const point = 46
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

/** The value of a number as `parseJson` gives it. */
export function numberOf(text: string): unknown {
  const value = Number(text)
  return isRounded(value, text) ? rawJson(text) : value
}

/** As JavaScript counts with it, also where it keeps its text; undefined where it is no number, or past all doubles. */
export function doubleOf(value: unknown): number | undefined {
  const number = isRawJson(value) ? Number((value as { rawJSON: string }).rawJSON) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** An integer that is spelled out and past 2^53, or what is past all doubles. `1e20` is what it says. */
const isRounded = (value: number, text: string): boolean =>
  !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value) && !/[eE]/.test(text))

/** Whether a number past all doubles may stand in this text of JSON: it takes an exponent of three digits. */
export const mayHoldHugeNumber = (text: string): boolean => hugeExponent.test(text)
const hugeExponent = /[:,[\s]-?\d[\d.]*[eE]\+?\d{3}/ // ids have such letters too, but no number stands behind a quote

function keepNumberText(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value
  return isRounded(value, context.source) ? rawJson(context.source) : value
}

// Not yet in TypeScript's library: ES2026 JSON.rawJSON, in Node 24 and current browsers.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON
/** Numbers that are tried to be left as they are: each takes a look at the whole value. */
const mostTried = 16

/**
 * The same value with numbers as JavaScript has them, for whoever must count with them, where it does not fit without; the others keep their
 * text, as a text where only that fits, as of an id. What is past all doubles has no value to count with: it is left out where it may be.
 * Undefined: it does not fit anyway.
 */
export function withPlainNumbers<T>(value: T, fits: (value: T) => boolean): T | undefined {
  const copy = shallowEnough(value)
  if (copy === undefined || !fits(copy)) return undefined
  let tried = 0
  const restore = (from: unknown, into: unknown): void => {
    if (from === null || typeof from !== 'object') return
    for (const [key, item] of Object.entries(from)) {
      const inside = into as Record<string, unknown>
      if (!isRawJson(item)) restore(item, inside[key])
      else if (++tried <= mostTried) {
        const number = inside[key]
        const better = [item, (item as { rawJSON: string }).rawJSON, ...(number === Infinity || number === -Infinity ? [undefined] : [])]
        if (!better.some((way) => ((inside[key] = way), fits(copy)))) inside[key] = number
      }
    }
  }
  restore(value, copy)
  return copy
}

/** With plain numbers; undefined when it is nested too deep. */
function shallowEnough<T>(value: T): T | undefined {
  try {
    return plain(value) as T
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function plain(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (isRawJson(value)) return Number((value as { rawJSON: string }).rawJSON)
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}

/** A number that keeps its own text: an object to JavaScript, but none in JSON. */
export const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON

export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return stringifyDeep(value)
    throw error
  }
}

/** Without recursion, for values nested too deep for the engine. */
function stringifyDeep(root: unknown): string {
  const out: string[] = []
  type Step = { text: string } | { value: unknown }
  const todo: Step[] = [{ value: root }]
  for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
    if ('text' in step) {
      out.push(step.text)
      continue
    }
    const { value } = step
    if (value === null || typeof value !== 'object' || isRawJson(value)) {
      out.push(JSON.stringify(value) ?? 'null')
      continue
    }
    const parts: Step[] = []
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) parts.push({ text: parts.length === 0 ? '' : ',' }, { value: item })
      out.push('[')
      todo.push({ text: ']' })
    } else {
      for (const [key, item] of Object.entries(value)) {
        if (item === undefined) continue
        parts.push({ text: `${parts.length === 0 ? '' : ','}${JSON.stringify(key)}:` }, { value: item })
      }
      out.push('{')
      todo.push({ text: '}' })
    }
    for (let i = parts.length - 1; i >= 0; i--) todo.push(parts[i]!)
  }
  return out.join('')
}

/** Line breaks stand only between tokens of JSON, never inside: leaving them out with the indentation changes no value. */
export const onOneLine = (json: string): string => (json.includes('\n') ? json.replace(/\r?\n[ \t]*/g, '') : json)

export const isRecord = (value: unknown): value is Rec =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value)
