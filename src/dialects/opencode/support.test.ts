// What the tests of this folder share: recordings in, events and findings out, and records made by hand.
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { supportOf } from '../support.test.ts'
import { opencode } from './index.ts'

export { kindsOf, only } from '../support.test.ts'
export const support = supportOf(opencode)
export const { namesIn, fixture, jsonFixture, decodeAll, eventsIn, findingsOf, codesOf, repaired } = support
export const runs = namesIn('1.18.33/run/', '.ndjson')
export const servers = namesIn('1.18.33/serve/', '.sse.ndjson')

/** Killed: an end is missing. */
export const cutShort = ['1.18.33/run/h-400-context.ndjson', '1.18.33/run/r-sigterm.ndjson']

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
