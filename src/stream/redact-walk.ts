// Redacts every string of a value, keys as well. What holds no secret is returned as it is, not copied.
import { isRecord, parseJson, stringifyJson, type Rec } from '../base/json.ts'
import { tellingName } from './redact-rules.ts'
import type { Found, Scanner } from './redact-scan.ts'

export type Hits = Record<string, number>

export type Walker = {
  text(text: string, hits: Hits): string
  value<T>(value: T, hits: Hits): T
  /** A record, or a list of them, in which some keys hold words that must stay. */
  records<T>(value: T, words: readonly string[], hits: Hits): T
  /** Looks for exact values only. */
  exact<T>(value: T, hits: Hits): T
  /** One line of a stream of JSON; escapes in it hide nothing. */
  line(line: string, hits: Hits): string
}

/** `isPlain`: it says nothing of its value. */
type Key = { name: string; isPlain: boolean }

const deepest = 500
const mostKeys = 1024
const longestKey = 64

export function replaceFound(text: string, from: number, to: number, found: readonly Found[]): string {
  let out = ''
  let at = from
  for (const { start, end, rule } of found) {
    if (end <= from || start >= to) continue
    if (start >= from) out += `${text.slice(at, start)}[redacted:${rule}]`
    at = Math.min(end, to)
  }
  return out + text.slice(at, to)
}

export function countFound(found: readonly Found[], hits: Hits): void {
  for (const { rule } of found) hits[rule] = (hits[rule] ?? 0) + 1
}

export function createWalker(scanner: Scanner): Walker {
  const replace = (text: string, found: readonly Found[], hits: Hits): string => {
    if (found.length === 0) return text
    countFound(found, hits)
    return replaceFound(text, 0, text.length, found)
  }
  const text = (value: string, hits: Hits): string =>
    scanner.isClean(value) ? value : replace(value, scanner.scan(value, 0, true).found, hits)

  const exact = (value: string, hits: Hits): string => replace(value, scanner.scanValues(value), hits)
  /** A key is a name that programs look for: patterns of the user are about texts. */
  const keyOf = (key: string, hits: Hits): Key => {
    const known = cleanKeys.get(key)
    if (known !== undefined) return known
    const name = replace(key, scanner.scanName(key), hits)
    const made = { name, isPlain: key !== 'value' && !isMediaKey.test(key) && !isTelling(key) }
    if (name === key && key.length <= longestKey && cleanKeys.size < mostKeys) cleanKeys.set(key, made)
    return made
  }
  const cleanKeys = new Map<string, Key>() // most records have the same few

  /** A value whose name says what it is. */
  const told = (name: string, value: string, hits: Hits): string => {
    const context = `${name}: `
    const whole = context + value
    return replace(whole, scanner.scan(whole, 0, true).found, hits).slice(context.length)
  }

  const member = (key: string, value: string, owner: Rec, hits: Hits): string => {
    // Pictures and the like are long, and encoded: no shape shows in them.
    if (isMediaKey.test(key) && hasMime(owner)) return exact(value, hits)
    const name = key === 'value' ? (owner['name'] ?? owner['key']) : key
    return isTelling(name) ? told(name, value, hits) : text(value, hits)
  }

  const walk = (value: unknown, hits: Hits, depth: number): unknown => {
    if (typeof value === 'string') return text(value, hits)
    if (typeof value !== 'object' || value === null) return value
    if (depth > deepest) return walkDeep(value, hits)
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined
      for (const [index, item] of value.entries()) {
        const before: unknown = value[index - 1]
        const done = typeof item === 'string' && isTelling(before) ? told(before, item, hits) : walk(item, hits, depth + 1)
        if (done !== item) (copy ??= [...(value as unknown[])])[index] = done
      }
      return copy ?? value
    }
    if (!isRecord(value)) return value
    return walkRecord(value, hits, depth)
  }

  const walkRecord = (value: Rec, hits: Hits, depth: number, words: readonly string[] = []): Rec => {
    const keys = Object.keys(value)
    let copy: Map<string, unknown> | undefined // from the first that changes on
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!
      const item = value[key]
      const { name: own, isPlain } = keyOf(key, hits)
      let name = own
      const done =
        typeof item !== 'string'
          ? walk(item, hits, depth + 1)
          : words.includes(key)
            ? exact(item, hits)
            : isPlain
              ? text(item, hits)
              : member(key, item, value, hits)
      if (copy === undefined && name === key && done === item) continue
      copy ??= new Map(keys.slice(0, index).map((before) => [before, value[before]]))
      for (let count = 2; copy.has(name); count++) name = `${name}_${count}`
      copy.set(name, done)
    }
    return copy === undefined ? value : Object.fromEntries(copy)
  }

  const walkRecords = (value: unknown, words: readonly string[], hits: Hits): unknown => {
    if (isRecord(value)) return walkRecord(value, hits, 0, words)
    if (!Array.isArray(value) || !value.every(isRecord)) return walk(value, hits, 0)
    const done = value.map((item) => walkRecord(item, hits, 1, words))
    return done.every((item, index) => item === value[index]) ? value : done
  }

  // Too deep to be walked: as JSON text, in which a replacement breaks nothing.
  const walkDeep = (value: object, hits: Hits): unknown => {
    const before = stringifyJson(value)
    const after = text(before, hits)
    return after === before ? value : parseJson(after)
  }

  return {
    text,
    value: <T>(value: T, hits: Hits) => walk(value, hits, 0) as T,
    records: <T>(value: T, words: readonly string[], hits: Hits) => walkRecords(value, words, hits) as T,
    exact: <T>(value: T, hits: Hits) => (typeof value === 'string' ? exact(value, hits) : value) as T,
    line(line, hits) {
      const plain: Hits = {}
      const done = text(line, plain)
      if (done === line && !hiding.test(line)) return line
      try {
        const value = parseJson(line)
        const inside: Hits = {}
        const walked = walk(value, inside, 0)
        for (const [rule, count] of Object.entries(inside)) hits[rule] = (hits[rule] ?? 0) + count
        return walked === value ? line : stringifyJson(walked)
      } catch {
        Object.assign(hits, plain) // no JSON: a text like any other
        return done
      }
    },
  }
}

const isTelling = (name: unknown): name is string => typeof name === 'string' && tellingName.test(name)
/** Escapes that JSON does not need: a dash or a slash may be written so. */
const hiding = /\\[u/]/
const isMediaKey = /^(?:data|blob|base64)$/
const hasMime = (owner: Rec): boolean =>
  ['mime', 'mimeType', 'mediaType', 'media_type', 'mime_type'].some((key) => typeof owner[key] === 'string')
