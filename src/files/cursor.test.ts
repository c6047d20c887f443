import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { replaceFile } from './atomic.ts'
import { createCursor, readCursor } from './cursor.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-cursor-'))
after(() => rmSync(folder, { recursive: true }))
const log = join(folder, 'log')
writeFileSync(log, '0123456789')
const path = join(folder, 'cursor')
const unexpected = (error: unknown): never => assert.fail(String(error))

test('a missing cursor is 0, one at the end of the log is fine, with or without a line break', () => {
  assert.equal(readCursor(join(folder, 'none'), log), 0)
  for (const [text, offset] of [
    ['0\n', 0],
    ['7\n', 7],
    ['10\n', 10],
    ['10', 10],
    ['10\r\n', 10],
  ] as const) {
    writeFileSync(path, text)
    assert.equal(readCursor(path, log), offset)
  }
})

test('what is no number of bytes is refused, and the message says what to do', () => {
  for (const text of ['', '-1\n', '1.5\n', '0x10\n', '1e3\n', 'ten\n', '1 2\n', ' 1\n']) {
    writeFileSync(path, text)
    assert.throws(() => readCursor(path, log), { name: 'CursorError', message: /not a number of bytes; remove it/ }, JSON.stringify(text))
  }
})

test('a log that is shorter than the cursor is refused, also one that is not there', () => {
  writeFileSync(path, '11\n')
  assert.throws(() => readCursor(path, log), { name: 'CursorError', message: /is shorter than the cursor: 10 bytes, .* stands at 11/ })
  assert.throws(() => readCursor(path, join(folder, 'none')), { message: /shorter than the cursor: 0 bytes/ })
})

test('a folder in its place is an error of the system', () => {
  assert.throws(() => readCursor(folder, log), { code: 'EISDIR' })
})

test('of many moves the last one is saved, and no other file is left', async () => {
  const cursor = createCursor(path, unexpected)
  for (let offset = 1; offset <= 1000; offset++) cursor.move(offset)
  await cursor.settle()
  assert.equal(readFileSync(path, 'utf8'), '1000\n')
  cursor.move(5)
  await cursor.settle()
  assert.equal(readFileSync(path, 'utf8'), '5\n')
  assert.deepEqual(readdirSync(folder).toSorted(), ['cursor', 'log'])
})

test('a save that fails is told, once it is known, and leaves nothing behind', async () => {
  const target = join(folder, 'taken')
  mkdirSync(join(target, 'by a folder'), { recursive: true })
  const cursor = createCursor(target, (error) => new Error('cannot save', { cause: error }))
  cursor.move(1)
  await assert.rejects(cursor.settle(), { message: 'cannot save' })
  assert.throws(() => cursor.move(2), { message: 'cannot save' })
  assert.deepEqual(readdirSync(folder).toSorted(), ['cursor', 'log', 'taken'])
})

test('a file is replaced whole: a reader finds the old content or the new', async () => {
  const file = join(folder, 'whole')
  const texts = ['a'.repeat(100_000), 'b'.repeat(50_000)]
  await replaceFile(file, texts[0]!)
  for (let round = 0; round < 20; round++) {
    const saved = replaceFile(file, texts[round % 2]!)
    for (let read = 0; read < 20; read++) assert.ok(texts.includes(readFileSync(file, 'utf8')))
    await saved
  }
})
