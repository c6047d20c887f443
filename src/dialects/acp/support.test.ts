// What the tests of this folder share: recordings in, events, records and findings out; and the messages of a small session.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import { encodeAs, only, plain, supportOf, tellSession, type Told, type Written } from '../support.test.ts'
import { acp } from './index.ts'

export { kindsOf, only as allOf, plain, tellSession as tellAll, type Told } from '../support.test.ts'
export const support = supportOf(acp)
export const { namesIn, fixture, decodeAll, findingsOf, codesOf, repaired } = support
export const encodeAll = (events: readonly Event[]): Written => encodeAs(acp, events)
export const agents = ['claude', 'claude-code-acp-0.16', 'codex', 'gemini', 'opencode'] as const

/** The messages of recorded traffic, without who sent them and when. */
export const bare = (records: readonly Rec[]): Rec[] => records.map((record) => (record['message'] ?? record) as Rec)

/** Without what is the same everywhere. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, origin: _origin, session: _session, ...rest } = plain(event)
  return rest
}
/** The one event of this kind. */
export function oneOf<K extends Kind>(events: readonly Event[], kind: K): EventOf<K> {
  const found = only(events, kind)
  if (found.length !== 1) throw new Error(`${found.length} events of kind ${kind}`)
  return found[0]!
}
export const textIn = (events: readonly Event[], kind: 'text.delta' | 'thought.delta'): string =>
  only(events, kind)
    .map(({ text }) => text)
    .join('')

const start: Told = ['turn.start', { trigger: 'prompt' }]
const end: Told = ['turn.end', { reason: 'end_turn' }]
/** What a turn that tells this is written as; `updates` without their frames. */
export function written(...told: Told[]): Written & { updates: Rec[] } {
  const { records, added, lost } = encodeAll(tellSession([start, ...told, end]))
  const unframed = records.map(({ params }) => (params as { update?: Rec } | undefined)?.update)
  return {
    records,
    updates: unframed.filter((found) => found !== undefined),
    added: added.filter((what) => what !== 'session/prompt.id'),
    lost,
  }
}

// ── a small session ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const message = (fields: Rec): Rec => ({ jsonrpc: '2.0', ...fields })
export const ask = (id: unknown, method: string, params: Rec = {}): Rec => message({ id, method, params })
export const answer = (id: unknown, result: unknown): Rec => message({ id, result })
export const fail = (id: unknown, code: number, text: string, data?: unknown): Rec =>
  message({ id, error: { code, message: text, ...(data === undefined ? {} : { data }) } })
export const update = (sessionUpdate: string, fields: Rec = {}, sessionId = 's'): Rec =>
  message({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } })
export const says = (text: string, fields: Rec = {}): Rec => update('agent_message_chunk', { content: { type: 'text', text }, ...fields })
export const prompt = (id: unknown = 2, text = 'go'): Rec => ask(id, 'session/prompt', { sessionId: 's', prompt: [{ type: 'text', text }] })
export const done = (id: unknown = 2, fields: Rec = {}): Rec => answer(id, { stopReason: 'end_turn', ...fields })
export const opening: readonly Rec[] = [
  ask(0, 'initialize', { protocolVersion: 1 }),
  answer(0, { protocolVersion: 1, agentInfo: { name: 'made-up', version: '0.1' } }),
  ask(1, 'session/new', { cwd: '/home/dev/a', mcpServers: [] }),
  answer(1, { sessionId: 's' }),
]
/** The messages of one turn, in a session of their own. */
export const turn = (...records: Rec[]): Rec[] => [...opening, prompt(), ...records, done()]
/** What the messages of a turn become, without its frame. */
export const within = (...records: Rec[]): Event[] => {
  const events = decodeAll(turn(...records))
  const from = opening.length + 1
  return events.filter(({ origin }) => origin !== undefined && origin.record > from && origin.record <= from + records.length)
}
export const tool = (fields: Rec = {}): Rec =>
  update('tool_call', { toolCallId: 'c1', title: 'ls', kind: 'execute', status: 'pending', ...fields })
export const toolUpdate = (fields: Rec): Rec => update('tool_call_update', { toolCallId: 'c1', ...fields })
export const offered = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]
export const mayI = (id: unknown = 0, fields: Rec = {}): Rec =>
  ask(id, 'session/request_permission', {
    sessionId: 's',
    toolCall: { toolCallId: 'c1', title: 'ls', kind: 'execute', status: 'pending', ...fields },
    options: offered,
  })
export const choose = (optionId: string, id: unknown = 0): Rec => answer(id, { outcome: { outcome: 'selected', optionId } })
