// A user's own rules for the classifier, from YAML. Strict: whatever is not understood is an error that says where it stands.
// Patterns are RE2: they take linear time on any text, so none can stall a stream.
import type { Path } from '../base/check.ts'
import { DocumentError, readYaml, type Source } from '../base/document.ts'
import { isRecord, type Rec } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { type Class, classOfKind, type Verdict } from './classes.ts'

export type UserRules = readonly UserRule[]
/** Everything that it names must be so. */
export type UserRule = {
  verdict: Verdict
  /** Names of the source's records. With them, fields are those of the record; without, those of the event. */
  events: ReadonlySet<string> | undefined
  kinds: ReadonlySet<string> | undefined
  where: readonly Condition[]
  text: Pattern | undefined
}
export type Condition = { path: readonly string[]; holds(value: unknown): boolean }
/** Where the first match at or after `from` begins and ends. */
export type Pattern = (text: string, from: number) => { start: number; end: number } | undefined

export class RulesError extends Error {
  override readonly name = 'RulesError'
}

const ruleKeys = ['name', 'event', 'kind', 'where', 'text', 'class']
const testKeys = ['equals', 'in', 'exists', 'gt', 'gte', 'lt', 'lte', 'matches']
const classes: Record<string, Class> = { milestone: 'MILESTONE', finding: 'FINDING', activity: 'ACTIVITY' }
const longest = 10_000 // characters of a pattern

export async function compileRules(text: string): Promise<UserRules> {
  const [{ value: root, lineOf }, { RE2JS }] = await Promise.all([sourceOf(text), import('re2js')]) // heavy, and rarely needed

  function fail(path: Path, message: string, isKey = false): never {
    throw new RulesError(`line ${lineOf({ path, ...(isKey && { ofKey: true }) })}: ${message}`)
  }

  function keysOf(value: unknown, path: Path, known: readonly string[], what: string): Rec {
    if (!isRecord(value)) fail(path, `${what} must be a mapping with the keys ${known.join(', ')}`)
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue
      const near = nearest(key, known)
      fail(
        [...path, key],
        `unknown key ${quoted(key)} in ${what}; ${near === undefined ? `known: ${known.join(', ')}` : `did you mean ${near}?`}`,
        true,
      )
    }
    return value
  }

  function pattern(value: unknown, path: Path): Pattern {
    if (typeof value !== 'string' || value === '') fail(path, 'a pattern must be a text')
    if (value.length > longest) fail(path, `a pattern may have ${longest} characters at most`)
    try {
      const compiled = RE2JS.compile(value)
      return (subject, from) => {
        const matcher = compiled.matcher(subject)
        return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined
      }
    } catch (error) {
      return fail(path, `the pattern ${quoted(value)} is not valid: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  function names(value: unknown, path: Path): string[] | undefined {
    if (value === undefined) return undefined
    const list = Array.isArray(value) ? value : [value]
    if (list.length === 0 || !list.every((name) => typeof name === 'string')) fail(path, 'give a name, or a list of names')
    return list
  }

  function kindsOf(value: unknown, path: Path): ReadonlySet<string> | undefined {
    const kinds = names(value, path)
    const known = Object.keys(classOfKind)
    for (const kind of kinds ?? []) {
      if (known.includes(kind)) continue
      const near = nearest(kind, known)
      fail(path, `${quoted(kind)} is not a kind of event${near === undefined ? '; see docs/model.md' : `; did you mean ${near}?`}`)
    }
    return kinds && new Set(kinds)
  }

  /** A value alone must be equal, a list must hold it. */
  function conditions(key: string, value: unknown, path: Path): Condition[] {
    const tests = Array.isArray(value)
      ? { in: value }
      : isRecord(value)
        ? keysOf(value, path, testKeys, `the condition on ${quoted(key)}`)
        : { equals: value }
    if (Object.keys(tests).length === 0)
      fail(path, `the condition on ${quoted(key)} is empty; give a value, or one of ${testKeys.join(', ')}`)
    const at = key.split('.')
    return Object.entries(tests).map(([test, wanted]) => ({
      path: at,
      holds: holding(test, wanted, isRecord(value) ? [...path, test] : path),
    }))
  }

  function holding(test: string, wanted: unknown, path: Path): (value: unknown) => boolean {
    const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object'
    switch (test) {
      case 'equals':
        return isScalar(wanted) ? (value) => value === wanted : fail(path, 'equals takes one value')
      case 'in':
        return Array.isArray(wanted) && wanted.length > 0 && wanted.every(isScalar)
          ? (value) => wanted.includes(value)
          : fail(path, 'in takes a list of values, at least one')
      case 'exists':
        return typeof wanted === 'boolean' ? (value) => (value !== undefined) === wanted : fail(path, 'exists takes true or false')
      case 'matches': {
        const find = pattern(wanted, path)
        return (value) => typeof value === 'string' && find(value, 0) !== undefined
      }
      default: {
        if (typeof wanted !== 'number' || Number.isNaN(wanted)) fail(path, `${test} takes a number`)
        const compare = comparisons[test]!
        return (value) => typeof value === 'number' && compare(value, wanted)
      }
    }
  }

  function rule(value: unknown, index: number): UserRule {
    const path: Path = ['rules', index]
    const given = keysOf(value, path, ruleKeys, 'a rule')
    const named = given['name'] ?? `rule ${index + 1}`
    if (typeof named !== 'string' || named === '') fail([...path, 'name'], 'name must be a text')
    if (given['class'] === undefined) fail(path, 'a rule needs a class: MILESTONE, FINDING or ACTIVITY')
    const word = given['class']
    const itsClass = typeof word === 'string' && Object.hasOwn(classes, word.toLowerCase()) ? classes[word.toLowerCase()] : undefined
    if (itsClass === undefined) fail([...path, 'class'], `${quoted(word)} is not a class; use MILESTONE, FINDING or ACTIVITY`)
    const where = given['where'] ?? {}
    if (!isRecord(where)) fail([...path, 'where'], 'where must be a mapping from fields to conditions')
    if (given['where'] !== undefined && Object.keys(where).length === 0) fail([...path, 'where'], 'where is empty; name a field')
    const events = names(given['event'], [...path, 'event'])
    const compiled = {
      verdict: { class: itsClass, rule: named },
      events: events && new Set(events),
      kinds: kindsOf(given['kind'], [...path, 'kind']),
      where: Object.entries(where).flatMap(([key, test]) => conditions(key, test, [...path, 'where', key])),
      text: given['text'] === undefined ? undefined : pattern(given['text'], [...path, 'text']),
    }
    if (compiled.events === undefined && compiled.kinds === undefined && compiled.where.length === 0 && compiled.text === undefined)
      fail(path, 'a rule needs at least one of event, kind, where, text')
    return compiled
  }

  const list = keysOf(root ?? {}, [], ['rules'], 'the file')['rules']
  if (!Array.isArray(list)) fail(['rules'], 'the file needs a list under the key rules')
  return list.map(rule)
}

const comparisons: Record<string, (a: number, b: number) => boolean> = {
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
}

async function sourceOf(text: string): Promise<Source> {
  try {
    return await readYaml(text)
  } catch (error) {
    throw error instanceof DocumentError ? new RulesError(`line ${error.line}: ${error.message}`) : error
  }
}
