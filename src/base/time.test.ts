import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createClock, isoOf, timeOfIso } from './time.ts'

test('agrees with Date.parse, whatever was read before', () => {
  const made = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString())
  const other = fc.constantFrom(
    '2026-11-15T24:00:00.000Z',
    '2026-11-15T19:59:60.000Z',
    '2026-11-15',
    '2026-11-15T20:04:06+01:00',
    'x',
    '2026-13-01T00:00:00.000Z',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(made, other), { maxLength: 20 }), (times) => {
      for (const iso of times) assert.equal(timeOfIso(iso) ?? Number.NaN, Date.parse(iso))
    }),
  )
})

test('writes times as Date does, whatever was written before', () => {
  const made = fc.oneof(
    fc.integer({ min: 1_790_000_000_000, max: 1_790_000_100_000 }),
    fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(made), (times) => {
      for (const time of times) assert.equal(isoOf(time), new Date(time).toISOString())
    }),
  )
  assert.deepEqual([8.64e15 + 1, Number.NaN, -Infinity].map(isoOf), Array(3).fill(undefined))
})

test('what is no text has no time', () => assert.deepEqual([undefined, null, 5, {}].map(timeOfIso), Array(4).fill(undefined)))

test('a clock never goes back, and goes on from where it was', () => {
  const wall = [1000, 1005, 400, 410, 9000, 8999, 9001]
  const now = createClock(() => wall.shift()!)
  assert.deepEqual(Array.from({ length: 7 }, now), [1000, 1005, 1005, 1015, 9605, 9605, 9607])
})
