// The cap on time without a sign of life, and when the clock of the limits wants to be asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createLimits, type LimitAction, type Limits } from './limits.ts'

const make = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event => makeEvent(kind, payload, place)
const delta = make('text.delta', { text: 'a' })
const names = (actions: readonly LimitAction[]): string[] =>
  actions.map((action) => (action.type === 'stop' ? `stop ${action.reason} ${action.code}` : (action.notice.code ?? '')))
const watch = (): Limits => createLimits({ startedAt: 0, progressTimeoutMs: 1000 })

test('silence is told at 80 %, ends the run at 100 %, and begins anew with every event', () => {
  const { step, tick } = watch()
  assert.deepEqual(names(tick(799)), ['progress_timeout_near']) // a timer may be early
  step(delta, 900)
  assert.deepEqual(names(tick(1000)), [])
  assert.deepEqual(names(tick(1700)), ['progress_timeout_near'])
  assert.deepEqual(names(tick(1800)), [])
  const [stop] = tick(1900)
  assert.deepEqual(stop, {
    type: 'stop',
    reason: 'stall',
    text: 'nothing came from the agent for 1s (--progress-timeout)',
    code: 'progress_timeout',
    when: 'now',
  })
  step(delta, 1900)
  assert.deepEqual(tick(5000), [])
})

test('neither a bare status nor what we add ourselves is a sign of life', () => {
  const { step, tick } = watch()
  step(make('status.update', { phase: 'working', source: 'agent' }), 900)
  step(make('notice', { level: 'warn', text: 'near' }, { synthetic: 'policy:limits' }), 950)
  assert.deepEqual(names(tick(1000)), ['stop stall progress_timeout'])
})

test('the clock stands while somebody is asked, and when the work is done', () => {
  const { step, tick, due } = watch()
  step(make('permission.request', { id: 'p1', options: [] }), 100)
  assert.deepEqual([tick(1e9), due()], [[], undefined])
  step(make('permission.answer', { id: 'p1', decision: 'allow', by: 'user' }), 5000)
  assert.equal(due(), 5800)
  step(make('turn.end', { reason: 'end_turn' }), 5100)
  assert.deepEqual([tick(1e9), due()], [[], undefined])
  step(make('turn.start', { trigger: 'prompt' }), 9000)
  assert.deepEqual(names(tick(10_000)), ['stop stall progress_timeout'])
})

test('in another attempt the time without a sign of life is counted anew, from its beginning', () => {
  const { step, tick, due, renew } = watch()
  step(make('permission.request', { id: 'p1', options: [] }), 100) // of an attempt that died with it
  step(make('session.end', { reason: 'error' }), 200)
  assert.equal(due(), undefined)
  renew(5000)
  assert.deepEqual(names(tick(5800)), ['progress_timeout_near'])
  assert.deepEqual(names(tick(6000)), ['stop stall progress_timeout'])
  renew(9000)
  assert.deepEqual(names(tick(10_000)), ['stop stall progress_timeout'])
})

test('a turn that ends in another session is not the end of the work', () => {
  const { step, tick, due } = watch()
  const [own, other] = [{ session: 'a' }, { session: 'b' }]
  for (const place of [own, other]) step(make('turn.start', { trigger: 'prompt' }, place), 100)
  step(make('turn.end', { reason: 'end_turn' }, other), 200)
  step(make('session.end', { reason: 'end_turn' }, other), 200)
  assert.equal(due(), 1000)
  step(make('turn.end', { reason: 'end_turn' }, own), 300)
  assert.deepEqual([tick(1e9), due()], [[], undefined])
})

test('an event goes by its own time when nobody tells when it came', () => {
  const { step, due } = watch()
  step({ ...delta, at: 500 })
  assert.equal(due(), 1300)
  step(delta)
  assert.equal(due(), 1300)
})

test('whoever asks only when it is due hears the same as who asks always', () => {
  const span = fc.integer({ min: 2, max: 60 }).map((count) => count * 50)
  const made = fc.tuple(span, span, fc.array(fc.nat(90), { maxLength: 20 }))
  assertHolds(300, made, ([timeoutMs, progressTimeoutMs, gaps]) => {
    const [always, lazy] = [0, 1].map(() => createLimits({ startedAt: 0, timeoutMs, progressTimeoutMs })) as [Limits, Limits]
    const heard: [string[], string[]] = [[], []]
    const times = new Set<number>()
    gaps.reduce((at, gap) => (times.add(at), at + (gap + 1) * 10), 0)
    for (let now = 0; now <= 6000; now += 10) {
      if (times.has(now)) for (const limits of [always, lazy]) limits.step(delta, now)
      heard[0].push(...names(always.tick(now)))
      const due = lazy.due()
      if (due !== undefined && now >= due) heard[1].push(...names(lazy.tick(now)))
    }
    assert.deepEqual(heard[1], heard[0])
    assert.ok(heard[0].includes('stop timeout timeout'))
  })
})
