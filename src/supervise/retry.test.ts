import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notStarted } from '../model/fault.ts'
import { faultCategories, reasons } from '../model/vocabulary.ts'
import { createRetry, mayRetry, type RunFailure } from './retry.ts'

const failure: RunFailure = { reason: 'error', error: { category: 'provider', text: 'HTTP 500' } }

test('retries are numbered from 1, each waits longer than the one before up to half a minute, and then no more', () => {
  const { next } = createRetry(7)
  const told = Array.from({ length: 8 }, () => next(failure))
  assert.deepEqual(
    told.map((action) => action && [action.retry.attempt, action.delayMs / 1000]),
    [[1, 2], [2, 4], [3, 8], [4, 16], [5, 30], [6, 30], [7, 30], undefined],
  )
  assert.deepEqual(told[0], {
    type: 'retry',
    delayMs: 2000,
    retry: { scope: 'run', attempt: 1, max: 7, delayMs: 2000, error: failure.error },
  })
})

test('without retries nothing is tried again', () => assert.equal(createRetry(0).next(failure), undefined))

test('only an accident is tried again', () => {
  assert.deepEqual(
    reasons.filter((reason) => mayRetry({ reason })),
    ['error', 'cut', 'unknown'],
  )
})

test('what would fail again in the same way is not', () => {
  assert.equal(mayRetry({ reason: 'error', error: { category: 'unknown', text: 'there is no such program', code: notStarted } }), false)
  const categories = faultCategories.filter((category) => mayRetry({ ...failure, error: { category, text: '' } }))
  assert.deepEqual(categories, ['rate_limit', 'timeout', 'oom', 'provider', 'overloaded', 'network', 'unknown'])
  assert.equal(mayRetry({ ...failure, error: { category: 'provider', text: '', retryable: false } }), false)
})
