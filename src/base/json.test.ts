import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord, mayHoldBigNumber, mayHoldHugeNumber, parseJson, stringifyJson, withPlainNumbers } from './json.ts'

test('an integer past 2^53 keeps its text wherever it stands', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 90n }), fc.nat(40), fc.boolean(), (number, pad, negative) => {
      const text = `{"${'x'.repeat(pad)}":${negative ? '-' : ''}${number},"b":[1,2.5]}`
      const bytes = new TextEncoder().encode(`##${text}##`)
      assert.equal(mayHoldBigNumber(bytes, 2, bytes.length - 2), true)
      assert.equal(stringifyJson(parseJson(text)), text)
    }),
    { numRuns: 2000 },
  )
})

test('a number that keeps its text is no record', () => {
  for (const number of ['12345678901234567890', '1e400']) assert.equal(isRecord(parseJson(number)), false)
  assert.equal(isRecord({ rawJSON: '1' }), true)
})

test('a number past all doubles keeps its text', () => {
  for (const number of ['1e400', '-1E+999', '0.5e310', '12345e305']) {
    const text = `{"a":[${number},1e5],"b":${number}}`
    assert.equal(mayHoldHugeNumber(text), true)
    assert.equal(stringifyJson(parseJson(text)), text.replace('1e5', '100000'))
  }
  for (const text of ['{"a":1e99,"b":2.5e-400}', '{"id":"3e42-1234","uuid":"1e400123-4e123"}']) assert.equal(mayHoldHugeNumber(text), false)
  // What a double holds as it is spelled is a number like any other.
  assert.deepEqual(parseJson('{"a":1e100,"b":-2E+20,"c":[1e300]}'), { a: 1e100, b: -2e20, c: [1e300] })
})

test('a number is as JavaScript has it where it must be one, and keeps its text elsewhere', () => {
  type Counted = { a: unknown; b: { c: unknown; __proto__: unknown }; d?: unknown[] }
  const text =
    '{"a":12345678901234567890,"b":{"c":1234567890123456789012,"__proto__":98765432109876543210,"e":null},"d":[12345678901234567890,{"x":"y"}]}'
  const value = parseJson(text) as Counted
  const counted = withPlainNumbers(value, ({ b, d }) => typeof b.c === 'number' && typeof d?.[0] === 'number')
  assert.deepEqual([counted?.b.c, counted?.d], [1.2345678901234568e21, [12345678901234567000, { x: 'y' }]])
  assert.match(
    stringifyJson(counted),
    /^\{"a":12345678901234567890,"b":\{"c":1\.2345678901234568e\+21,"__proto__":98765432109876543210,"e":null\}/,
  )
  assert.equal(stringifyJson(value), text, 'what was given is as it was')
  assert.equal(
    withPlainNumbers(value, () => false),
    undefined,
  )
  const many = withPlainNumbers(parseJson(`[${Array.from({ length: 100 }, () => '12345678901234567890').join()}]`), () => true)
  assert.ok(Array.isArray(many) && many.some((one) => typeof one === 'number'), 'a hostile list is not looked at a hundred times')
  assert.equal(
    withPlainNumbers(parseJson(`${'['.repeat(1e5)}${']'.repeat(1e5)}`), () => true),
    undefined,
  )
})

test('a number that keeps its text counts as that text where a text may stand, and is left out past all doubles', () => {
  const { id } = withPlainNumbers(parseJson('{"id":12345678901234567891}') as { id: unknown }, (one) => typeof one.id !== 'object')!
  assert.equal(id, '12345678901234567891')
  const isCounted = ({ n }: { n?: unknown }): boolean => n === undefined || typeof n === 'number'
  assert.equal(stringifyJson(withPlainNumbers(parseJson('{"n":1e400,"m":-1e400}') as { n?: unknown }, isCounted)), '{"m":-1e400}')
})

test('fractions and shorter numbers are no big numbers', () => {
  for (const text of ['{"a":0.0037619999999999997}', '{"timestamp":1741500000000,"b":123456789012345}', '{"id":"3e42-12345678901234"}']) {
    const bytes = new TextEncoder().encode(text.repeat(5))
    assert.equal(mayHoldBigNumber(bytes, 0, bytes.length), false)
  }
})

test('other values are what JSON.parse gives', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      assert.equal(stringifyJson(parseJson(json)), JSON.stringify(JSON.parse(json)))
    }),
  )
})

test('a value too deep for the engine is written like any other', () => {
  const depth = 200_000
  const text = `${'[{"a":'.repeat(depth)}12345678901234567${'}]'.repeat(depth)}`
  assert.equal(stringifyJson(JSON.parse(text)).length, text.length)
  assert.equal(stringifyJson(parseJson('{"a":[],"b":{},"c":null,"d":"\\u0000"}')), '{"a":[],"b":{},"c":null,"d":"\\u0000"}')
})
