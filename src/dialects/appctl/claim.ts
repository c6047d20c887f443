// How appctl's records are known: a `kind` of its list. sluice's own events have `kind` too; `seq` tells them apart.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

const kinds: ReadonlySet<unknown> = new Set([
  'user_prompt',
  'assistant_delta',
  'assistant_message',
  'assistant_thought_delta',
  'assistant_thought',
  'tool_call',
  'awaiting_input',
  'tool_result',
  'error',
  'session_state',
  'context_notice',
  'done',
])

export const claimer: Claimer = {
  name: 'appctl',
  title: 'appctl AgentEvent stream',
  claim(record) {
    const { kind, events } = record
    if (Array.isArray(events) && kind === undefined) return claimOfBody(record, events)
    if (typeof kind !== 'string' || record['seq'] !== undefined) return 0
    if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
    return kinds.has(kind) ? 1 : 0.3
  },
}

/** Of a body of `POST /run`: all its events in one record. */
function claimOfBody(record: Rec, events: readonly unknown[]): number {
  const [first] = events
  if (first === undefined) return typeof record['session_id'] === 'string' && ('result' in record || 'error' in record) ? 0.9 : 0
  return isRecord(first) ? claimer.claim(first) : 0
}
