import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import type { Event, Kind, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createDeadlines } from './deadline.ts'

const make = <K extends Kind>(kind: K, payload: Payload<K>): Event => makeEvent(kind, payload, {})
const asked = (id: string): Event => make('permission.request', { id, options: [] })
const answered = (id: string): Event => make('permission.answer', { id, decision: 'allow', by: 'user' })

test('a question that nobody answers expires after ten minutes, once, and the stream says so', () => {
  const { step, tick, due } = createDeadlines()
  step(asked('p1'), 1000)
  assert.equal(due(), 601_000)
  assert.deepEqual(tick(600_000), [])
  assert.deepEqual(tick(601_000), [
    {
      type: 'error',
      error: {
        scope: 'session',
        fatal: false,
        error: { category: 'timeout', text: 'handler timed out after 10m', code: 'permission_timeout' },
        source: 'permission',
      },
    },
    { type: 'expire', id: 'p1', what: 'permission', text: 'handler timed out after 10m' },
  ])
  assert.deepEqual([tick(1e9), due()], [[], undefined])
})

test('the run may end with it', () => {
  const { step, tick } = createDeadlines({ timeoutMs: 90_000, ends: true })
  step(make('question.request', { id: 'q1', questions: [] }), 0)
  const [error, expire, stop] = tick(90_000)
  assert.ok(error?.type === 'error' && error.error.fatal)
  assert.ok(expire?.type === 'expire' && expire.what === 'question')
  assert.deepEqual(stop, { type: 'stop', reason: 'error', text: 'handler timed out after 90s', code: 'permission_timeout', when: 'now' })
})

test('nothing expires after the end', () => {
  const { step, tick } = createDeadlines({ timeoutMs: 10 })
  step(asked('p1'), 0)
  step(make('session.end', { reason: 'cancelled' }), 1)
  assert.deepEqual(tick(100), [])
})

test('every question is answered or expires, never both, and not before its time', () => {
  const made = fc.array(fc.record({ id: fc.nat(200), gap: fc.nat(30), after: fc.nat(120) }), { maxLength: 30 })
  assertHolds(200, made, (drawn) => {
    const { step, tick } = createDeadlines({ timeoutMs: 60 })
    let at = 0
    const questions = drawn.map(({ id, gap, after }, index) => ({ id: `${index}-${id}`, at: (at += gap), after }))
    const expired = new Map<string, number>()
    for (let now = 0; now <= at + 200; now++) {
      for (const one of questions) {
        if (one.at === now) step(asked(one.id), now)
        if (one.at + one.after === now) step(answered(one.id), now)
      }
      for (const action of tick(now)) if (action.type === 'expire') expired.set(action.id, now)
    }
    for (const { id, at: from, after } of questions) {
      assert.equal(expired.has(id), after > 55) // a timer may be 5 ms early
      if (expired.has(id)) assert.equal(expired.get(id)! - from, 55)
    }
  })
})
