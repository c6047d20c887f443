// What the schemas for editors have in common: that our checker and a validator of JSON Schema judge alike, and their keys.
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { mistakesIn, type Schema } from '../src/base/check.ts'

/** Mostly one of the first, now and then one of the second. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 40 }, { arbitrary: odd, weight: 1 })

const fittingTexts = ['a/b', '20ms', '15s', 'ABC', 'ask', 'http://x']

/** Values that fit a schema, and ones that nearly do. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const fitting = [schema.type ?? []].flat().map((type): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'object': {
        const { properties, additionalProperties: others } = schema
        if (typeof others === 'object')
          return fc.dictionary(mostly(fc.constantFrom('a', 'b-1'), fc.constantFrom('', '__x', 'é')), near(others), { maxKeys: 2 })
        const values = Object.fromEntries(Object.entries(properties ?? {}).map(([key, of]) => [key, near(of)]))
        const record = mostly(fc.record(values, { requiredKeys: schema.required ?? [] }), fc.record(values, { requiredKeys: [] }))
        const extra = mostly(fc.constant(undefined), fc.constantFrom('txet', '__proto__', 'toString'))
        return fc
          .tuple(record, extra)
          .map(([of, key]) => (key === undefined ? of : Object.defineProperty(of, key, { value: 1, enumerable: true })))
      }
      case 'array':
        return fc.array(near(schema.items ?? {}), { maxLength: 2 })
      case 'string':
        return mostly(
          fc.constantFrom(
            ...(schema.enum ?? fittingTexts.filter((text) => schema.pattern === undefined || new RegExp(schema.pattern).test(text))),
          ),
          fc.constantFrom('', '2 m'),
        )
      case 'boolean':
        return fc.boolean()
      default:
        return mostly(fc.constant(schema.minimum ?? 1), fc.constantFrom(-1, 0, 1.5, 399, 599, 600))
    }
  })
  return mostly(fc.oneof(...fitting), fc.constantFrom<unknown>(null, 'x', 5, [], {}, true))
}

export function judgeAlike(schema: Schema): void {
  const validate = new Ajv2020({ strict: false }).compile(schema)
  const seen = { good: 0, bad: 0 }
  fc.assert(
    fc.property(near(schema), (value) => {
      const mistakes = [...mistakesIn(value, schema, 'it')]
      seen[mistakes.length === 0 ? 'good' : 'bad']++
      assert.equal(mistakes.length === 0, validate(value), JSON.stringify({ value, mistakes, errors: validate.errors }))
    }),
    { numRuns: 3000 },
  )
  assert.ok(seen.good > 100 && seen.bad > 100, JSON.stringify(seen))
}

/** All keys and words of a schema. */
export const keysOf = (schema: Schema): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, of]) => [key, ...keysOf(of)]),
  ...(typeof schema.additionalProperties === 'object' ? keysOf(schema.additionalProperties) : []),
  ...(schema.items === undefined ? [] : keysOf(schema.items)),
  ...(schema.enum ?? []),
]
