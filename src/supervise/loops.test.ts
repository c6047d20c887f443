// Calls and compactions that go round, and agents that stay after their result.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createLoops, type LoopSettings } from './loops.ts'
import type { PolicyAction } from './policy.ts'

const make = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event => makeEvent(kind, payload, place)
const name = (action: PolicyAction): string =>
  action.type === 'notice' ? (action.notice.code ?? '') : 'code' in action ? `${action.type} ${action.code}` : action.type

/** Which event, by its number, brought which action. */
function follow(events: readonly Event[], settings?: LoopSettings): [number, string][] {
  const { step } = createLoops(settings)
  return events.flatMap((event, index) => step({ ...event, seq: index + 1 }).map((action): [number, string] => [index + 1, name(action)]))
}
const call = (path: string): Event => make('tool.start', { name: 'Read', toolKind: 'read', input: { path } })
const calls = (count: number): Event[] => Array.from({ length: count }, () => call('a'))

suite('the same calls', () => {
  test('are told at the fifth and ended at the twentieth, with the evidence', () => {
    assert.deepEqual(follow(calls(30)), [
      [5, 'repeated_calls_near'],
      [20, 'repeated_calls'],
      [20, 'stop repeated_calls'],
    ])
    const { step } = createLoops({ repeats: { tell: 9, stop: 2 } })
    const said = calls(2).flatMap((event, seq) => step({ ...event, seq: seq + 1 }))
    const [notice, stop] = said
    assert.ok(notice?.type === 'notice' && stop?.type === 'stop')
    assert.partialDeepStrictEqual(notice.notice.data, { type: 'loop', times: 2, seqs: [1, 2], calls: [{ name: 'Read', subject: 'a' }] })
    assert.equal(stop.text, 'the same call came 2 times one after another: Read "a"')
    assert.equal(stop.reason, 'degenerate')
  })
  test('may be spread over turns that the agent begins itself', () => {
    const turns = calls(20).flatMap((one) => [make('turn.start', { trigger: 'task' }), one, make('turn.end', { reason: 'end_turn' })])
    assert.deepEqual(
      follow(turns).map(([, said]) => said),
      ['repeated_calls_near', 'repeated_calls', 'stop repeated_calls'],
    )
  })
  test('are no loop when somebody asks for each of them', () => {
    const asked = [
      make('turn.start', { trigger: 'prompt' }),
      make('prompt.submit', { text: 'again', by: 'user', state: 'sent' }),
    ] satisfies Event[]
    for (const start of asked) {
      const turns = calls(30).flatMap((one) => [start, one, make('turn.end', { reason: 'end_turn' })])
      assert.deepEqual(follow(turns), [])
    }
  })
  test('are none with other input, or with work in between', () => {
    assert.deepEqual(follow(Array.from({ length: 50 }, (_, index) => call(String(index)))), [])
    assert.deepEqual(follow(Array.from({ length: 50 }, (_, index) => call(index % 2 ? 'test' : `edit ${index}`))), [])
  })
})

test('a compaction that repeats is told and ended, in a recording too', () => {
  const trim = make('context.trim', { why: 'compact' })
  assert.deepEqual(follow(Array.from({ length: 8 }, () => trim)), [
    [3, 'endless_compaction_near'],
    [6, 'endless_compaction'],
    [6, 'stop endless_compaction'],
  ])
  const path = new URL('../../fixtures/opencode/1.18.33/run/h-400-context.ndjson', import.meta.url)
  const recorded = eventsByRecord(readFileSync(path, 'utf8'), 'opencode').flat()
  assert.deepEqual(
    follow(recorded).map(([, said]) => said),
    ['endless_compaction_near', 'endless_compaction', 'stop endless_compaction'],
  )
})

suite('after its result an agent', () => {
  const result = make('turn.end', { reason: 'end_turn' })
  const codes = (actions: readonly PolicyAction[]): string[] => actions.map(name)
  test('that stays is closed, and its outcome stands', () => {
    const { step, tick, due } = createLoops({ lingerMs: 1000 })
    step(make('text.delta', { text: 'a' }), 0)
    assert.deepEqual([tick(1e6), due()], [[], undefined])
    step(result, 5000)
    assert.equal(due(), 6000)
    assert.deepEqual(tick(5900), [])
    assert.deepEqual(codes(tick(6000)), ['lingers', 'close lingers'])
    assert.deepEqual([tick(1e6), due()], [[], undefined])
  })
  test('that says more, works in the background, or has ended is not', () => {
    const { step, tick } = createLoops({ lingerMs: 1000 })
    step(result, 0)
    step(make('usage.update', { scope: 'session', cumulative: true }), 900)
    assert.deepEqual(tick(1500), [])
    step(make('task.start', { task: 't1', type: 'command' }), 1600)
    assert.deepEqual(tick(1e6), [])
    step(make('task.end', { task: 't1', status: 'ok' }), 1e6)
    assert.deepEqual(codes(tick(1e6 + 1000)), ['lingers', 'close lingers'])
    step(make('turn.start', { trigger: 'task' }), 2e6)
    assert.deepEqual(tick(3e6), [])
    step(result, 3e6)
    step(make('session.end', { reason: 'end_turn' }), 3e6)
    assert.deepEqual(tick(4e6), [])
  })
  test('is not done when another session is, nor busy because another is', () => {
    const { step, tick, due } = createLoops({ lingerMs: 1000 })
    const at = (session: string) => ({ session })
    step(make('session.start', {}, at('own')), 0)
    step(make('turn.start', { trigger: 'prompt' }, at('own')), 0)
    step(make('turn.end', { reason: 'end_turn' }, at('other')), 0)
    assert.deepEqual([tick(1e6), due()], [[], undefined])
    step(make('turn.end', { reason: 'end_turn' }, at('own')), 1e6)
    step(make('turn.start', { trigger: 'prompt' }, at('other')), 1e6)
    assert.deepEqual(codes(tick(2e6)), ['lingers', 'close lingers'])
  })
  test('may stay for ever when nobody said how long', () => {
    const { step, tick } = createLoops()
    step(result, 0)
    assert.deepEqual(tick(1e12), [])
  })
})
