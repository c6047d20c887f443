// What is remembered of a message: little, and enough to count it once, to take it out again and to replace it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Tokens } from '../prices/price.ts'
import { createUsage } from './usage.ts'

const bookOf = (remember: number) => {
  const usage = createUsage({ remember })
  return {
    tell: (session: string, message: string, tokens: Tokens, request?: string, agent?: string): void =>
      usage.book.message(usage.book.sessionOf(session), { message, request, agent, tokens, at: 1e12, oneRequest: true }),
    input: (): number => usage.report().totals.input,
    usage,
  }
}

test('a hundred thousand messages take less than 200 bytes each', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const { tell, input } = bookOf(1 << 20)
  const count = 100_000
  const before = used()
  for (let index = 0; index < count; index++)
    tell(`session ${index >> 10}`, `msg_${index.toString().padStart(24, '0')}`, { input: 1 }, `req_${index.toString().padStart(24, '0')}`)
  assert.ok((used() - before) / count < 200, `${(used() - before) / count} bytes`)
  assert.equal(input(), count)
  for (let index = 0; index < count; index++)
    tell('a copy', `msg_${index.toString().padStart(24, '0')}`, { input: 1 }, `req_${index.toString().padStart(24, '0')}`)
  assert.equal(input(), count)
})

test('a later report that says more replaces the one before, whatever its size', () => {
  const { tell, input } = bookOf(1 << 14)
  for (const [first, second] of [
    [1, 2],
    [2 ** 32 - 1, 2 ** 32],
    [2 ** 32, 2 ** 50],
    [0.5, 1.5],
  ] as const) {
    const before = input()
    tell('s', `of ${first}`, { input: first })
    tell('s', `of ${first}`, { input: second })
    tell('s', `of ${first}`, { input: first })
    assert.equal(input() - before, second)
  }
})

test('of an id that many sessions use, the newest are known; a request tells copies', () => {
  const { tell, input } = bookOf(1 << 14)
  for (let index = 0; index < 12; index++) tell(`s${index}`, 'same', { input: 1 }, `r${index}`)
  assert.equal(input(), 12)
  for (let index = 4; index < 12; index++) tell(`s${index}`, 'same', { input: 1 }, `r${index}`)
  assert.equal(input(), 12)
  tell('another', 'same', { input: 1 }, 'r11')
  tell('another', 'same', { input: 1 })
  assert.equal(input(), 12, 'the session of a copy is known then')
  tell('s0', 'same', { input: 1 }, 'r0')
  assert.equal(input(), 13, 'it was forgotten')
})

test('the oldest are forgotten first, also when the room for them is used again and again', () => {
  for (const most of [1, 3, 64, 100]) {
    const { tell, input } = bookOf(most)
    for (let index = 0; index < 1000; index++) {
      tell('s', `m${index}`, { input: 1 })
      for (let back = 0; back < Math.min(most, 4, index + 1); back++) tell('s', `m${index - back}`, { input: 1 })
    }
    assert.equal(input(), 1000, `${most}`)
    for (let index = 1000 - most; index < 1000; index++) tell('s', `m${index}`, { input: 1 })
    assert.equal(input(), 1000, `${most}`)
    tell('s', `m${999 - most}`, { input: 1 })
    assert.equal(input(), 1001, `${most}`)
  }
})

test('the main conversation takes a message from its subagent', () => {
  const { tell, usage } = bookOf(64)
  tell('s', 'm', { input: 5 }, undefined, 'a')
  assert.equal(usage.report().agents[0]?.input, 5)
  tell('s', 'm', { input: 5 })
  assert.deepEqual(usage.report().agents, [])
  assert.equal(usage.report().totals.input, 5)
})

test('of a session without turns no more is kept than is remembered', () => {
  const { tell, input, usage } = bookOf(16)
  for (let index = 0; index < 1000; index++) tell('s', `msg_${index}`, { input: 1 })
  assert.equal(input(), 1000)
  assert.ok(usage.book.sessionOf('s').kept.length <= 32)
})
