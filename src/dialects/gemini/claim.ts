// How Gemini CLI's records are known. `message`, `error`, `result` and `user` are common words among agents: a claim rests on the
// keys that go with them, and on times as text.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'
import { tag } from './tag.ts'

const has = (record: Rec, ...keys: readonly string[]): boolean => keys.every((key) => typeof record[key] === 'string')

function claim(record: Rec): number {
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  switch (tag(record)) {
    case 'init':
      return has(record, 'session_id', 'timestamp') ? (has(record, 'model') ? 1 : 0.8) : has(record, 'timestamp') ? 0.6 : 0
    case 'message':
      return has(record, 'role', 'content', 'timestamp') ? 1 : 0
    case 'tool_use':
      return has(record, 'tool_name', 'tool_id') ? 1 : 0
    case 'tool_result':
      return has(record, 'tool_id', 'status') ? 1 : 0
    case 'error':
      return has(record, 'severity', 'message', 'timestamp') ? 1 : 0
    case 'result':
      return has(record, 'status', 'timestamp') && record['subtype'] === undefined ? (isRecord(record['stats']) ? 1 : 0.8) : 0
    case 'output':
      return isRecord(record['stats']) && isRecord(record['stats']['models']) ? 1 : 0.5
    case 'gemini':
      return has(record, 'id') ? 1 : 0
    case 'user':
    case 'info':
    case 'warning':
    case 'error/chat':
      return has(record, 'id', 'timestamp') && 'content' in record && record['message'] === undefined ? 0.9 : 0
    case '$set':
    case '$rewindTo':
    case 'header':
    case 'conversation':
      return 1
    default:
      return 0
  }
}

export const claimer: Claimer = { name: 'gemini', title: 'Gemini CLI stream-json, json and chat files', claim }
