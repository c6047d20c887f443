// Whatever comes in, the decoder does not throw, keeps the canonical order, and forgets what is over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseJson, type Rec } from '../../base/json.ts'
import { breachesOf } from '../../../test/canonical.ts'
import { createRandom, legalStream, type Random } from '../../testing/index.ts'
import { acp } from './index.ts'
import { answer, ask, decodeAll, done, findingsOf, mayI, opening, prompt, says, tool, toolUpdate, update } from './support.test.ts'

const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  '',
  's',
  [],
  {},
  [null],
  [{}],
  parseJson('{"__proto__":{"a":1}}'),
  parseJson('12345678901234567890'),
]

/** The value with something in its depth replaced. */
function spoiled(value: unknown, random: Random): unknown {
  if (random.chance(0.15) || typeof value !== 'object' || value === null) return random.pick(odd)
  if (Array.isArray(value)) return value.map((item: unknown) => (random.chance(0.4) ? spoiled(item, random) : item))
  const keys = Object.keys(value)
  const key = keys.length === 0 ? 'x' : random.pick(keys)
  return { ...value, [key]: spoiled((value as Rec)[key], random) }
}

test('spoiled messages never throw, and the events stay in order', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = createRandom(seed)
    const records = legalStream('acp', seed).map((record) => (random.chance(0.3) ? (spoiled(record, random) as Rec) : record))
    const objects = records.filter((record) => typeof record === 'object' && record !== null && !Array.isArray(record))
    assert.deepEqual(breachesOf(decodeAll(objects)), [], `seed ${seed}`)
    findingsOf(objects)
  }
})

test('ids of any kind pair up', () => {
  for (const id of [0, '0', 1.5, 'x'.repeat(10_000), '__proto__', parseJson('12345678901234567890')]) {
    const events = decodeAll([...opening, prompt(id), done(id)])
    assert.deepEqual(breachesOf(events), [])
    assert.equal(events.find(({ kind }) => kind === 'turn.end')?.synthetic, undefined)
    assert.deepEqual(findingsOf([...opening, prompt(id), done(id)]), [])
    assert.equal(findingsOf([...opening, prompt(id), done(id), done(id)]).length, 1)
  }
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heapUsed = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

test('a long stream leaves nothing behind', () => {
  const decoder = acp.decoder()
  const order = acp.order()
  const feed = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const id = `c${index}`
      const records = [
        prompt(index),
        says('a'),
        tool({ toolCallId: id }),
        mayI(`a${index}`, { toolCallId: id }),
        answer(`a${index}`, { outcome: { outcome: 'selected', optionId: 'yes' } }),
        toolUpdate({ toolCallId: id, status: 'completed' }),
        update('usage_update', { used: index, size: 100 }),
        ask(`b${index}`, 'fs/read_text_file', { sessionId: 's', path: id }),
        done(index),
      ]
      for (const record of records) {
        decoder.push(record, { dialect: 'acp', record: index + 1, offset: 0, length: 0 })
        order.push(record, acp.tag(record)!, () => undefined)
      }
    }
  }
  feed(0, 10_000)
  const before = heapUsed()
  feed(10_000, 40_000)
  assert(heapUsed() - before < 2_000_000)
})
