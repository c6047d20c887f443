// What the tests of this folder share: fixtures in, events and findings out, records by hand.
import type { Rec } from '../../base/json.ts'
import type { Event, Kind } from '../../model/event.ts'
import { plain, supportOf } from '../support.test.ts'
import { codex } from './index.ts'

export { kindsOf, only, plain } from '../support.test.ts'
export const support = supportOf(codex)
export const { namesIn, fixture, decodeAll, eventsIn, codesOf, repaired } = support

export const execRuns = namesIn('exec/', '.ndjson')
export const rollouts = namesIn('exec/', '.rollout.jsonl')
export const stdins = namesIn('app-server/', '.stdin.ndjson')
export const traffics = namesIn('app-server/', '.traffic.ndjson')
export const stdouts = namesIn('app-server/', '.ndjson').filter((path) => !/\.(stdin|traffic)\./.test(path))
export const all = [...execRuns, ...rollouts, ...stdouts, ...stdins, ...traffics]

/** Killed: their last turn has no end. */
export const cutShort = ['exec/r-sigint.ndjson', 'exec/r-sigterm.ndjson', 'exec/r-sigterm.rollout.jsonl']

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
