// Whatever the records are: the decoder never throws, its events keep their numbers, and all that starts ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord, type Rec } from '../../base/json.ts'
import { all, decodeAll, findingsOf, fixture } from './support.test.ts'

const streams = all.map(fixture)
const junk: readonly unknown[] = [null, 0, -1, 1.5, '', 'x', [], {}, true, [null], 1e300, '__proto__', { type: 'text' }, { a: { b: 1 } }]

/** Numbers from 0 to 1 that fast-check can shrink. */
type Dice = () => number
const dice = (seeds: readonly number[]): Dice => {
  let at = 0
  return () => (seeds[at++ % seeds.length]! * (1 + at * 0.618)) % 1
}
const pick = <T>(list: readonly T[], roll: Dice): T => list[Math.floor(roll() * list.length)]!

function harm(value: unknown, roll: Dice): unknown {
  if (roll() < 0.03) return pick(junk, roll)
  if (Array.isArray(value)) return value.map((entry) => harm(entry, roll))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, entry]) => (roll() < 0.02 ? [] : [[key, harm(entry, roll)]])))
}

function mixed(roll: Dice): Rec[] {
  const records = [...pick(streams, roll)]
  switch (Math.floor(roll() * 4)) {
    case 0:
      return records.filter(() => roll() > 0.2)
    case 1:
      return records.map((record) => harm(record, roll)).filter(isRecord)
    case 2:
      return records.toSorted(() => roll() - 0.5)
    default: {
      const other = [...pick(streams, roll)]
      return Array.from({ length: records.length + other.length }, () =>
        other.length === 0 || (records.length > 0 && roll() < 0.5) ? records.shift()! : other.shift()!,
      )
    }
  }
}

test('any records give events, numbered without a gap, and all that starts ends', () => {
  const rolls = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(rolls, (seeds) => {
      const records = mixed(dice(seeds))
      const events = decodeAll(records)
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      )
      const count = (kind: string): number => events.filter((event) => event.kind === kind).length
      for (const what of ['session', 'turn', 'tool', 'task']) assert.equal(count(`${what}.start`), count(`${what}.end`), what)
      findingsOf(records)
    }),
    { numRuns: 300, seed: 1 },
  )
})
