// What a conversion brings across: the text, the thoughts, the calls. What it does not bring across it must have said.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { convert, type DialectName, dialects, type Kind, type Summary, type WritableName } from '../src/index.ts'
import { legalStream, linesOf } from '../src/testing/index.ts'
import { type Call, isSaid, type Meaning, meaningOf } from './meaning.ts'
import { eventsOf, holds, names, targets } from './properties.ts'

type Journey = { before: Meaning; after: Meaning; summary: Summary }

/** One session there; read again on arrival. */
function travel(from: DialectName, to: WritableName, seed: number): Journey {
  const lines = linesOf(legalStream(from, seed, { sessions: 1 }))
  const summary = convert(lines, { from, to })
  return { before: meaningOf(eventsOf(lines, from)), after: meaningOf(eventsOf(summary.text, to)), summary }
}

/** The loss was announced: by the table, or by the conversion itself, of the field or of the whole event. */
const announced = ({ losses }: Summary, to: WritableName, kind: Kind, field: string): boolean =>
  dialects[to].loss[kind].lost?.includes(field) === true ||
  losses.some(({ code, how }) => code === `${kind}.${field}` || (code === kind && how === 'drop'))

const pairs = names.flatMap((from) => targets.filter((to) => to !== from).map((to) => [from, to] as const))

suite('the text of a session stays the same', () => {
  for (const [from, to] of pairs) {
    test(`${from} to ${to}`, () =>
      holds(20, (seed) => {
        const { before, after } = travel(from, to, seed)
        const mayStand = dialects[to].loss['message.drop'].how !== 'exact'
        for (const what of ['text', 'thoughts'] as const)
          assert(isSaid(before[what], after[what], mayStand), `${what}: ${JSON.stringify([before[what], after[what]])}`)
      }))
  }
})

/** What the conversion may have said about a field of a call, and in which kind. */
const told: Readonly<Record<Exclude<keyof Call, 'failed'>, readonly (readonly [Kind, string])[]>> = {
  name: [['tool.start', 'name']],
  toolKind: [
    ['tool.start', 'toolKind'],
    ['tool.start', 'name'],
  ], // follows from the name
  input: [
    ['tool.start', 'input'],
    ['tool.update', 'input'],
  ],
  title: [
    ['tool.start', 'name'],
    ['tool.start', 'title'],
    ['tool.update', 'title'],
    ['tool.end', 'title'],
    ['tool.end', 'status'],
  ],
  agent: [['tool.start', 'agent']],
}

suite('calls keep their ids, names, inputs and outcome, or the loss is announced', () => {
  for (const [from, to] of pairs) {
    test(`${from} to ${to}`, () =>
      holds(20, (seed) => {
        const { before, after, summary } = travel(from, to, seed)
        assert.deepEqual([...after.calls.keys()].sort(), [...before.calls.keys()].sort())
        for (const [id, call] of before.calls) {
          const arrived = after.calls.get(id)!
          assert.equal(arrived.failed, call.failed, `${id}: what became of it`)
          if (dialects[to].loss['tool.start'].how !== 'exact') continue
          for (const [field, places] of Object.entries(told) as [keyof typeof told, (typeof told)[keyof typeof told]][]) {
            if (call[field] === undefined || (field === 'input' && !call.input.startsWith('{'))) continue // only an object is an input everywhere
            if (places.some(([kind, name]) => announced(summary, to, kind, name))) continue
            assert.equal(arrived[field], call[field], `${id}: ${field} changed, and no loss was announced`)
          }
        }
      }))
  }
})

suite('to the model itself nothing is lost', () => {
  for (const from of names.filter((name) => name !== 'sluice')) {
    test(from, () => holds(20, (seed) => assert.deepEqual(convert(linesOf(legalStream(from, seed)), { from, to: 'sluice' }).losses, [])))
  }
})
