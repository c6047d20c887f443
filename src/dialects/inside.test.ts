import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import type { Schema } from '../base/explain.ts'
import { parseJson, type Rec } from '../base/json.ts'
import { knownIn, merged, putBack, unknownIn } from './inside.ts'

const { Object: object, Array: list, Optional: optional, Union: union, Unknown: any, String: text, Null: nothing } = Type
const schema = object({
  type: text(),
  input: any(),
  open: object({}),
  usage: union([object({ in: any() }), nothing()]),
  blocks: list(object({ type: text(), of: optional(object({ id: text() })) })),
  content: union([text(), list(object({ text: text() }))]),
  either: union([object({ a: text(), both: any() }), object({ b: text(), both: object({ c: text() }) })]),
  loose: union([object({ a: text() }), any()]),
  oneOrMany: union([object({ a: any() }), list(object({ b: any() }))]),
  models: Type.Record(text(), object({ cost: any() })),
  told: Type.Object({ by: object({ id: any() }) }, { additionalProperties: {} }),
  shares: Type.Unsafe({ type: 'object', additionalProperties: object({ cost: any() }) }),
})
const known = knownIn(schema as unknown as Schema)!
const found = (record: Rec): unknown => JSON.parse(JSON.stringify(unknownIn(record, known) ?? null))

test('what is known has nothing unknown in it', () => {
  const record = {
    type: 'a',
    input: { x: 1 },
    usage: { in: { y: 1 } },
    blocks: [{ type: 'b', of: { id: 'c' } }],
    content: 'words',
    either: { a: 'a', b: 'b', both: { z: 1 } },
    loose: { b: 1 },
    models: { one: { cost: 1 }, other: { cost: { d: 1 } } },
  }
  assert.equal(unknownIn(record, known), undefined)
  for (const odd of [{ usage: null }, { blocks: 'none' }, { blocks: [null, 1] }, { either: [] }, { models: null }, { usage: 3 }, {}])
    assert.equal(unknownIn(odd, known), undefined, JSON.stringify(odd))
})

test('unknown keys are told where they stand, with nothing else', () => {
  assert.deepEqual(found({ type: 'a', new: { of: 1 } }), { new: { of: 1 } })
  assert.deepEqual(found({ usage: { in: 1, out: 2 } }), { usage: { out: 2 } })
  assert.deepEqual(found({ blocks: [{ type: 'a' }, { type: 'b', of: { id: 'c', more: [1] }, new: null }] }), {
    blocks: { 1: { of: { more: [1] }, new: null } },
  })
  assert.deepEqual(found({ content: [{ text: 'a', cache: true }] }), { content: { 0: { cache: true } } })
  assert.deepEqual(found({ either: { a: 'a', c: 1 } }), { either: { c: 1 } })
  assert.deepEqual(found({ oneOrMany: { a: { x: 1 }, c: 1 } }), { oneOrMany: { c: 1 } })
  assert.deepEqual(found({ oneOrMany: [{ b: { x: 1 }, a: 1 }] }), { oneOrMany: { 0: { a: 1 } } })
  assert.deepEqual(found({ models: { one: { cost: 1, time: 2 } } }), { models: { one: { time: 2 } } })
  assert.deepEqual(found({ shares: { one: { cost: 1, time: 2 } } }), { shares: { one: { time: 2 } } })
  assert.deepEqual(found({ told: { by: { id: 1, name: 2 }, more: { y: 1 } } }), { told: { by: { name: 2 } } }, 'other keys are welcome')
  assert.deepEqual(found({ open: { x: 1 } }), { open: { x: 1 } }, 'a schema that names no key knows none')
})

test('which of the keys must be there says nothing of the others', () => {
  const either = { properties: { a: { type: 'object', properties: { b: {} } } }, anyOf: [{ required: ['a'] }, { required: ['c'] }] }
  assert.deepEqual(JSON.parse(JSON.stringify(unknownIn({ a: { b: 1, d: 2 }, e: 3 }, knownIn(either)!))), { a: { d: 2 }, e: 3 })
})

test('keys that would change an object are keys like others', () => {
  const record = JSON.parse('{"usage":{"__proto__":{"a":1},"constructor":2}}') as Rec
  assert.equal(JSON.stringify(unknownIn(record, known)), '{"usage":{"__proto__":{"a":1},"constructor":2}}')
  assert.equal(
    JSON.stringify(merged({ usage: { x: 1 } }, unknownIn(record, known))),
    '{"usage":{"x":1,"__proto__":{"a":1},"constructor":2}}',
  )
  assert.equal(({} as Rec)['a'], undefined)
})

test('a number that keeps its text, where an object belongs, is unknown as a whole', () => {
  const text = '{"usage":12345678901234567890}'
  assert.equal(JSON.stringify(unknownIn(parseJson(text), known)), text)
})

test('what is kept from two sides is kept from both', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(merged({ a: { b: 1 }, c: 1 }, { a: { d: 2 }, c: 2 }))), { a: { b: 1, d: 2 }, c: 2 })
  assert.deepEqual(merged(undefined, { a: 1 }), { a: 1 })
})

test('what was unknown is put back where it stood, unless that is not there', () => {
  const known = knownIn(object({ a: object({ b: any() }), list: list(object({ c: any() })) }) as unknown as Schema)
  const into = { a: { b: 1 }, list: [{ c: 1 }] }
  assert.equal(putBack(into, { a: { x: 1 }, list: { 0: { y: [2] } }, z: { deep: 3 } }, known), true)
  assert.deepEqual(into, { a: { b: 1, x: 1 }, list: [{ c: 1, y: [2] }], z: { deep: 3 } })
  assert.equal(putBack(into, { z: { deep: 3 } }, known), true) // it stands there already
  for (const found of [{ z: { deep: 4 } }, { z: { more: 4 } }, { list: { 1: { y: 1 } } }, { a: { b: 2 } }])
    assert.equal(putBack(into, found, known), false)
  assert.deepEqual(into, { a: { b: 1, x: 1 }, list: [{ c: 1, y: [2] }], z: { deep: 3 } })
  const bare: Rec = {}
  assert.equal(putBack(bare, { a: { x: 1 }, z: 1 }, known), false)
  assert.deepEqual(bare, { z: 1 })
})
