import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import test from 'node:test'
import { tailOf } from './tail.ts'

const tailAfter = async (most: number, ...chunks: string[]) => {
  const stream = new PassThrough()
  const tail = tailOf(stream, most)
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await finished(stream)
  return tail
}

test('little is kept whole', async () => {
  const tail = await tailAfter(100, 'one\n', 'two')
  assert.equal(tail.text(), 'one\ntwo')
  assert.equal(tail.bytes(), 7)
})

test('of much the last whole lines are kept, in bounded memory', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`)
  const tail = await tailAfter(1000, ...lines)
  assert.ok(tail.text().length <= 1000)
  assert.match(tail.text(), /^line \d+\nline \d+\n/)
  assert.ok(tail.text().endsWith('line 4999\n'))
  assert.equal(tail.bytes(), lines.join('').length)
})

test('one endless line is cut at its front', async () => {
  const tail = await tailAfter(10, 'x'.repeat(50), 'end')
  assert.equal(tail.text(), 'xxxxxxxend')
})
