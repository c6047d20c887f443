// How aictrl's records are known: a `type` of its list. It is a fork of opencode and shares six names with it, so those
// need `sequenceNum`, a version or the session they came from to be sure.
import { isRecord } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

const own: ReadonlySet<unknown> = new Set([
  'session_start',
  'tool_catalog',
  'session_complete',
  'session_error',
  'message_complete',
  'skill_discovered',
  'skill_loaded',
  'skill_resource_loaded',
  'subagent_start',
  'subagent_complete',
  'permission_rejected',
  'permission_granted',
  'invocation_start',
  'invocation_error',
  'invocation_complete',
  'tool_catalog_error',
])
/** With the key that opencode's record of that name has too. */
const shared: ReadonlyMap<unknown, string> = new Map([
  ['text', 'part'],
  ['reasoning', 'part'],
  ['tool_use', 'part'],
  ['step_start', 'part'],
  ['step_finish', 'part'],
  ['error', 'error'],
])

export const claimer: Claimer = {
  name: 'aictrl',
  title: 'aictrl run --format json',
  claim(record) {
    const { type } = record
    if (typeof type !== 'string') return 0
    if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
    const stamped = typeof record['sessionID'] === 'string' && typeof record['timestamp'] === 'number'
    if (own.has(type)) return stamped || typeof record['schemaVersion'] === 'string' ? 1 : 0.9
    const key = shared.get(type)
    if (key === undefined) return stamped ? 0.3 : 0
    if (!isRecord(record[key])) return 0
    if (
      typeof record['sequenceNum'] === 'number' ||
      typeof record['schemaVersion'] === 'string' ||
      typeof record['sourceSessionID'] === 'string'
    )
      return 1
    return stamped ? 0.6 : 0.5
  },
  version: (record) => (typeof record['schemaVersion'] === 'string' ? record['schemaVersion'] : undefined),
}
