import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../../../model/event.ts'
import { retryDelay } from './retry.ts'

const busy: Fault = { category: 'overloaded', text: 'busy', http: 529, retryable: true }

test('pauses double up to half a minute', () => {
  const delays = [1, 2, 3, 4, 5, 6, 50].map((attempt) => retryDelay(attempt, busy, undefined, { random: () => 0 }))
  assert.deepEqual(delays, [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('chance shortens a pause by a quarter at most', () => {
  assert.equal(retryDelay(1, busy, undefined, { random: () => 1 }), 1500)
  assert.equal(retryDelay(2, busy, undefined, { random: () => 0.5, baseMs: 8 }), 14)
})

test('what the provider asks for is kept to, unless it is more than ten minutes', () => {
  assert.equal(retryDelay(1, busy, 120_000), 120_000)
  assert.equal(retryDelay(1, busy, 0), 0)
  assert.equal(retryDelay(1, busy, 600_001), undefined)
})

test('what asking again cannot help is not asked again', () => {
  assert.equal(retryDelay(1, { category: 'auth', text: 'no', retryable: false }, 1), undefined)
  assert.equal(retryDelay(1, { category: 'unknown', text: 'no' }), undefined)
})
