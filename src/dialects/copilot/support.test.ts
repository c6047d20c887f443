// What the tests of this folder share: fixtures in, events and findings out.
import type { Rec } from '../../base/json.ts'
import { supportOf } from '../support.test.ts'
import { copilot } from './index.ts'

export { kindsOf as told, only, plain } from '../support.test.ts'
export const support = supportOf(copilot)
export const { namesIn, fixture, decodeAll, findingsOf, codesOf, repaired } = support

/** Killed: an end is missing. */
export const cutShort = ['r-sigint-group.ndjson', 'r-sigterm-group.ndjson']

/** A record as stdout and file have it. `about` overrides the envelope. */
export const rec = (type: string, data: Rec = {}, about: Rec = {}): Rec => ({
  type,
  data,
  id: `${type}-id`,
  timestamp: '2026-11-15T20:04:06.459Z',
  parentId: null,
  ...about,
})
export const live = { ephemeral: true }
export const by = (agentId: string): Rec => ({ agentId })

export const prompt = rec('user.message', { content: 'Do the task', delivery: 'idle' })
export const turnStart = rec('assistant.turn_start', { turnId: '0' }, { id: 'call-1' })
export const turnEnd = rec('assistant.turn_end', { turnId: '0' })
export const idle = rec('assistant.idle', {}, live)
export const result: Rec = { type: 'result', timestamp: '2026-11-15T20:04:07.000Z', sessionId: 'native', exitCode: 0 }
/** A run with these records in its only model call. */
export const inRun = (...records: Rec[]): Rec[] => [prompt, turnStart, ...records, turnEnd, idle, result]
