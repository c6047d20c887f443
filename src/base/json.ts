// The one JSON reader and writer. Two surprises: an integer past 2^53 keeps its text (as JSON.rawJSON), and a value nested
// deeper than the engine's own writer can follow is still written.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** One JSON object as it stood in the input; nothing is known of its keys. */
export type Rec = { [key: string]: unknown }

// Only a run of 16 digits can be an integer past 2^53 or a number too large for a double; everything else parses at full speed.
const longDigits = /[0-9]{16}|[0-9][eE]\+?[0-9]{2}/

export const parseJson = (text: string): unknown => (longDigits.test(text) ? JSON.parse(text, keepNumberText) : JSON.parse(text))

function keepNumberText(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value
  return Number.isInteger(value) || !Number.isFinite(value) ? rawJson(context.source) : value
}

// Not yet in TypeScript's library: ES2026 JSON.rawJSON, in Node 24 and current browsers.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON
const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON

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

export const isRecord = (value: unknown): value is Rec => typeof value === 'object' && value !== null && !Array.isArray(value)
