import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareCursors, formatCursor, parseCursor, start } from './cursor.ts'

test('a cursor has fixed width, and is read back', () => {
  assert.equal(formatCursor(2, 101), '000002_000000000101')
  for (const [index, seq] of [
    [0, 0],
    [1, 1],
    [999_999, 999_999_999_999],
  ] as const)
    assert.deepEqual(parseCursor(formatCursor(index, seq)), { index, seq })
})

test('the order of cursors is the order of generations, then of numbers', () => {
  const sorted = [start, formatCursor(1, 9), formatCursor(1, 105), formatCursor(2, 101), formatCursor(10, 1)]
  assert.deepEqual(sorted.toReversed().toSorted(compareCursors), sorted)
  assert.equal(compareCursors(start, start), 0)
})

test('a bare number is of the first generation; what else is no cursor is nothing', () => {
  assert.deepEqual(parseCursor('105'), { index: 1, seq: 105 })
  for (const text of ['', '-1', '1.5', 'x', '1_105', '000001_105', '0000001_000000000105', '1234567890123'])
    assert.equal(parseCursor(text), undefined, text)
})
