import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from './dialects.ts'
import { createSessionsSeen } from './watch-session.ts'
import { createStream } from './watch-stream.ts'

function* noise(blocks: number): Generator<Uint8Array> {
  const block = Buffer.alloc(1 << 20, 'a line of a log that tells no event at all\n')
  for (let count = 0; count < blocks; count++) yield block
}

test('input without a record is not kept for ever', async () => {
  let read = 0
  const counted = (function* () {
    for (const block of noise(100_000)) {
      read++
      yield block
    }
  })()
  await assert.rejects(open(counted, undefined), /no JSON record was found in its first 256 MiB; name it with --from/)
  assert.equal(read, 257)
})

test('watch gives up at the same place, and zeros without an end are not empty', async () => {
  const never = (): never => assert.fail()
  const stream = createStream({
    name: '',
    dialect: undefined,
    maxLine: undefined,
    put: { line: never, bytes: never, made: never },
    redactor: undefined,
    createView: never,
    createClassifier: undefined,
    session: undefined,
    sessions: createSessionsSeen(undefined),
    skip: 0,
  })
  const block = new Uint8Array(1 << 20)
  for (let count = 0; count < 256; count++) await stream.push(block)
  await assert.rejects(stream.push(block), /: no JSON record was found in its first 256 MiB; name it with --from/)
})

test('much that is no record before the first one is given on', async () => {
  const record = Buffer.from('\n{"event":"session.start","session_id":"s","backend":"claude","ts":1}\n')
  const input = (function* () {
    yield* noise(3)
    yield record
  })()
  const { dialect, read } = await open(input, undefined)
  let size = 0
  await read((block) => void (size += block.length))
  assert.deepEqual([dialect.name, size], ['avenor', 3 * (1 << 20) + record.length])
})
