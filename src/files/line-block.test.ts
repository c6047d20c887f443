import assert from 'node:assert/strict'
import test from 'node:test'
import { createLineBlock } from './line-block.ts'

function gather(): { writes: string[]; add(line: string): void; flush(): void } {
  const writes: string[] = []
  return { writes, ...createLineBlock((bytes) => void writes.push(Buffer.from(bytes).toString())) }
}

test('lines leave in one write, in their order, and nothing leaves twice', () => {
  const { writes, add, flush } = gather()
  for (const line of ['one', '', 'größer →', '🙂']) add(line)
  assert.deepEqual(writes, [])
  flush()
  flush()
  assert.deepEqual(writes, ['one\n\ngrößer →\n🙂\n'])
})

test('much leaves by itself, and a line that is larger than the block leaves whole, after those before it', () => {
  const { writes, add, flush } = gather()
  const lines = [...Array.from({ length: 12_000 }, (_, index) => `${index} ${'→'.repeat(index % 90)}`), 'x'.repeat(1 << 20), 'last']
  for (const line of lines) add(line)
  assert.ok(writes.length > 3)
  assert.ok(writes.includes(`${'x'.repeat(1 << 20)}\n`))
  flush()
  assert.equal(writes.join(''), `${lines.join('\n')}\n`)
})

test('what could not be written is not written again', () => {
  let calls = 0
  const block = createLineBlock(() => {
    calls++
    throw new Error('full')
  })
  block.add('one')
  assert.throws(() => block.flush(), /full/)
  block.flush()
  assert.equal(calls, 1)
})
