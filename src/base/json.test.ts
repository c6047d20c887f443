import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayHoldBigNumber, mayHoldHugeNumber, parseJson, stringifyJson, withPlainNumbers } from './json.ts'

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

test('a number past all doubles keeps its text', () => {
  for (const number of ['1e400', '-1E+999', '0.5e310', '12345e305']) {
    const text = `{"a":[${number},1e5],"b":${number}}`
    assert.equal(mayHoldHugeNumber(text), true)
    assert.equal(stringifyJson(parseJson(text)), text.replace('1e5', '100000'))
  }
  for (const text of ['{"a":1e99,"b":2.5e-400}', '{"id":"3e42-1234","uuid":"1e400123-4e123"}']) assert.equal(mayHoldHugeNumber(text), false)
  // What a double holds as it is spelled is a number like any other.
  assert.deepEqual(parseJson('{"a":1e100,"b":-2E+20,"c":[1e300]}'), { a: 1e100, b: -2e20, c: [1e300] })
  assert.deepEqual(withPlainNumbers(parseJson('{"a":[1e400,12345678901234567890,{"b":"x","c":null}]}')), {
    a: [Infinity, 1.2345678901234567e19, { b: 'x', c: null }],
  })
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
