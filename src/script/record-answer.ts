// What a recorder makes of an answer, whatever API it came by, and the small readers that all four share.
import { isRecord, type Rec } from '../base/json.ts'
import type { Failure, Finish, Input, Usage } from './script.ts'

export type Said = {
  /** As the answer names it. */
  model: string | undefined
  think: string
  text: string
  tools: { name: string; input: Input }[]
  usage: Usage | undefined
  /** Absent: the answer has not come to its end. */
  finish: Finish | undefined
  malformed: boolean
  /** The answer says that it failed; it may have said something before. */
  failure: Failure | undefined
}

/** Of a stream all its records in order, of a plain answer the one. */
export type Reader = (records: readonly Rec[]) => Said

export const nothingSaid: Said = {
  model: undefined,
  think: '',
  text: '',
  tools: [],
  usage: undefined,
  finish: undefined,
  malformed: false,
  failure: undefined,
}

// ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const recordIn = (value: unknown, key: string): Rec => {
  const inner = isRecord(value) ? value[key] : undefined
  return isRecord(inner) ? inner : {}
}
export const recordsIn = (value: unknown, key: string): Rec[] => {
  const list = isRecord(value) ? value[key] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}
export const textIn = (value: unknown, key: string): string | undefined => {
  const text = isRecord(value) ? value[key] : undefined
  return typeof text === 'string' ? text : undefined
}
export const countIn = (value: unknown, key: string): number => {
  const count = isRecord(value) ? value[key] : undefined
  return typeof count === 'number' && count > 0 ? Math.round(count) : 0
}

/** Thoughts and messages that an API tells one by one; a script has one text for all. */
export const paragraphs = (texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n')

/** Arguments as they came. What is no JSON object is kept as its text, and a script gives it out so. */
export function inputIn(json: string): Input {
  if (json.trim() === '') return {}
  const value = jsonIn(json)
  return isRecord(value) ? value : json
}

/** Undefined: it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const statuses: [word: RegExp, status: number][] = [
  [/overloaded/, 529],
  [/rate_limit|quota|RESOURCE_EXHAUSTED/, 429],
  [/authentication|api_key|UNAUTHENTICATED/, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/invalid/i, 400],
  [/UNAVAILABLE/, 503],
]

/** An error that a stream tells after its status was sent: only its words say which one it would have been. */
export function failureIn(error: unknown): Failure {
  const said = isRecord(error) ? error : {}
  const number = [said['code'], said['status']].map(Number).find(isFailure)
  const words = [said['type'], said['code'], said['status']].join(' ')
  return {
    status: number ?? statuses.find(([word]) => word.test(words))?.[1] ?? 500,
    message: textIn(said, 'message') ?? (typeof error === 'string' ? error : 'the provider gave no reason'),
    retryAfter: undefined,
  }
}

export const isFailure = (status: number): boolean => Number.isInteger(status) && status >= 400 && status <= 599
