// How Avenor's records are known: `event` is a string. A name that is not on the list is a user's own event. sluice's own events may have
// that key too; `v` tells them apart.
import type { Claimer } from '../contract.ts'

const names: ReadonlySet<unknown> = new Set([
  'agent.message_chunk',
  'agent.thought_chunk',
  'user.message_chunk',
  'tool.call',
  'tool.call_update',
  'session.plan',
  'permission.request',
  'permission.response',
  'avenor.loop.start',
  'avenor.phase.start',
  'avenor.phase.end',
  'avenor.loop.end',
  'session.start',
  'session.end',
  'agent.prompt_submitted',
  'agent.prompt_queued',
  'agent.channel_ready',
  'agent.report',
  'agent.reply',
  'agent.finish',
  'agent.status',
  'avenor.retry',
  'avenor.error',
  'avenor.compaction',
  'subscriber.lagged',
])

export const claimer: Claimer = {
  name: 'avenor',
  title: 'Avenor event log',
  claim: (record) => (typeof record['event'] !== 'string' ? 0 : names.has(record['event']) || typeof record['v'] !== 'number' ? 1 : 0.8),
}
