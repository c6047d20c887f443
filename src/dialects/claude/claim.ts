// How Claude's records are known. `user`, `assistant`, `result` and `system` are common words among agents, so those must
// also look like Claude's; the other types are its own.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

const ownTypes: ReadonlySet<string> = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'stream_event',
  'rate_limit_event',
  'tool_progress',
  'prompt_suggestion',
  'tool_use_summary',
  'conversation_reset',
  'command_lifecycle',
  'keep_alive',
  'auth_status',
  'transcript_mirror',
  'active_goal',
  'queue-operation',
  'atis-latch',
  'cost-state',
  'last-prompt',
  'tools-used',
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'file-history-snapshot',
  'permission-mode',
  'custom-title',
  'ai-title',
])
/** Words that only count beside a `sessionId`. */
const transcriptTypes: ReadonlySet<string> = new Set(['attachment', 'mode', 'summary', 'progress'])

function claim(record: Rec): number {
  const type = record['type']
  if (typeof type !== 'string') return 0
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  if (ownTypes.has(type)) return 1
  const named = typeof record['session_id'] === 'string' || typeof record['sessionId'] === 'string'
  switch (type) {
    case 'user':
    case 'assistant':
      return isRecord(record['message']) && 'content' in record['message'] ? 1 : named ? 0.5 : 0
    case 'system':
      return typeof record['subtype'] === 'string' ? (named ? 1 : 0.8) : 0
    case 'result':
      return typeof record['subtype'] === 'string' ? 1 : typeof record['is_error'] === 'boolean' ? 0.8 : 0
    default:
      return transcriptTypes.has(type)
        ? typeof record['sessionId'] === 'string'
          ? 1
          : type === 'summary' && 'leafUuid' in record
            ? 1
            : 0.2
        : 0
  }
}

/** The program's version: in an init, and on the conversation records of a transcript. */
function version(record: Rec): string | undefined {
  const told = record['claude_code_version'] ?? (typeof record['sessionId'] === 'string' ? record['version'] : undefined)
  return typeof told === 'string' ? told : undefined
}

export const claimer: Claimer = { name: 'claude', title: 'Claude Code stream-json and transcripts', claim, version }
