// Tokens of a step: message_complete tells them again, and where it does not come, the end of the message has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event, Usage } from '../../model/event.ts'
import { addUsage } from '../../model/usage.ts'
import { decodeAll, encodeAll, fixture, plain } from './support.test.ts'

const base = { timestamp: 1741500000000, sessionID: 'ses_1' }
const start: Rec = { type: 'session_start', ...base, schemaVersion: '1', permissions: [] }
const done: Rec = { type: 'session_complete', ...base, durationMs: 5, error: null }
const cache = { read: 1000, write: 200 }
const tokens = { input: 12, output: 34, reasoning: 0, cache }
const begin = (part: Rec = {}): Rec => ({ type: 'step_start', ...base, part: { type: 'step-start', ...part } })
const finish = (part: Rec = {}): Rec => ({
  type: 'step_finish',
  ...base,
  part: { type: 'step-finish', reason: 'tool-calls', cost: 0.5, tokens, ...part },
})
const complete = (more: Rec = {}): Rec => ({ type: 'message_complete', ...base, modelID: 'm', finish: 'stop', tokens, cost: 0.5, ...more })

const ends = (events: readonly Event[]): unknown[] =>
  events.flatMap((event) => {
    if (event.kind !== 'message.end') return []
    const { agent, message, finish: how, usage, cost, synthetic } = event
    return [plain([agent ?? 'main', message, how, usage?.output, cost?.usd, synthetic])]
  })
const counted = (events: readonly Event[]): (number | undefined)[] => {
  let sum: Usage = {}
  for (const event of events) if (event.kind === 'message.end') sum = addUsage(sum, event.usage)
  const { input, output, cacheRead, cacheWrite } = sum
  return [input, output, cacheRead, cacheWrite]
}
const once = [12, 34, 1000, 200]

test('what a step used counts once where message_complete follows', () => {
  const events = decodeAll([start, begin(), finish(), complete(), done])
  assert.deepEqual(ends(events), [['main', '~m1', 'end_turn', 34, 0.5, null]])
  assert.deepEqual(counted(events), once)
})

test('where the stream is cut after a step, the end of the message tells its tokens', () => {
  const events = decodeAll([start, begin(), finish()])
  assert.deepEqual(ends(events), [['main', '~m1', 'tool_use', 34, 0.5, 'implied']])
  assert.deepEqual(counted(events), once)
  const written = encodeAll(events).records.filter(({ type }) => type === 'message_complete')
  assert.deepEqual(
    written.map((record) => record['tokens']),
    [tokens],
  )
})

test('a program that never writes message_complete: every step is told, with the reason of the last', () => {
  const events = decodeAll([start, begin({ messageID: 'a' }), finish({ messageID: 'a' }), begin(), finish({ reason: 'length' }), done])
  assert.deepEqual(ends(events), [
    ['main', 'a', 'tool_use', 34, 0.5, 'implied'],
    ['main', '~m1', 'max_tokens', 34, 0.5, 'implied'],
  ])
  assert.deepEqual(
    counted(events),
    once.map((count) => 2 * count),
  )
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'session.end' ? [event.reason] : [])),
    ['max_tokens'],
  )
})

test('a step without a beginning, two steps of a message, and one that is told twice', () => {
  assert.deepEqual(counted(decodeAll([start, finish()])), once)
  const two = [start, begin(), finish({ id: 'p1' }), finish({ id: 'p2' })]
  assert.deepEqual(ends(decodeAll(two)), [['main', '~m1', 'tool_use', 68, 1, 'implied']])
  assert.deepEqual(counted(decodeAll([...two, complete()])), once, 'message_complete knows best')
  assert.deepEqual(counted(decodeAll([start, begin(), finish({ id: 'p1' }), finish({ id: 'p1' })])), once)
})

test('message_complete of another message, or too late', () => {
  const first = [start, begin({ messageID: 'a' }), finish({ messageID: 'a' })]
  const other = decodeAll([...first, complete({ messageID: 'b', tokens: { ...tokens, output: 1 } })])
  assert.deepEqual(ends(other), [
    ['main', 'a', 'tool_use', 34, 0.5, 'implied'],
    ['main', 'b', 'end_turn', 1, 0.5, null],
  ])
  const late = decodeAll([
    ...first,
    begin({ messageID: 'b' }),
    complete({ messageID: 'a' }),
    complete({ messageID: 'b', tokens: null, cost: 0 }),
  ])
  assert.deepEqual(ends(late), [
    ['main', 'a', 'tool_use', 34, 0.5, 'implied'],
    ['main', 'b', 'end_turn', null, 0, null],
  ])
  assert.deepEqual(counted(late), once)
})

test('a message_complete that tells no tokens leaves those of the step; zeros of a step are no report', () => {
  assert.deepEqual(counted(decodeAll([start, begin(), finish(), complete({ tokens: null })])), once)
  const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
  const events = decodeAll([start, begin(), finish({ tokens: none, cost: 0 }), complete({ tokens: null, cost: undefined })])
  assert.deepEqual(ends(events), [['main', '~m1', 'end_turn', null, null, null]])
})

test("a subagent's step ends its message: no message_complete follows there", () => {
  const events = decodeAll([start, begin({ sessionID: 'ses_2' }), finish({ sessionID: 'ses_2' }), done])
  assert.deepEqual(ends(events), [['ses_2', '~m1', 'tool_use', 34, 0.5, null]])
  assert.deepEqual(counted(events), once)
})

test('sessions side by side, each cut after a step', () => {
  const of = (sessionID: string, records: Rec[]): Rec[] => records.map((record) => ({ ...record, sessionID }))
  const events = decodeAll([...of('a', [start, begin()]), ...of('b', [start, begin(), finish()]), ...of('a', [finish()])])
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'message.end' ? [[event.session, event.usage?.output]] : [])),
    [
      ['a', 34],
      ['b', 34],
    ],
  )
})

test('the recording of a newer program counts what its message_complete records say', () => {
  const records = fixture('made/newer-program.ndjson')
  const whole = counted(decodeAll(records))
  assert.deepEqual(counted(decodeAll(records.filter(({ type }) => type !== 'message_complete'))), whole)
  assert.ok(whole[1]! > 0)
})
