// What the tests of this folder share: recordings in, events, records and findings out; and the messages of a small session.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec, stringifyJson } from '../../base/json.ts'
import type { Event, EventOf, Kind, Payload, Place } from '../../model/event.ts'
import { createPen } from '../../model/pen.ts'
import type { Finding } from '../contract.ts'
import { acp } from './index.ts'

const folder = new URL('../../../fixtures/acp/', import.meta.url)
export const agents = ['claude', 'claude-code-acp-0.16', 'codex', 'gemini', 'opencode'] as const
export const namesIn = (place: string, ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}${name}`)
const recordsIn = (text: string): Rec[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)
export const fixture = (name: string): Rec[] => recordsIn(readFileSync(new URL(name, folder), 'utf8'))
export const jsonFixture = (name: string): unknown => parseJson(readFileSync(new URL(name, folder), 'utf8'))

/** The messages of recorded traffic, without who sent them and when. */
export const bare = (records: readonly Rec[]): Rec[] => records.map((record) => (record['message'] ?? record) as Rec)

/** As it would be read again, to the last digit. */
export const plain = <T>(value: T): T => parseJson(stringifyJson(value)) as T

export function decodeAll(records: readonly Rec[]): Event[] {
  const decoder = acp.decoder()
  const events = records.flatMap((record, index) => decoder.push(record, { dialect: 'acp', record: index + 1, offset: 0, length: 0 }))
  return [...events, ...decoder.end()]
}

/** Without what is the same everywhere. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, origin: _origin, session: _session, ...rest } = plain(event)
  return rest
}
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))
export const allOf = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)
/** The one event of this kind. */
export function oneOf<K extends Kind>(events: readonly Event[], kind: K): EventOf<K> {
  const found = allOf(events, kind)
  if (found.length !== 1) throw new Error(`${found.length} events of kind ${kind}`)
  return found[0]!
}
export const textIn = (events: readonly Event[], kind: 'text.delta' | 'thought.delta'): string =>
  allOf(events, kind)
    .map(({ text }) => text)
    .join('')

type Written = { records: Rec[]; added: string[]; lost: string[] }

/** Records as they would stand on the wire, with `synthetic` where the encoder says so. */
export function encodeAll(events: readonly Event[]): Written {
  const written: Written = { records: [], added: [], lost: [] }
  const encoder = acp.encoder({
    write: (record, synthetic) => void written.records.push(plain(synthetic === undefined ? record : { ...record, synthetic })),
    added: (what) => void written.added.push(what),
    lost: (event, field, how = 'drop') => void written.lost.push(`${event.kind}${field === undefined ? '' : `.${field}`} ${how}`),
  })
  for (const event of events) if (acp.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return written
}

/** Shape and order, with the codes that `validate` has for what is no rule of the dialect. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = acp.order()
  const found: Finding[] = []
  const report = (finding: Finding): void => void found.push(finding)
  for (const record of records) {
    const tag = acp.tag(record)
    if (tag === undefined) report({ code: 'no-type', severity: 'error', text: '' })
    else if (!Object.hasOwn(acp.shapes.checks, tag)) report({ code: 'unknown-type', severity: 'warn', text: tag })
    else if (!acp.shapes.checks[tag]!(record)) report({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, report)
  }
  order.end(report)
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

/** Events of some other source, written by hand: [kind, payload, place]. */
export type Told = { [K in Kind]: readonly [kind: K, payload: Payload<K>, place?: Place] }[Kind]

export function tellAll(told: readonly Told[]): Event[] {
  const pen = createPen()
  const events = told.flatMap(([kind, payload, place], index) => {
    pen.begin({ dialect: 'other', record: index + 1, offset: 0, length: 0 })
    const { at, session, ...rest } = { session: 's', ...place }
    pen.common({ at, session })
    pen.emit(kind, payload as Payload<Kind>, rest) // kind and payload come from one tuple
    return pen.take()
  })
  pen.end()
  return [...events, ...pen.take()]
}

const start: Told = ['turn.start', { trigger: 'prompt' }]
const end: Told = ['turn.end', { reason: 'end_turn' }]
/** What a turn that tells this is written as; `updates` without their frames. */
export function written(...told: Told[]): Written & { updates: Rec[] } {
  const { records, added, lost } = encodeAll(tellAll([start, ...told, end]))
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
