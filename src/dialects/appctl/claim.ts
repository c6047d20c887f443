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
  claim: (record) => (typeof record['kind'] !== 'string' || record['seq'] !== undefined ? 0 : kinds.has(record['kind']) ? 1 : 0.3),
}
