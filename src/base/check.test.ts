// What the tests of scripts, which use the checker most, do not touch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mistakesIn, type Schema } from './check.ts'

const messages = (value: unknown, schema: Schema): string[] => [...mistakesIn(value, schema, 'it')].map(({ message }) => message)

test('mappings with keys of their own', () => {
  const schema: Schema = {
    type: 'object',
    additionalProperties: { type: 'integer' },
    propertyNames: { pattern: '^[a-z]+$', description: 'small letters' },
  }
  assert.deepEqual(messages({ a: 1, b: 2 }, schema), [])
  assert.deepEqual(messages({ a: 'x' }, schema), ['a must be a whole number, not "x"'])
  assert.deepEqual(messages({ A: 1 }, schema), ['"A" in it is no name (small letters)'])
  assert.deepEqual(messages({ 'a b\u001b': 'x' }, { type: 'object', additionalProperties: { type: 'integer' } }), [
    '"a b\\u001b" must be a whole number, not "x"',
  ])
})

test('exactly one of several keys', () => {
  const schema: Schema = { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] }
  assert.deepEqual(messages({ a: 1 }, schema), [])
  assert.deepEqual(messages({}, schema), ['it needs a or b'])
  assert.deepEqual(messages({ a: 1, b: 1 }, schema), ['it needs a or b, not both'])
})

test('empty lists and numbers that must be more', () => {
  assert.deepEqual(messages([], { type: 'array', minItems: 1 }), ['it must not be empty'])
  assert.deepEqual(messages(0, { type: 'number', exclusiveMinimum: 0 }), ['it must be more than 0, not 0'])
  assert.deepEqual(messages(NaN, { type: 'number', exclusiveMinimum: 0 }), ['it must be more than 0, not NaN'])
  assert.deepEqual(messages(0.01, { type: 'number', exclusiveMinimum: 0 }), [])
})
