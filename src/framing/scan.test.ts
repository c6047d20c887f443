import assert from 'node:assert/strict'
import test from 'node:test'
import { mayBeJson } from './scan.ts'

const may = (text: string): boolean => mayBeJson(Buffer.from(text), 0, Buffer.byteLength(text))

test('whatever is JSON may be JSON', () => {
  const values = [
    '{}',
    '{"a":1}',
    '[]',
    '[ ]',
    '[1,2]',
    '[[1]]',
    '[[]]',
    '"x"',
    '0',
    '-1',
    '1',
    '12',
    '1.5',
    '1e3',
    '-0.5',
    'true',
    'false',
    'null',
    '[true]',
    ' \t{}',
    ' 7 ',
    '[-1]',
  ]
  for (const text of values) {
    JSON.parse(text)
    assert.ok(may(text), text)
  }
})

test('what programs print beside their records is no JSON at the first look', () => {
  for (const text of [
    'no record',
    'Welcome',
    'this one',
    '2026-01-01T10:00 x',
    '2026-01-01 10:00 x',
    'Error: x',
    '1) one',
    '[INFO] x',
    '> go',
    '- item',
    '',
    '   ',
  ])
    assert.ok(!may(text), text)
})

test('brackets without end do no harm', () => assert.ok(may('['.repeat(1_000_000))))
