// Asks a user's rules about an event: the first that matches decides. A pattern is searched in a text as it grows, so a match over
// several pieces is found, in the piece that completes it, once.
import { isRawJson, isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import type { Verdict } from './classes.ts'
import type { Pattern, UserRules } from './rules.ts'
import { commandIn, commandOf } from './subject.ts'

const mostLanes = 1024
/** So much of the text before a piece is searched again with it. */
const kept = 1024
/** So many matches in what came before are passed over: to find each may take a look at the whole text. */
const mostPassed = 16

/** A text in pieces: its end, the length of all before that, and up to where each rule has told of it. */
type Growing = { message: string | undefined; tail: string; before: number; told: number[] }

export function createMatcher(rules: UserRules, nameOf: ((record: Rec) => string | undefined) | undefined) {
  const growing = new Map<string, Growing>()
  const usesText = rules.some(({ text }) => text !== undefined)

  function textOf(event: Event, record: Rec | undefined): { text: string; open: Growing | undefined } | undefined {
    if (!usesText) return undefined
    const text = searchable(event, record)
    if (text === undefined) return undefined
    return { text, open: isPiece(event) ? open(event) : undefined }
  }

  function open({ kind, session = '', agent = '', message }: Event): Growing {
    const key = `${kind}\n${session}\n${agent}`
    const known = growing.get(key)
    if (known !== undefined && known.message === message) return known
    if (growing.size >= mostLanes) growing.delete(growing.keys().next().value!)
    const fresh = { message, tail: '', before: 0, told: rules.map(() => 0) }
    growing.set(key, fresh)
    return fresh
  }

  return (event: Event, record: Rec | undefined): Verdict | undefined => {
    const source = lazily(() => record ?? recordIn(event))
    const name = record !== undefined && nameOf !== undefined ? nameOf(record) : event.kind === 'raw' ? event.type : undefined
    const said = textOf(event, record)
    const verdict = rules.find(({ events, kinds, where, text }, index) => {
      if (kinds !== undefined && !kinds.has(event.kind)) return false
      if (events !== undefined && (name === undefined || !events.has(name))) return false
      const fields = where.length === 0 ? undefined : events === undefined ? event : source()
      if (!where.every(({ path, holds }) => holds(valueAt(fields, path)))) return false
      return text === undefined || (said !== undefined && isNew(text, said.text, said.open, index))
    })?.verdict
    if (said?.open !== undefined) grow(said.open, said.text)
    return verdict
  }
}

/** Whether a match ends in this text, not in what came before it. */
function isNew(find: Pattern, text: string, open: Growing | undefined, rule: number): boolean {
  if (open === undefined) return find(text, 0) !== undefined
  const { tail, before } = open
  const joined = tail + text
  let passed = 0
  const first = before === 0 ? 0 : 1 // where the beginning was let go, no pattern finds the beginning of the text
  for (let from = Math.max(first, open.told[rule]! - before); from <= joined.length;) {
    const match = find(joined, from)
    if (match === undefined) return false
    from = Math.max(match.end, from + 1)
    if (match.end <= tail.length && ++passed === mostPassed) from = tail.length
    open.told[rule] = before + from
    if (match.end > tail.length) return true
  }
  return false
}

function grow(open: Growing, text: string): void {
  const joined = open.tail + text
  open.tail = joined.slice(-kept)
  open.before += joined.length - open.tail.length
}

const isPiece = (event: Event): boolean =>
  event.kind === 'text.delta' || event.kind === 'thought.delta' || (event.kind === 'prompt.submit' && event.partial === true)

/** What a pattern is searched in: what the event says, as a person would read it. Texts whose pieces were told are not said again. */
function searchable(event: Event, record: Rec | undefined): string | undefined {
  switch (event.kind) {
    case 'text.end':
    case 'thought.end':
      return event.streamed ? undefined : event.text
    case 'tool.start':
      return together(event.name, event.title, commandOf(event))
    case 'tool.update': // in many streams the command comes after its call
      return commandIn(event)
    case 'tool.end':
    case 'task.end':
      return event.text ?? event.error?.text
    case 'permission.request':
      return together(event.question, commandIn(event))
    case 'question.request':
      return together(...event.questions.map(({ text }) => text))
    case 'raw':
    case 'issue':
      return event.raw ?? (record && stringifyJson(record))
    case 'error':
    case 'retry.start':
      return event.error?.text
  }
  return 'text' in event ? event.text : undefined
}

const together = (...parts: (string | undefined)[]): string => parts.filter((part) => part !== undefined).join('\n')

function recordIn({ raw }: Event): unknown {
  try {
    return raw === undefined ? undefined : parseJson(raw)
  } catch {
    return undefined
  }
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const key of path) {
    if (!(isRecord(value) || Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined
    value = (value as Rec)[key]
  }
  return isRawJson(value) ? Number((value as { rawJSON: string }).rawJSON) : value // as the rules' own numbers are read
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
