// What the tests of this folder share: fixtures in, events and findings out, and records made by hand.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import type { Finding } from '../contract.ts'
import { gemini } from './index.ts'

const folder = new URL('../../../fixtures/gemini/', import.meta.url)
export const namesIn = (place: string, ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .toSorted()
export const jsonFixture = (name: string): unknown => parseJson(readFileSync(new URL(name, folder), 'utf8'))
export const fixture = (name: string): Rec[] =>
  name.endsWith('.json')
    ? [jsonFixture(name) as Rec]
    : readFileSync(new URL(name, folder), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parseJson(line) as Rec)

export function decodeAll(records: readonly Rec[]): Event[] {
  const decoder = gemini.decoder()
  const events = records.flatMap((record, index) => decoder.push(record, { dialect: 'gemini', record: index + 1, offset: 0, length: 0 }))
  return [...events, ...decoder.end()]
}

export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)

/** Kinds in order, `*` for what sluice added. */
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

/** The kind and its own fields, with lane, message and call, without what every event has. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, at: _at, session: _session, turn: _turn, origin: _origin, raw: _raw, ...rest } = event
  return plain(rest)
}

const plain = (value: Rec): Rec => JSON.parse(JSON.stringify(value)) as Rec

/** Codes of all findings, `?` after a warning, and the stream with what was missing. */
export function judge(records: readonly Rec[]): { codes: string[]; repaired: Rec[] } {
  const codes: string[] = []
  const repaired: Rec[] = []
  const order = gemini.order()
  const report = ({ code, severity }: Pick<Finding, 'code' | 'severity'>): void => void codes.push(severity === 'warn' ? `${code}?` : code)
  const add = (next: Rec | undefined, tag: string | undefined): void =>
    void repaired.push(...order.missing(next, tag).map((record) => ({ ...plain(record), synthetic: 'repair' })))
  for (const record of records) {
    const tag = gemini.tag(record)
    const known = tag !== undefined && gemini.shapes.checks[tag]?.(record) === true
    if (known) add(record, tag)
    repaired.push(record)
    if (known) order.push(record, tag, report)
    else report({ code: tag === undefined ? 'no-type' : 'shape', severity: 'error' })
  }
  add(undefined, undefined)
  order.end(report)
  return { codes, repaired }
}

// ── records by hand ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const timestamp = '2026-11-15T20:05:39.929Z'
export const init: Rec = { type: 'init', timestamp, session_id: 's', model: 'm' }
export const asked: Rec = { type: 'message', timestamp, role: 'user', content: 'Do the task' }
export const said = (content: string): Rec => ({ type: 'message', timestamp, role: 'assistant', content, delta: true })
export const use = (tool_id: string, tool_name = 'run_shell_command', parameters: unknown = {}): Rec => ({
  type: 'tool_use',
  timestamp,
  tool_name,
  tool_id,
  parameters,
})
export const gave = (tool_id: string, fields: Rec = {}): Rec => ({ type: 'tool_result', timestamp, tool_id, status: 'success', ...fields })
export const trouble = (severity: string, message: string): Rec => ({ type: 'error', timestamp, severity, message })
export const ended = (fields: Rec = {}): Rec => ({ type: 'result', timestamp, status: 'success', ...fields })

export const header: Rec = { sessionId: 's', projectHash: 'p', startTime: timestamp, lastUpdated: timestamp, kind: 'main' }
export const line = (type: string, id: string, content: unknown, fields: Rec = {}): Rec => ({ id, timestamp, type, content, ...fields })
export const answered = (id: string, response: Rec, name = 'run_shell_command'): Rec => ({ functionResponse: { id, name, response } })
export const listed = (id: string, response: Rec, fields: Rec = {}, name = 'run_shell_command'): Rec => ({
  id,
  name,
  args: {},
  result: [answered(id, response, name)],
  status: 'success',
  timestamp,
  ...fields,
})
