// Real files, written by another process.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startWriter } from '../../test/writing.ts'
import { follow } from './follow.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-follow-'))
after(() => rmSync(folder, { recursive: true }))
let made = 0
const newFile = (): string => join(folder, `${++made}.log`)

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _piece of pieces);
}

/** Follows a file and waits until what came of it is what is expected. */
function watch(file: string) {
  const stop = new AbortController()
  let seen = ''
  let idle = 0
  let check = (): void => {}
  const done = (async () => {
    for await (const piece of follow(file, { signal: stop.signal })) {
      if (piece.type === 'idle') idle++
      else seen += piece.type === 'bytes' ? `${piece.offset}:${Buffer.from(piece.bytes).toString('latin1')}|` : `<${piece.type}>`
      check()
    }
  })()
  const until = async (what: () => boolean): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      check = () => what() && resolve()
      check()
      done.then(() => reject(new Error('it ended')), reject)
    })
  }
  return {
    done,
    /** All bytes without their places. */
    text: (): string => seen.replace(/\d+:([^|]*)\|/g, '$1'),
    pieces: (): string => seen,
    idle: (): Promise<void> => until(() => idle > 0),
    async sees(text: string): Promise<void> {
      await until(() => seen.replace(/\d+:([^|]*)\|/g, '$1') === text)
    },
    until,
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort()
      await done
    },
  }
}

test('what is there is read at once, what is added when it is', async () => {
  const file = newFile()
  writeFileSync(file, 'one\n')
  await using writer = startWriter()
  await writer.open('log', file)
  await using watcher = watch(file)
  await watcher.sees('one\n')
  await writer.write('log', 'two\n')
  await watcher.sees('one\ntwo\n')
  assert.equal(watcher.pieces(), '0:one\n|4:two\n|')
})

test('neither the file nor its folders need to exist', async () => {
  const deep = join(folder, 'not', 'yet', 'there.log')
  await using watcher = watch(deep)
  await watcher.idle()
  mkdirSync(join(folder, 'not'))
  mkdirSync(join(folder, 'not', 'yet'))
  await using writer = startWriter()
  await writer.open('log', deep)
  await writer.write('log', 'first\n')
  await watcher.sees('first\n')
})

test('every write of a single byte comes through, in order and once, and long before the slow look', async () => {
  const file = newFile()
  const bytes = Buffer.from('{"text":"é 漢 🦫"}\n')
  await using writer = startWriter()
  await writer.open('log', file)
  await using watcher = watch(file)
  const began = performance.now()
  for (const [index, byte] of bytes.entries()) {
    await writer.write('log', Uint8Array.of(byte))
    await watcher.sees(bytes.subarray(0, index + 1).toString('latin1'))
  }
  assert.ok(performance.now() - began < bytes.length * 250, 'the system does not tell of a write')
})

test('a truncated file is read from its start, whether it has become shorter or longer than before', async () => {
  const file = newFile()
  await using writer = startWriter()
  await writer.open('log', file)
  await writer.write('log', 'some old text\n')
  await using watcher = watch(file)
  await watcher.sees('some old text\n')
  await writer.step({ do: 'truncate', as: 'log' })
  await writer.write('log', 'new\n')
  await watcher.sees('some old text\n<truncated>new\n')
  await writer.step({ do: 'rewrite', file, text: 'rewritten, and longer than it ever was\n' })
  await watcher.sees('some old text\n<truncated>new\n<truncated>rewritten, and longer than it ever was\n')
})

test('a rotated file is read to its end, also what is written to it after it lost its name', async () => {
  const file = newFile()
  await using writer = startWriter()
  await writer.open('old', file)
  await writer.write('old', '1\n')
  await using watcher = watch(file)
  await watcher.sees('1\n')
  await writer.step({ do: 'rename', file, to: `${file}.1` })
  await writer.write('old', '2\n')
  await watcher.sees('1\n2\n')
  await writer.open('new', file) // empty: whoever rotates makes it, and the program goes over to it later
  await writer.write('old', '3\n')
  await watcher.sees('1\n2\n3\n')
  await writer.write('old', '4\n')
  await writer.write('new', '5\n')
  await watcher.sees('1\n2\n3\n4\n<replaced>5\n')
  assert.match(watcher.pieces(), /<replaced>0:5\n/)
})

test('a file that is replaced, or removed and made anew, is read from its start', async () => {
  const file = newFile()
  await using writer = startWriter()
  await writer.step({ do: 'rewrite', file, text: 'a\n' })
  await using watcher = watch(file)
  await watcher.sees('a\n')
  await writer.step({ do: 'rewrite', file: `${file}.new`, text: 'b\n' })
  await writer.step({ do: 'rename', file: `${file}.new`, to: file })
  await watcher.sees('a\n<replaced>b\n')
  await writer.step({ do: 'remove', file })
  await writer.open('log', file)
  await writer.write('log', 'c\n')
  await watcher.sees('a\n<replaced>b\n<replaced>c\n')
})

test('behind a link, the file it leads to is watched', async () => {
  const file = newFile()
  const link = join(folder, 'links')
  mkdirSync(link)
  symlinkSync(file, join(link, 'log'))
  await using writer = startWriter()
  await writer.open('log', file)
  await writer.write('log', 'x\n')
  await using watcher = watch(join(link, 'log'))
  await watcher.sees('x\n')
  const began = performance.now()
  for (let count = 1; count <= 8; count++) {
    await writer.write('log', 'y\n')
    await watcher.sees(`x\n${'y\n'.repeat(count)}`)
  }
  assert.ok(performance.now() - began < 2000, 'the system does not tell of a write')
})

test('a large file comes in blocks, and other work gets its turn between them', async () => {
  const file = newFile()
  const size = 5 << 20
  writeFileSync(file, Buffer.alloc(size, 'x'))
  let turns = 0
  const count = (): void => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  let total = 0
  let largest = 0
  for await (const piece of follow(file)) {
    if (piece.type === 'idle') break
    if (piece.type !== 'bytes') continue
    total += piece.bytes.length
    largest = Math.max(largest, piece.bytes.length)
  }
  clearImmediate(immediate)
  assert.equal(total, size)
  assert.ok(largest <= 1 << 17, `${largest} bytes at once`)
  assert.ok(turns >= size / (1 << 17), `only ${turns} turns`)
})

test('an abort ends it, at any time, and closes everything', async () => {
  const open = (): number => readdirSync('/proc/self/fd').length
  const file = newFile()
  const before = open()
  for (const text of [undefined, 'x\n']) {
    if (text !== undefined) appendFileSync(file, text)
    const watcher = watch(file)
    await watcher.idle()
    await watcher[Symbol.asyncDispose]()
  }
  await drain(follow(file, { signal: AbortSignal.abort() }))
  assert.equal(open(), before)
})

test('what cannot be read is an error', async () => {
  await assert.rejects(drain(follow(folder)), { code: 'EISDIR' })
})
