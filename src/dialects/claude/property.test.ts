// Whatever the records are: the decoder never throws, its events keep their numbers, and what the encoder makes of any part
// of them is legal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { decodeAll, encodeAll, findingsOf, fixture, recordings } from './support.test.ts'

const streams = recordings()
  .map(fixture)
  .filter((records) => records.length < 60)
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
  if (Array.isArray(value)) return value.map((item) => harm(item, roll))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (roll() < 0.02 ? [] : [[key, harm(item, roll)]])))
}

function mixed(roll: Dice): Rec[] {
  const records = [...pick(streams, roll)]
  switch (Math.floor(roll() * 5)) {
    case 0:
      return records.filter(() => roll() > 0.2)
    case 1:
      return records.map((record) => harm(record, roll)).filter(isRecord)
    case 2:
      return records.toSorted(() => roll() - 0.5)
    case 3: {
      const other = [...pick(streams, roll)]
      return Array.from({ length: records.length + other.length }, () =>
        other.length === 0 || (records.length > 0 && roll() < 0.5) ? records.shift()! : other.shift()!,
      )
    }
    default:
      return records.slice(0, Math.floor(roll() * records.length))
  }
}

const rolls = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 40, maxLength: 40 })
const holds = (runs: number, property: (roll: Dice) => void): void =>
  fc.assert(
    fc.property(rolls, (seeds) => property(dice(seeds))),
    { numRuns: runs, seed: 1 },
  )

test('any records give events, numbered without a gap, with one end a session', () => {
  holds(300, (roll) => {
    const events = decodeAll(mixed(roll))
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    const count = (kind: string): number => events.filter((event) => event.kind === kind).length
    assert.equal(count('session.start'), count('session.end'))
    assert.equal(count('turn.start'), count('turn.end'))
    assert.equal(count('message.start'), count('message.end'))
    assert.equal(count('tool.start'), count('tool.end'))
    assert.equal(count('task.start'), count('task.end'))
  })
})

test('whatever was read, and whatever part of it goes on, is written as a legal stream', () => {
  holds(300, (roll) => {
    const events = decodeAll(mixed(roll))
    assert.deepEqual(findingsOf(encodeAll(events).records), [])
    const part: Event[] = events.filter(() => roll() > 0.2)
    assert.deepEqual(findingsOf(encodeAll(part).records), [])
  })
})

test('a stream read twice gives the same events', () => {
  holds(30, (roll) => {
    const records = mixed(roll)
    assert.deepEqual(decodeAll(records), decodeAll(structuredClone(records)))
  })
})
