// Which record this is, and how sure we are that it is Claude's at all.
import type { Rec } from '../../base/json.ts'
import { isRecord } from '../../base/json.ts'
import * as shapes from './shapes.gen.js'

// `type` → `subtype` → tag, so that the hot path joins no strings.
const bySubtype: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  system: subtypesOf('system'),
  result: subtypesOf('result'),
  control_request: subtypesOf('control_request'),
}

function subtypesOf(type: string): ReadonlyMap<string, string> {
  const tags = Object.keys(shapes.checks).filter((tag) => tag.startsWith(`${type}/`))
  return new Map(tags.map((tag) => [tag.slice(type.length + 1), tag]))
}

export function tag(record: Rec): string | undefined {
  const type = record['type']
  if (typeof type !== 'string') return undefined
  if (type !== 'system' && type !== 'result' && type !== 'control_request') return type
  const request = record['request']
  const subtype = type !== 'control_request' ? record['subtype'] : isRecord(request) ? request['subtype'] : undefined
  if (typeof subtype !== 'string') return type
  // A result or request of a new subtype is still one; a new system subtype may mean anything.
  return bySubtype[type]!.get(subtype) ?? (type === 'system' ? `system/${subtype}` : type)
}

/** Types that only Claude writes. `user`, `assistant`, `system`, `result` and `error` are common words among agents. */
const ownTypes: ReadonlySet<string> = new Set([
  'control_request', 'control_response', 'control_cancel_request', 'stream_event', 'rate_limit_event', 'tool_progress', 'prompt_suggestion',
  'tool_use_summary', 'conversation_reset', 'command_lifecycle', 'queue-operation', 'atis-latch', 'cost-state', 'last-prompt', 'tools-used',
  'api-request', 'api-request-shape', 'api-request-blob', 'file-history-snapshot', 'transcript_mirror',
])

export function claim(record: Rec): number {
  const type = record['type']
  if (typeof type !== 'string') return 0
  if (ownTypes.has(type)) return 1
  const known = tag(record)!
  if (!Object.hasOwn(shapes.checks, known)) return type === 'system' && typeof record['subtype'] === 'string' ? 0.5 : 0
  switch (type) {
    case 'user':
    case 'assistant':
      return isRecord(record['message']) && 'content' in record['message'] ? 1 : 0
    case 'system':
      return 1
    case 'result':
      return typeof record['subtype'] === 'string' || typeof record['is_error'] === 'boolean' ? 1 : 0.2
    default:
      return typeof record['session_id'] === 'string' || typeof record['sessionId'] === 'string' ? 1 : 0.5
  }
}

export function version(record: Rec): string | undefined {
  const told = record['claude_code_version'] ?? (typeof record['sessionId'] === 'string' ? record['version'] : undefined)
  return typeof told === 'string' ? told : undefined
}
