// How opencode's records are known. A server event has a dotted `type` and `properties`. A line of `opencode run` could as well
// be aictrl's, which is a fork: that one numbers its text and tools, or says its version, so a line without either is
// opencode's by all odds.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

const families: ReadonlySet<string> = new Set([
  'session',
  'message',
  'permission',
  'question',
  'todo',
  'file',
  'server',
  'plugin',
  'catalog',
  'reference',
  'integration',
])
const numbered: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool_use'])
const plain: ReadonlySet<unknown> = new Set(['step_start', 'step_finish'])
const isSession = (id: unknown): boolean => typeof id === 'string' && /^ses_[0-9A-Za-z]{20,40}$/.test(id)

function claim(record: Rec): number {
  const { type } = record
  if (typeof type !== 'string') return 0
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  const dot = type.indexOf('.')
  if (dot > 0) return !isRecord(record['properties']) ? 0 : families.has(type.slice(0, dot)) ? 1 : 0.7
  if (!isSession(record['sessionID']) || typeof record['timestamp'] !== 'number') return 0
  if ('sequenceNum' in record || 'schemaVersion' in record || 'sourceSessionID' in record) return 0
  if (type === 'error') return isRecord(record['error']) ? 0.7 : 0
  if (!isRecord(record['part'])) return 0
  return numbered.has(type) ? 0.8 : plain.has(type) ? 0.7 : 0
}

/** The program's version: servers tell it with each session. */
function version({ type, properties }: Rec): string | undefined {
  if (type !== 'session.created' && type !== 'session.updated') return undefined
  const info = isRecord(properties) ? properties['info'] : undefined
  return isRecord(info) && typeof info['version'] === 'string' ? info['version'] : undefined
}

export const claimer: Claimer = { name: 'opencode', title: 'opencode run --format json and server events', claim, version }
