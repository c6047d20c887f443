// How Copilot's records are known: by their envelope. Only `result` has none, and other agents use that word too, so there the
// session's id and the exit code must stand beside it.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

/** What a type begins with, up to its point. */
const families: ReadonlySet<string> = new Set([
  'session',
  'user',
  'assistant',
  'model',
  'tool',
  'external_tool',
  'subagent',
  'permission',
  'user_input',
  'elicitation',
  'skill',
  'hook',
  'system',
  'agent',
  'abort',
])

function claim(record: Rec): number {
  const { type, data, id, timestamp } = record
  if (typeof type !== 'string') return 0
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  if (type === 'result') return typeof record['sessionId'] === 'string' && typeof record['exitCode'] === 'number' ? 1 : 0
  if (!isRecord(data)) return 0
  const point = type.indexOf('.')
  const isOwn = families.has(point === -1 ? type : type.slice(0, point))
  if (typeof id === 'string' && typeof timestamp === 'string' && 'parentId' in record) return isOwn ? 1 : 0.9
  return !isOwn ? 0 : typeof timestamp === 'string' ? 0.9 : 0.6
}

/** A session file says in its first line which version wrote it. */
function version({ type, data }: Rec): string | undefined {
  const told = type === 'session.start' && isRecord(data) ? data['copilotVersion'] : undefined
  return typeof told === 'string' ? told : undefined
}

export const claimer: Claimer = { name: 'copilot', title: 'GitHub Copilot CLI JSON output and session files', claim, version }
