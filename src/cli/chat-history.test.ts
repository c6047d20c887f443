import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { historyPath, openHistory } from './chat-history.ts'

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-history-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return historyPath(join(folder, 'state'))
}

test('what was typed is there the next time, newest first and once', (t) => {
  const path = fileFor(t)
  const first = openHistory(path)
  for (const text of ['one', 'two\nlines', 'one', 'one', ' ']) first.add(text)
  assert.deepEqual(openHistory(path).entries(), ['one', 'two\nlines'])
  assert.deepEqual(first.entries(), ['one', 'two\nlines'])
})

test('nobody else may read it', (t) => {
  const path = fileFor(t)
  openHistory(path).add('secret')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(statSync(join(path, '..')).mode & 0o777, 0o700)
})

test('it stays small: long texts are left out, old entries dropped', (t) => {
  const path = fileFor(t)
  const history = openHistory(path)
  history.add('x'.repeat(5000))
  for (let at = 0; at < 1200; at++) history.add(`entry ${at}`)
  assert.equal(openHistory(path).entries().length, 500)
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 501)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a broken line, or a file that is none, does no harm', (t) => {
  const path = fileFor(t)
  openHistory(path).add('kept')
  appendFileSync(path, '{"half\n17\n')
  assert.deepEqual(openHistory(path).entries(), ['kept'])
  writeFileSync(join(path, '../in-the-way'), '')
  const impossible = openHistory(join(path, '../in-the-way/chat-history'))
  impossible.add('only for now')
  assert.deepEqual(impossible.entries(), ['only for now'])
})
