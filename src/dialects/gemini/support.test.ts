// What the tests of this folder share: fixtures in, events and findings out, and records made by hand.
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { plain, supportOf } from '../support.test.ts'
import { gemini } from './index.ts'

export { kindsOf, only } from '../support.test.ts'
export const support = supportOf(gemini)
export const { namesIn, fixture, decodeAll, findingsOf, repaired } = support

/** Killed: an end is missing. */
export const cutShort = ['h-429.ndjson', 'r-sigint.ndjson', 'r-sigterm.ndjson']

/** The kind and its own fields, with lane, message and call, without what every event has. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, at: _at, session: _session, turn: _turn, origin: _origin, raw: _raw, ...rest } = event
  return plain(rest)
}

/** `?` after a warning. */
export const codesOf = (...records: Rec[]): string[] =>
  findingsOf(records).map(({ code, severity }) => (severity === 'warn' ? `${code}?` : code))

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
