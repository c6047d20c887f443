// What the tests of this folder share: fixtures in, events and findings out, records by hand.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind, Origin } from '../../model/event.ts'
import type { Finding } from '../contract.ts'
import { codex } from './index.ts'

const folder = new URL('../../../fixtures/codex/', import.meta.url)

/** Paths inside the fixture folder. */
export const recordings = (place: 'exec' | 'app-server', ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}/${name}`)
    .toSorted()

export const execRuns = recordings('exec', '.ndjson')
export const rollouts = recordings('exec', '.rollout.jsonl')
export const stdins = recordings('app-server', '.stdin.ndjson')
export const traffics = recordings('app-server', '.traffic.ndjson')
export const stdouts = recordings('app-server', '.ndjson').filter((path) => !/\.(stdin|traffic)\./.test(path))
export const all = [...execRuns, ...rollouts, ...stdouts, ...stdins, ...traffics]

export const jsonFixture = (path: string): unknown => parseJson(readFileSync(new URL(path, folder), 'utf8'))
export const fixture = (path: string): Rec[] =>
  readFileSync(new URL(path, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function decodeAll(records: readonly Rec[], from?: Origin['from']): Event[] {
  const decoder = codex.decoder()
  const events = records.flatMap((record, index) =>
    decoder.push(record, { dialect: 'codex', from, record: index + 1, offset: 0, length: 0 }),
  )
  return [...events, ...decoder.end()]
}
export const eventsIn = (path: string): Event[] => decodeAll(fixture(path))

export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)

/** Kinds in order, `*` for what sluice added. */
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The kind and its own fields, with lane and call, without what every event has. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, session: _session, turn: _turn, origin: _origin, ...rest } = plain(event)
  return rest
}
/** All events of a kind, in short. */
export const told = (records: readonly Rec[], kind: Kind): Rec[] =>
  decodeAll(records)
    .filter((event) => event.kind === kind)
    .map(shortly)

// ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Shape and order. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = codex.order()
  const found: Finding[] = []
  const report = (finding: Finding): void => void found.push(finding)
  for (const record of records) {
    const tag = codex.tag(record) ?? ''
    if (codex.shapes.checks[tag]?.(record) !== true) report({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, report)
  }
  order.end(report)
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

// ── records by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const thread: Rec = { type: 'thread.started', thread_id: 't' }
export const turn: Rec = { type: 'turn.started' }
export const done: Rec = { type: 'turn.completed', usage: null }
export const item = (phase: 'started' | 'updated' | 'completed', type: string, fields: Rec = {}): Rec => ({
  type: `item.${phase}`,
  item: { id: 'item_0', type, ...fields },
})

export const notify = (method: string, params: Rec = {}): Rec => ({ method, params: { threadId: 't', turnId: '1', ...params } })
export const ask = (id: number, method: string, params: Rec): Rec => ({ id, method, params: { threadId: 't', turnId: '1', ...params } })
export const serverItem = (phase: 'started' | 'completed', type: string, fields: Rec = {}, threadId = 't'): Rec =>
  notify(`item/${phase}`, { threadId, item: { id: 'c', type, ...fields } })
export const starts = (threadId = 't', id = '1', rootTurnId = id): Rec =>
  notify('turn/started', { threadId, turn: { id, rootTurnId, items: [], status: 'inProgress' } })
export const ends = (status = 'completed', more: Rec = {}, threadId = 't', id = '1'): Rec =>
  notify('turn/completed', { threadId, turn: { id, items: [], status, error: null, ...more } })

export const line = (type: string, payload: Rec): Rec => ({ timestamp: '2026-11-15T20:03:13.043Z', type, payload })
export const response = (type: string, fields: Rec): Rec => line('response_item', { type, ...fields })
export const event = (type: string, fields: Rec = {}): Rec => line('event_msg', { type, ...fields })
export const meta = (fields: Rec = {}): Rec => line('session_meta', { id: 't', ...fields })
