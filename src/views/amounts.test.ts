import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costText, countText, durationText } from './amounts.ts'

test('durations, counts and sums as people read them', () => {
  assert.deepEqual([0, 999, 1000, 59_949, 59_950, 61_000, 3_599_600, 7_260_000].map(durationText), [
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 00 s',
    '1 min 01 s',
    '1 h 00 min',
    '2 h 01 min',
  ])
  assert.deepEqual([0, 999, 1000, 1234567].map(countText), ['0', '999', '1,000', '1,234,567'])
  assert.deepEqual([0, 0.00321, 0.0000016, 0.0421, 0.9, 12.345].map(costText), [
    '$0',
    '$0.0032',
    '$0.0000016',
    '$0.042',
    '$0.900',
    '$12.35',
  ])
})
