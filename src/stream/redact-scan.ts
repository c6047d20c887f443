// Finds secrets in a text that may go on: what it says of the settled part stays true whatever follows.
import { compileRules, contextNeeded, longestShape, shapes, type Compiled } from './redact-rules.ts'

/** From `start` to `end` stands the secret, from `begin` on what shows that it is one. */
export type Found = { begin: number; start: number; end: number; rule: string }

/** A rule of the user: it is asked about one line at a time. */
export type LinePattern = { name: string; find(line: string): Iterable<{ start: number; end: number }> }

export type ScanOptions = {
  /** Exact secrets, such as the values of provider keys; shorter ones than 8 characters are left alone. */
  values?: readonly string[]
  patterns?: readonly LinePattern[]
  /** Known shapes of keys; true unless said otherwise. */
  shapes?: boolean
}

export type Scanner = {
  /** There is no secret in it; cheap. False may mean anything. */
  isClean(text: string, from?: number): boolean
  /** The same of a text that may go on: from the place on that it returns nothing can be said yet. -1 may mean anything. */
  cleanUntil(text: string, from: number): number
  /** What is found in `text` from `from` on; before it stands only context. From `open` on nothing can be said yet. */
  scan(text: string, from: number, ended: boolean): { found: Found[]; open: number }
  /** How much of the text before a place may matter for what is found after it. */
  contextBefore(text: string, at: number): string
  /** Exact values only. */
  scanValues(text: string): readonly Found[]
  /** All but the patterns of the user. */
  scanName(text: string): readonly Found[]
}

const none: readonly Found[] = []

type Finder = (text: string, from: number) => Found | undefined

const shortestValue = 8
const longestLine = 4096
let compiledShapes: Compiled | undefined

export function createScanner({ values = [], patterns = [], shapes: withShapes = true }: ScanOptions): Scanner {
  // A value stands in JSON text with its escapes.
  const secrets = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))]
    .filter((value) => value.length >= shortestValue)
    .toSorted((a, b) => b.length - a.length)
  const compiled = withShapes ? (compiledShapes ??= compileRules(shapes)) : undefined
  const finders: Finder[] = [
    ...secrets.map(
      (secret): Finder =>
        (text, from) =>
          findValue(secret, text, from),
    ),
    ...(compiled === undefined ? [] : [(text: string, from: number) => findShape(compiled, text, from)]),
    ...patterns.map(lineFinder),
  ]

  const ofValues = finders.slice(0, secrets.length)
  const ofNames = finders.slice(0, finders.length - patterns.length)

  const openFrom = (text: string, from: number, shapesFrom = from): number => {
    let open = compiled === undefined ? text.length : openShape(compiled, text, shapesFrom)
    for (const secret of secrets) open = Math.min(open, openValue(secret, text, from, open))
    if (patterns.length === 0) return open
    const line = text.lastIndexOf('\n') + 1
    return text.length - line > longestLine ? open : Math.min(open, Math.max(from, line))
  }

  const scanWith = (all: readonly Finder[], text: string, from: number, ended: boolean): { found: Found[]; open: number } => {
    const found: Found[] = []
    const next = all.map((find) => find(text, from))
    let open = ended ? text.length : openFrom(text, from)
    for (let at = from; ;) {
      let first: ReturnType<Finder>
      for (const [index, find] of all.entries()) {
        if (next[index] !== undefined && next[index].begin < at) next[index] = find(text, at)
        const candidate = next[index]
        if (candidate !== undefined && (first === undefined || candidate.begin < first.begin)) first = candidate
      }
      if (first === undefined || first.begin >= open) return { found, open }
      found.push(first)
      at = first.end
      if (open < at) open = openFrom(text, at)
    }
  }

  const isClean = (text: string, from = 0): boolean => patterns.length === 0 && isCleanName(text, from)

  /** Where no shape has begun, its beginning can only be cut off by the end: that is not far from there. */
  const cleanUntil = (text: string, from: number): number =>
    isClean(text, from) ? openFrom(text, from, Math.max(from, text.length - (compiled?.longestHint ?? 0))) : -1

  const isCleanName = (text: string, from: number): boolean => {
    for (const secret of secrets) if (text.includes(secret, from)) return false
    if (compiled === undefined) return true
    compiled.hint.lastIndex = from
    return !compiled.hint.test(text)
  }

  return {
    isClean,
    cleanUntil,
    scan: (text, from, ended) => scanWith(finders, text, from, ended),
    contextBefore(text, at) {
      const line = patterns.length === 0 || at === 0 ? at : text.lastIndexOf('\n', at - 1) + 1
      return text.slice(Math.max(0, at - longestLine, Math.min(line, at - contextNeeded)), at)
    },
    scanValues: (text) => (secrets.some((secret) => text.includes(secret)) ? scanWith(ofValues, text, 0, true).found : none),
    scanName: (text) => (isCleanName(text, 0) ? none : scanWith(ofNames, text, 0, true).found),
  }
}

function findValue(secret: string, text: string, from: number): ReturnType<Finder> {
  const start = text.indexOf(secret, from)
  return start < 0 ? undefined : { begin: start, start, end: start + secret.length, rule: 'value' }
}

/** The first place from which the text ends with a beginning of the secret. */
function openValue(secret: string, text: string, from: number, before: number): number {
  const first = secret[0]!
  let at = text.indexOf(first, Math.max(from, text.length - secret.length + 1))
  while (at >= 0 && at < before && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1)
  return at < 0 ? before : at
}

function findShape({ hint, full, rules }: Compiled, text: string, from: number): ReturnType<Finder> {
  hint.lastIndex = from
  for (let candidate = hint.exec(text); candidate !== null; candidate = hint.exec(text)) {
    const begin = candidate.index
    full.lastIndex = begin
    const match = full.exec(text)
    hint.lastIndex = begin + 1
    if (match === null) continue
    const rule = rules.findIndex((_, index) => match[3 * index + 2] !== undefined)
    const start = begin + match[3 * rule + 1]!.length
    return { begin, start, end: start + match[3 * rule + 2]!.length, rule: rules[rule]!.name }
  }
  return undefined
}

function openShape({ open }: Compiled, text: string, from: number): number {
  open.lastIndex = Math.max(from, text.length - longestShape)
  return open.exec(text)?.index ?? text.length
}

/** A line is always looked at from its true beginning, of which `text` may hold a part before `from`. */
function lineFinder({ name, find }: LinePattern): Finder {
  let last: { text: string; start: number; hits: { start: number; end: number }[] } | undefined
  return (text, from) => {
    for (let at = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1; at < text.length;) {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? text.length : newline
      if (last?.start !== at || last.text !== text) last = { text, start: at, hits: [...find(text.slice(at, end))] }
      const hit = last.hits.find((one) => at + one.start >= from && one.end > one.start)
      if (hit !== undefined) return { begin: at + hit.start, start: at + hit.start, end: at + hit.end, rule: name }
      at = end + 1
    }
    return undefined
  }
}
