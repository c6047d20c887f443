// What the tests of this folder share: recordings in, events and findings out, and records made by hand.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import type { Cause } from '../../model/pen.ts'
import type { Finding } from '../contract.ts'
import { opencode } from './index.ts'

const folder = new URL('../../../fixtures/opencode/', import.meta.url)

/** Paths inside the fixture folder. */
export const pathsIn = (place: string, ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}${name}`)
    .toSorted()
export const runs = pathsIn('1.18.33/run/', '.ndjson')
export const servers = pathsIn('1.18.33/serve/', '.sse.ndjson')

export const jsonFixture = (path: string): unknown => parseJson(readFileSync(new URL(path, folder), 'utf8'))
export const fixture = (path: string): Rec[] =>
  readFileSync(new URL(path, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function decodeAll(records: readonly Rec[], cause?: Cause): Event[] {
  const decoder = opencode.decoder()
  const events = records.flatMap((record, index) => decoder.push(record, { dialect: 'opencode', record: index + 1, offset: 0, length: 0 }))
  return [...events, ...decoder.end(cause)]
}
export const eventsIn = (path: string): Event[] => decodeAll(fixture(path))

export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)

/** Without what is undefined, and without what is the same everywhere. */
export function shortly(event: Event | undefined): Rec {
  const { v: _v, seq: _seq, origin: _origin, session: _session, at: _at, turn: _turn, ...rest } = JSON.parse(JSON.stringify(event)) as Rec
  return rest
}
/** What the source says itself, without what the pen adds. */
export const said = (records: readonly Rec[]): Rec[] =>
  decodeAll(records)
    .filter(({ synthetic }) => synthetic === undefined)
    .map(shortly)
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

// ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = opencode.order()
  const found: Finding[] = []
  const report = (finding: Finding): void => void found.push(finding)
  for (const record of records) {
    const tag = opencode.tag(record)
    if (tag === undefined || !Object.hasOwn(opencode.shapes.checks, tag)) report({ code: 'no-type', severity: 'error', text: String(tag) })
    else if (!opencode.shapes.checks[tag]!(record)) report({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, report)
  }
  order.end(report)
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

/** The stream with what it lacks at its end. */
export function repaired(records: readonly Rec[]): Rec[] {
  const order = opencode.order()
  for (const record of records) order.push(record, opencode.tag(record)!, () => {})
  return [...records, ...order.missing(undefined, undefined)]
}

// ── records by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────

const ids = { sessionID: 's', messageID: 'm' }
export const line = (type: string, fields: Rec): Rec => ({ type, timestamp: 1000, sessionID: 's', ...fields })
export const part = (type: string, fields: Rec = {}): Rec => ({ id: `p-${type}`, ...ids, type, ...fields })
export const stepStart = (messageID = 'm'): Rec => line('step_start', { part: { ...part('step-start'), messageID } })
export const stepFinish = (reason: string, messageID = 'm'): Rec =>
  line('step_finish', { part: { ...part('step-finish', { reason }), messageID } })
export const toolUse = (tool: string, state: Rec, more: Rec = {}): Rec =>
  line('tool_use', { part: part('tool', { tool, callID: 'c', state, ...more }) })

export const told = (type: string, properties: Rec = {}): Rec => ({ id: 'evt_x', type, properties: { sessionID: 's', ...properties } })
export const grown = (type: string, fields: Rec = {}): Rec => told('message.part.updated', { part: part(type, fields), time: 1000 })
export const status = (type: string, more: Rec = {}): Rec => told('session.status', { status: { type, ...more } })
export const userMessage = (id = 'u'): Rec => told('message.updated', { info: { id, role: 'user', sessionID: 's' } })
export const child = (record: Rec, sessionID = 'k'): Rec => {
  const properties = record['properties'] as Rec
  const inner = properties['part'] as Rec | undefined
  return { ...record, properties: { ...properties, sessionID, ...(inner === undefined ? {} : { part: { ...inner, sessionID } }) } }
}
