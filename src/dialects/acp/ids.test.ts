// Ids of any kind pair up, and what is over is forgotten.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseJson } from '../../base/json.ts'
import { breachesOf } from '../../../test/canonical.ts'
import { acp } from './index.ts'
import { answer, ask, decodeAll, done, findingsOf, mayI, opening, prompt, says, tool, toolUpdate, update } from './support.test.ts'

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
