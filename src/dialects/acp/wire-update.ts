// `session/update`: what an agent tells while it works, told apart by `update.sessionUpdate`. All variants of version 1, those
// that only some clients ask for included.
import { named } from '../wire-named.ts'
import { any, block, configOptions, count, list, number, object, optional, orNull, planEntry, text, tool } from './wire-shared.ts'

const chunk = object({ content: block, messageId: orNull(text) })
const state = object({ state: optional(text), stopReason: orNull(text) })
const message = { messageId: optional(text), senderSessionId: orNull(text), recipientSessionId: orNull(text) }

export const updates = {
  user_message_chunk: chunk,
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  tool_call: tool,
  tool_call_update: tool,
  plan: object({ entries: list(planEntry) }),
  plan_update: object({
    plan: object({
      ...named(['id', 'planId']),
      type: optional(text),
      entries: optional(list(planEntry)),
      content: optional(text),
      uri: optional(text),
    }),
  }),
  plan_removed: object({ ...named(['id', 'planId']) }),
  available_commands_update: object({ availableCommands: list(object({ name: text, description: orNull(text), ...named(['input']) })) }),
  current_mode_update: object({ currentModeId: text }),
  config_option_update: object({ configOptions }),
  session_info_update: object({ title: orNull(text), updatedAt: orNull(text) }),
  usage_update: object({ used: count, size: count, cost: orNull(object({ amount: number, currency: text })) }),
  notice: object({ severity: optional(text), title: text, description: orNull(text) }),
  compaction_update: object({ compactionId: optional(text), status: text, summary: orNull(list(block)), error: orNull(text) }),
  compaction_summary_chunk: object({ compactionId: optional(text), content: block }),
  subagent_update: object({
    sessionId: text,
    title: orNull(text),
    description: orNull(text),
    state: orNull(state),
    capabilities: optional(any),
  }),
  session_message: object({ ...message, content: orNull(list(block)) }),
  session_message_chunk: object({ ...message, content: block }),
}

export type Variant = keyof typeof updates
