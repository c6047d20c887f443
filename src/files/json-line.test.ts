import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson, stringifyJson } from '../base/json.ts'
import { createMoulds } from '../base/moulds.ts'
import { spanOf } from '../base/spans.ts'
import { createJsonLines } from './json-line.ts'

const textOf = ({ text: line }: { text: Uint8Array }): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(line)

const text = fc.oneof(
  fc.constantFrom(
    '',
    'ab',
    'cd',
    '"',
    '\\"',
    'ü',
    '\u2028',
    '\ud800',
    '🙂',
    '\u007f',
    '\n\n',
    'x'.repeat(256),
    'y'.repeat(257),
    '→'.repeat(2000),
  ),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const numbers = [0, -0, 7, 9, 10, 99, 100, 999_999_999, 1e9, 1_794_826_656_216, 2 ** 53 - 1, 2 ** 53, 1e21, -1, 0.5, Number.NaN, Infinity]
const scalar = fc.oneof(text, fc.constantFrom(...numbers), fc.nat({ max: 20 }), fc.constantFrom(undefined, null, true, false))
const list = fc.array(scalar, { maxLength: 2 })
const flat = fc.dictionary(fc.constantFrom('a', 'b', 'c', '', '}', '1'), fc.oneof(scalar, list), { maxKeys: 3, noNullPrototype: true })
const nested = fc.letrec((tie) => ({ any: fc.oneof({ maxDepth: 6 }, flat, fc.record({ a: tie('any'), b: scalar })) })).any
const value = fc.oneof(scalar, scalar, nested, list, fc.constant(parseJson('12345678901234567890')), fc.constant(Object.create(null)))
const key = fc.constantFrom('a', 'b', 'c', 'd', '2', 'an "odd" ü', '__proto', '{')

test('whatever came before, the line of a record is its JSON', () => {
  const records = fc.array(fc.tuple(fc.dictionary(key, value, { maxKeys: 6, noNullPrototype: true }), fc.constantFrom('x', 'x', 'y')), {
    maxLength: 8,
  })
  const property = fc.property(records, (all) => {
    const lines = createJsonLines()
    for (const [record, sort] of all) assert.equal(textOf(lines.line(record, sort)), JSON.stringify(record))
  })
  fc.assert(property, { numRuns: 2000 })
})

test('records that differ in a few values only', () => {
  const record = fc.record({
    n: scalar,
    event: fc.constant('chunk'),
    content: fc.record({ type: fc.constant('text'), text: scalar }),
    ts: scalar,
  })
  const property = fc.property(fc.array(record, { minLength: 2 }), (all) => {
    const lines = createJsonLines()
    for (const one of all) assert.equal(textOf(lines.line(one, '')), JSON.stringify(one))
  })
  fc.assert(property, { numRuns: 1000 })
})

test('lines of one shape have the same keys in the same order', () => {
  const key = fc.constantFrom('', 'a', 'b')
  const flat = fc.dictionary(key, fc.constantFrom(1, 22, 'x', undefined))
  const record = fc.dictionary(key, fc.oneof(fc.constantFrom(1, 'x', undefined), flat))
  const property = fc.property(fc.array(record, { minLength: 2 }), (all) => {
    const lines = createJsonLines()
    const keysOf = new Map<number, string[]>()
    for (const one of all) {
      const { shape } = lines.line(one, '')
      if (!keysOf.has(shape)) keysOf.set(shape, Object.keys(one))
      assert.deepEqual(Object.keys(one), keysOf.get(shape))
    }
  })
  fc.assert(property, { numRuns: 2000 })
  const { line } = createJsonLines()
  assert.equal(line({ a: 1, b: { c: 'x' } }, '').shape, line({ a: 22, b: { c: 'long' } }, '').shape)
})

test('a record that cannot be written leaves nothing behind', () => {
  const lines = createJsonLines()
  lines.line({ a: 1, b: 'two', c: 3 }, '')
  assert.throws(() => lines.line({ a: 1, b: 'three', c: 3n }, ''), TypeError)
  assert.equal(textOf(lines.line({ a: 1, b: 'two', c: 3 }, '')), '{"a":1,"b":"two","c":3}')
})

test('a record that is nested deeper than the engine can follow is still written, again and again', () => {
  const lines = createJsonLines()
  let deep: object = {}
  for (let depth = 0; depth < 100_000; depth++) deep = { a: deep }
  for (const record of [{ a: 1 }, { deep }, { deep: { a: { a: { a: { a: 1 } } } } }, { deep }])
    assert.equal(textOf(lines.line(record, '')), stringifyJson(record))
})

test('more sorts and more fields than are kept', () => {
  const lines = createJsonLines()
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key ${index}`, index]))
  for (let sort = 0; sort < 200; sort++)
    for (const record of [{ sort }, { sort, more: 'x' }, wide, { sort }])
      assert.equal(textOf(lines.line(record, String(sort))), JSON.stringify(record))
})

test('long texts of the line that was read last, however they are spelled there', () => {
  const units = ['a', ' ', '\\"', '\\\\', '\\/', '\\n', '\\u001b', '\\u00e9', '\\ud800', '\u007f', 'é', '→', '😀', '\u2028']
  const spelled = fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 60 }).map((some) => some.repeat(20))
  let copied = 0
  const property = fc.property(fc.array(spelled, { minLength: 4, maxLength: 12 }), (all) => {
    const moulds = createMoulds({ plainNumbers: true })!
    const { line } = createJsonLines()
    for (const one of all) {
      const bytes = new TextEncoder().encode(`{"id":"x","text":"${one}"}`)
      const read = moulds.read(bytes, 0, bytes.length)
      const record = read ?? (JSON.parse(`{"id":"x","text":"${one}"}`) as { text: string })
      if (read === undefined) moulds.learn(record, bytes, 0, bytes.length)
      if (spanOf(record['text'] as string) !== undefined) copied++
      for (const told of [record, { kind: 'a', ...record, more: 1 }, record]) assert.equal(textOf(line(told, '')), JSON.stringify(told))
    }
    moulds.free()
  })
  fc.assert(property)
  assert.ok(copied > 0, 'some of them are copied')
})
