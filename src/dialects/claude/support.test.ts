// What the tests of this folder share: fixtures in, events, records and findings out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind, Payload, Place } from '../../model/event.ts'
import { createPen, type PenOptions } from '../../model/pen.ts'
import type { Finding } from '../contract.ts'
import { claude } from './index.ts'

const folder = new URL('../../../fixtures/claude/', import.meta.url)

/** Paths inside the fixture folder, by a part of their name. */
export const recordings = (part = ''): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^\d.*\.(ndjson|jsonl|json)$/.test(path) && path.includes(part))
    .toSorted()

export function fixture(path: string): Rec[] {
  const text = readFileSync(new URL(path, folder), 'utf8')
  if (path.endsWith('.json')) return [parseJson(text)].flat() as Rec[]
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)
}

export const isTranscript = (path: string): boolean => path.includes('.session/')
export const isStdin = (path: string): boolean => path.includes('.stdin.')

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Side = 'agent' | 'host'

/** Both sides of a two-way run in one stream. */
export function decodeBoth(records: readonly (readonly [Rec, Side])[]): Event[] {
  const decoder = claude.decoder()
  const events = records.flatMap(([record, from], index) =>
    decoder.push(record, { dialect: 'claude', from, record: index + 1, line: index + 1, offset: 0, length: 0 }),
  )
  return [...events, ...decoder.end()]
}
export const decodeAll = (records: readonly Rec[]): Event[] => decodeBoth(records.map((record) => [record, 'agent']))
export const eventsIn = (path: string): Event[] => decodeAll(fixture(path))

export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)

/** Kinds in order, `*` for what sluice added. */
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The kind and its own fields, with lane, call and place in the message, without what every event has. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, at: _at, session: _session, run: _run, turn: _turn, origin: _origin, clock: _clock, ext, ...rest } = event
  return plain({ ...rest, ext })
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Written = { records: Rec[]; added: string[]; lost: string[] }

export function encodeAll(events: readonly Event[]): Written {
  const written: Written = { records: [], added: [], lost: [] }
  const encoder = claude.encoder({
    write: (record, synthetic) => void written.records.push(plain(synthetic === undefined ? record : { ...record, synthetic })),
    added: (what) => void written.added.push(what),
    lost: (event, field, how = 'drop') => void written.lost.push(`${event.kind}${field === undefined ? '' : `.${field}`} ${how}`),
  })
  for (const event of events) if (claude.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return written
}

/** Events of some other source, written by hand: [kind, payload, place]. */
export type Told = { [K in Kind]: readonly [kind: K, payload: Payload<K>, place?: Place] }[Kind]

export function tellAll(told: readonly Told[], options?: PenOptions): Event[] {
  const pen = createPen(options)
  told.forEach(([kind, payload, place], index) => {
    pen.begin({ dialect: 'other', from: 'agent', record: index + 1, line: index + 1, offset: 0, length: 0 })
    pen.emit(kind, payload as never, place) // a tuple's kind and payload belong together
  })
  pen.begin(undefined)
  pen.end()
  return pen.take()
}

/** What the encoder makes of such events: legal, and with known keys only. */
export function written(events: readonly Told[]): Written {
  const all = encodeAll(tellAll(events))
  assert.deepEqual(codesOf(all.records), [])
  for (const record of all.records) {
    const known = claude.shapes.keys[claude.tag(record)!]!
    assert.deepEqual(
      Object.keys(record).filter((key) => !known.has(key)),
      [],
    )
  }
  return all
}

/** Tags in order; the inner type of a stream event. */
export const typesOf = (records: readonly Rec[]): string[] =>
  records.map((record) => (record['type'] === 'stream_event' ? String((record['event'] as Rec)['type']) : String(claude.tag(record))))

export const contentOf = (record: Rec): Rec[] => (record['message'] as Rec)['content'] as Rec[]

// ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Shape and order. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = claude.order()
  const found: Finding[] = []
  for (const record of records) {
    const tag = claude.tag(record) ?? ''
    if (claude.shapes.checks[tag]?.(record) !== true) found.push({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, (finding) => void found.push(finding))
  }
  order.end((finding) => void found.push(finding))
  return found
}
export const codesOf = (records: readonly Rec[]): string[] =>
  findingsOf(records).map(({ code, severity }) => (severity === 'warn' ? `${code}?` : code))

// ── records by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const id = { session_id: 's1', uuid: 'u1' }
export const init: Rec = { type: 'system', subtype: 'init', ...id, tools: [], model: 'm' }
export const said = (message: string, ...content: Rec[]): Rec => ({
  type: 'assistant',
  message: { id: message, content },
  parent_tool_use_id: null,
  ...id,
})
export const text = (words: string): Rec => ({ type: 'text', text: words })
export const use = (call: string, name = 'Read', input: unknown = {}): Rec => ({
  type: 'tool_use',
  id: call,
  name,
  input,
})
export const told = (...content: Rec[]): Rec => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  ...id,
})
export const gave = (call: string, content: unknown = 'ok', more: Rec = {}): Rec => ({
  type: 'tool_result',
  tool_use_id: call,
  content,
  ...more,
})
export const ended = (more: Rec = {}): Rec => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'done',
  ...id,
  ...more,
})
export const raw = (event: Rec, more: Rec = {}): Rec => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: null,
  ...id,
  ...more,
})
