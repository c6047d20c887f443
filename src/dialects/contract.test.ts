// What a decoder does for every dialect: unknown keys stay with what their record tells. And that none is left out of the shared suite.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { decoderOf, type DecoderBody, type Shapes } from './contract.ts'
import type { Pen } from '../model/pen.ts'

const shapes: Shapes = {
  checks: { a: () => true },
  keys: { a: new Set(['type', 'inner', 'synthetic']) },
  schemaOf: () => ({ type: 'object', properties: { type: {}, inner: { type: 'object', properties: { x: {} } } } }),
}
const tag = (record: Rec): string => record['type'] as string

function decode(record: Rec, push: (pen: Pen) => void): Partial<Event>[] {
  const body = (pen: Pen): DecoderBody => ({ push: () => push(pen) })
  const decoder = decoderOf({ name: 'd', shapes, tag }, body)
  return decoder
    .push(record, { dialect: 'd', record: 1, offset: 0, length: 0 })
    .map(({ v: _v, seq: _seq, origin: _origin, ...event }) => JSON.parse(JSON.stringify(event)) as Partial<Event>)
}
const deep = { type: 'a', inner: { x: 1, y: 2 } }
const kept = { type: 'a', kind: 'raw', why: 'unmapped' }

test('unknown keys stand with the first event that the record tells', () => {
  const tells = (pen: Pen): void => {
    pen.emit('session.start', {}, { synthetic: 'implied' })
    pen.emit('notice', { level: 'info', text: 't' })
    pen.emit('notice', { level: 'info', text: 'u' })
  }
  assert.deepEqual(
    decode(deep, tells).map(({ kind, ext }) => [kind, ext]),
    [
      ['session.start', undefined],
      ['notice', { d: { inner: { y: 2 } } }],
      ['notice', undefined],
    ],
  )
})

test('a record that tells nothing is kept for its unknown keys, deep or on top', () => {
  assert.deepEqual(
    decode({ type: 'a', inner: { x: 1 } }, () => {}),
    [],
  )
  assert.deepEqual(
    decode(deep, () => {}),
    [kept],
  )
  assert.deepEqual(
    decode({ type: 'a', y: 1 }, () => {}),
    [kept],
  )
  assert.deepEqual(
    decode({ ...deep, synthetic: 'cut' }, () => {}),
    [{ ...kept, synthetic: 'cut' }],
  )
  assert.deepEqual(decode(deep, (pen) => pen.emit('session.start', {}, { synthetic: 'implied' })).at(-1), kept)
  assert.deepEqual(
    decode(deep, (pen) => pen.raw('b', 'unmapped')),
    [{ ...kept, type: 'b' }],
    'its text is kept already',
  )
})

test('every dialect runs the shared suite', () => {
  const here = new URL('.', import.meta.url)
  const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of folders) assert.ok(existsSync(new URL(`${name}/suite.test.ts`, here)), name)
})
