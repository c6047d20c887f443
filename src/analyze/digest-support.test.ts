// Digests for tests: of records of any dialect, and of a session of Avenor made by hand.
import assert from 'node:assert/strict'
import { eventsByRecord } from '../../test/fold.ts'
import type { Rec } from '../base/json.ts'
import { streamDialects } from '../testing/index.ts'
import { createDigest, type Digest, type SessionDigest } from './digest.ts'

type Dialect = (typeof streamDialects)[number]

export function digestOf(records: string | readonly Rec[], dialect: Dialect = 'avenor'): Digest {
  const digest = createDigest()
  for (const events of eventsByRecord(records, dialect)) for (const event of events) digest.push(event)
  return digest.report()
}
export const avenor = (...records: Rec[]): Digest =>
  digestOf(records.map((record, index) => ({ session_id: 's', ts: 1000 * (index + 1), ...record })))
export const only = ({ sessions }: Digest): SessionDigest => {
  assert.equal(sessions.length, 1)
  return sessions[0]!
}

export const start = { event: 'session.start', backend: 'claude', dir: '/home/dev' }
export const end = { event: 'session.end', stop_reason: 'end_turn', usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } }
export const call = (id: string, more: Rec = {}): Rec => ({
  event: 'tool.call',
  toolCallId: id,
  title: 'Bash',
  kind: 'bash',
  status: 'pending',
  ...more,
})
export const done = (id: string, status = 'completed', more: Rec = {}): Rec => ({
  event: 'tool.call_update',
  toolCallId: id,
  status,
  ...more,
})
export const say = (text: string): Rec => ({ event: 'agent.message_chunk', content: { text } })
