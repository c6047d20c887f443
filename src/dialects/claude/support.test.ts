// What the tests of this folder share: fixtures in, events, records and findings out.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { encodeAs, plain, supportOf, tellAll, type Told, type Written } from '../support.test.ts'
import { claude } from './index.ts'

export { kindsOf, only, plain, tellAll, type Told } from '../support.test.ts'
export const support = supportOf(claude, 'agent')
export const { fixture, decodeSides: decodeBoth, decodeAll, eventsIn, findingsOf, repaired } = support
export const encodeAll = (events: readonly Event[], live = false): Written => encodeAs(claude, events, live)

/** Paths inside the fixture folder, by a part of their name. */
export const recordings = (part = ''): string[] =>
  readdirSync(support.folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^\d.*\.(ndjson|jsonl|json)$/.test(path) && path.includes(part))
    .toSorted()

/** They end early. */
export const cutShort = [
  '1.0.128/r-sigint.ndjson',
  '1.0.128/r-sigterm.ndjson',
  '2.0.76/r-sigterm.ndjson',
  '2.1.325/h-401-forever.ndjson',
  '2.1.325/r-sigterm.ndjson',
  '2.1.325/t-permission-never-answered.ndjson',
]

export const isTranscript = (path: string): boolean => path.includes('.session/')
export const isStdin = (path: string): boolean => path.includes('.stdin.')

/** The kind and its own fields, with lane, call and place in the message, without what every event has. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, at: _at, session: _session, run: _run, turn: _turn, origin: _origin, clock: _clock, ext, ...rest } = event
  return plain({ ...rest, ext })
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the encoder makes of such events: legal, and with known keys only. */
export function written(events: readonly Told[], live = false): Written {
  const all = encodeAll(tellAll(events), live)
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
