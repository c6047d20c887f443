// Whatever the records are: nothing throws, events are numbered, and everything that starts ends once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord, type Rec } from '../../base/json.ts'
import { opencode } from './index.ts'
import { decodeAll, fixture, repaired, runs, servers } from './support.test.ts'

const streams = [...runs, ...servers]
  .map((path) => fixture(path).filter(({ type }) => type !== 'plugin.added'))
  .filter(({ length }) => length < 100)
const junk: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  {},
  true,
  [null],
  1e300,
  '__proto__',
  { toString: 1 },
  { type: 'text' },
  { end: 2 },
]

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
    case 3:
      return [...records, ...pick(streams, roll)].toSorted(() => roll() - 0.4)
    default:
      return records.flatMap((record) => (roll() < 0.2 ? [record, record] : [record])).slice(0, Math.floor(roll() * records.length))
  }
}

const rolls = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 40, maxLength: 40 })
const holds = (property: (roll: Dice) => void): void =>
  fc.assert(
    fc.property(rolls, (seeds) => property(dice(seeds))),
    { numRuns: 300, seed: 1 },
  )

test('any records give events, numbered without a gap, and what starts ends', () => {
  holds((roll) => {
    const events = decodeAll(mixed(roll))
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    const count = (kind: string): number => events.filter((event) => event.kind === kind).length
    for (const what of ['session', 'turn', 'message', 'tool', 'task']) assert.equal(count(`${what}.start`), count(`${what}.end`), what)
    assert.equal(count('permission.request'), count('permission.answer'))
  })
})

test('any records of right shape can be judged, and lack no end when they were repaired', () => {
  holds((roll) => {
    const records = mixed(roll).filter((record) => opencode.shapes.checks[opencode.tag(record) ?? '']?.(record) === true)
    const order = opencode.order()
    const codes: string[] = []
    for (const record of repaired(records)) order.push(record, opencode.tag(record)!, () => {})
    order.end(({ code }) => void codes.push(code))
    assert.deepEqual(codes, [])
  })
})
