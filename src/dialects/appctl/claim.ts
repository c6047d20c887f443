// How appctl's records are known: a `kind` of its list. sluice's own events have `kind` too; `seq` tells them apart.
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
    const { kind } = record
    if (typeof kind !== 'string' || record['seq'] !== undefined) return 0
    if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
    return kinds.has(kind) ? 1 : 0.3
  },
}
