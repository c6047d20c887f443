import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseJson, stringifyJson } from '../base/json.ts'
import { createMoulds } from '../base/moulds.ts'
import { spanOf } from '../base/spans.ts'
import { createJsonOut } from './json-out.ts'

function written(...values: unknown[]): string {
  const parts: Buffer[] = []
  const out = createJsonOut((bytes) => void parts.push(Buffer.from(bytes)))
  for (const value of values) out.json(value)
  out.flush()
  return Buffer.concat(parts).toString()
}

const expected = (...values: unknown[]): string => values.map((value) => `${stringifyJson(value)}\n`).join('')
const same = (...values: unknown[]): void => assert.equal(written(...values), expected(...values))

test('values are written as JSON.stringify writes them', () => {
  const steps = [1, 9, 10, 99, 100, 999_999_999, 1e9, 1_000_000_001, 4_294_967_295, 4_294_967_296, 1_794_729_802_303, 2 ** 53 - 1, 2 ** 53]
  same(...steps, ...steps.map((step) => -step), ...steps.map((step) => step + 0.5))
  same(null, true, false, 0, -0, 1.5e-7, 1e21, Number.NaN, Infinity, '', [], {}, [[]], { a: {} })
  same({ a: undefined, b: [undefined, null], 2: 'x', 1: 'y', 'quoted"key': 1, é: 2, ['__proto__']: 3 })
  same(Object.assign(Object.create(null) as object, { toString: 1 }))
  same(parseJson('{"big":12345678901234567890,"list":[98765432109876543210]}'))
})

test('every character, in short texts and in long ones', () => {
  const letters = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit))
  same(
    letters,
    letters.map((letter) => `${letter}${'x'.repeat(50)}${letter}`),
  )
  same('\ud83d\ude00'.repeat(20), `\ude00\ud83d${'\ud83d\ude00'.repeat(20)}`, `${'x'.repeat(60)}\ufffd`)
})

test('any value', () => {
  const units = fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', '\u001f', '\u007f', 'é', '→', '😀', '\ud800', '\ufffd'),
    maxLength: 90,
  })
  fc.assert(fc.property(fc.array(fc.oneof(fc.jsonValue(), units, fc.dictionary(units, units))), (values) => same(...values)))
})

test('what is longer than the buffer, and what is nested deeper than calls may be', () => {
  const long = `${'x'.repeat(0x1ffff)}😀"`.repeat(20)
  same(
    { long, again: long },
    'é'.repeat(2_000_000),
    Array.from({ length: 300_000 }, (_, index) => index),
  )
  let deep: unknown = 'x'
  for (let depth = 0; depth < 20_000; depth++) deep = depth % 2 === 0 ? [deep] : { deep }
  same(deep)
})

test('a long text that comes again is the same again, also after a flush', () => {
  const [one, two] = ['a"b→'.repeat(100), 'a"b→'.repeat(101)]
  same({ one, two: one, three: two, four: [two, one, one] })
  same(...Array.from({ length: 3000 }, () => ({ one, two: one })))
})

test('keys and short values of records before: others, fewer, below another, more than are remembered', () => {
  same(
    { a: 'x', b: 'y', c: { a: 'x' } },
    { a: 'x', c: { a: 'z' } },
    { c: { a: 'x', b: 'y' }, a: 'z' },
    { a: 'x"', b: 'é', c: {} },
    { a: 'x' },
  )
  same({ a: { b: 'c' } }, { a: [{ b: 'c' }, { b: 'd', a: 1 }] }, { a: { a: { a: 'c' } } })
  const many = Array.from({ length: 40_000 }, (_, index) => ({ [`key ${index}`]: 'x', ['é'.repeat(index % 200)]: { a: 'x' } }))
  same(...many, ...many.slice(-10), ...many.slice(0, 10))
  same(...Array.from({ length: 50_000 }, (_, index) => ({ type: index % 3 === 0 ? 'one' : 'two', text: 'é', next: 'three' })))
})

test('long texts of a line that was read, whatever their spelling there', () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    '\\"',
    '\\\\',
    '\\/',
    '\\n',
    '\\t',
    '\\b',
    '\\f',
    '\\r',
    '\\u001b',
    '\\u00e9',
    '\\ud800',
    '\u007f',
    'é',
    '→',
    '😀',
    '\u2028',
  )
  const text = fc.string({ unit, minLength: 1, maxLength: 60 }).map((some) => some.repeat(20)) // as it stands between its quotes
  const encoder = new TextEncoder()
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 4, maxLength: 12 }), (all) => {
      const moulds = createMoulds({ plainNumbers: true })!
      for (const [one, other] of all) {
        const line = `{"id":"x","one":"${one}","other":{"text":"${other}"}}`
        const bytes = encoder.encode(line)
        const record = moulds.read(bytes, 0, bytes.length)
        if (record === undefined) moulds.learn(JSON.parse(line), bytes, 0, bytes.length)
        else assert.equal(written(record, { again: record['one'] }), expected(record, { again: record['one'] }))
      }
      moulds.free()
      assert.equal(spanOf(JSON.parse(`"${all.at(-1)![0]}"`) as string), undefined)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\\n', '→'), minLength: 300, maxLength: 400 }), (long) => {
      const moulds = createMoulds({ plainNumbers: true })!
      const line = encoder.encode(`{"text":"${long}"}`)
      for (let times = 0; times < 2; times++) {
        assert.equal(moulds.read(line, 0, line.length), undefined)
        moulds.learn({ text: JSON.parse(`"${long}"`) }, line, 0, line.length)
      }
      const record = moulds.read(line, 0, line.length)!
      assert.ok(spanOf(record['text'] as string), 'it is known where the text stands')
      moulds.hold(encoder.encode('other bytes'))
      assert.equal(spanOf(record['text'] as string), undefined, 'and no longer when the bytes have changed')
      same(record)
      moulds.free()
    }),
    { numRuns: 20 },
  )
})
