import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue, type Deliver } from './notify-queue.ts'

/** A receiver that answers when the test says so. */
function slow() {
  const got: string[] = []
  const open: ((why?: string) => void)[] = []
  const deliver: Deliver = (message, signal) =>
    new Promise((resolve) => {
      got.push(message)
      open.push(resolve)
      signal.addEventListener('abort', () => resolve('over'))
    })
  const answer = async (why?: string): Promise<void> => {
    open.shift()!(why)
    await new Promise(setImmediate)
  }
  return { got, deliver, answer, running: () => open.length }
}
const message = (n: number): string => JSON.stringify({ n })

test('one at a time, in order, and all of them when there is time', async () => {
  const { got, deliver, answer, running } = slow()
  const queue = createQueue({ deliver, onFailure: assert.fail })
  for (const n of [1, 2, 3]) queue.push(message(n))
  for (const n of [1, 2, 3]) {
    assert.equal(got.length, n)
    assert.equal(running(), 1)
    await answer()
  }
  assert.deepEqual(got, [1, 2, 3].map(message))
  assert.deepEqual(await queue.close(1000), { delivered: 3, failed: 0, dropped: 0, late: 0 })
})

test('when too many wait the oldest go, and the next message says how many are missing', async () => {
  const { got, deliver, answer } = slow()
  const queue = createQueue({ deliver, onFailure: assert.fail, most: 3 })
  for (let n = 1; n <= 10_000; n++) queue.push(message(n))
  assert.deepEqual(got, [message(1)])
  await answer()
  assert.deepEqual(JSON.parse(got[1]!), { missed: 9996, n: 9998 })
  await answer()
  assert.deepEqual(JSON.parse(got[2]!), { n: 9999 })
  await answer()
  await answer()
  assert.deepEqual(await queue.close(1000), { delivered: 4, failed: 0, dropped: 9996, late: 0 })
})

test('large messages give way as well, but one always stays', async () => {
  const { got, deliver, answer } = slow()
  const queue = createQueue({ deliver, onFailure: assert.fail, mostChars: 100 })
  const large = (n: number): string => JSON.stringify({ n, text: 'x'.repeat(80) })
  for (const n of [1, 2, 3, 4]) queue.push(large(n))
  await answer()
  assert.deepEqual(JSON.parse(got[1]!), { missed: 2, ...JSON.parse(large(4)) })
  await answer()
  await queue.close(1000)
})

test('one that failed is missing too', async () => {
  const { got, deliver, answer } = slow()
  const whys: string[] = []
  const queue = createQueue({ deliver, onFailure: (why) => whys.push(why) })
  for (const n of [1, 2, 3]) queue.push(message(n))
  await answer('no')
  await answer('no again')
  assert.deepEqual(JSON.parse(got[2]!), { missed: 2, n: 3 })
  await answer()
  assert.deepEqual(whys, ['no', 'no again'])
  assert.deepEqual(await queue.close(1000), { delivered: 1, failed: 2, dropped: 0, late: 0 })
})

test('at the end there is a time for the rest, and then it is over', async () => {
  const { got, deliver } = slow()
  const queue = createQueue({ deliver, onFailure: () => {} })
  for (const n of [1, 2, 3]) queue.push(message(n))
  assert.deepEqual(await queue.close(20), { delivered: 0, failed: 1, dropped: 0, late: 2 })
  queue.push(message(4))
  assert.equal(got.length, 1)
})

test('the end does not wait for the gap between two', async () => {
  const got: string[] = []
  const deliver: Deliver = async (one) => void got.push(one)
  const queue = createQueue({ deliver, onFailure: assert.fail, gapMs: 60_000 })
  for (const n of [1, 2, 3]) queue.push(message(n))
  await new Promise(setImmediate)
  assert.equal(got.length, 1)
  await queue.close(1000)
  assert.equal(got.length, 3)
})
