// The schema for editors, the checker and the page about scripts say the same.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { schemaPath, schemaText } from '../scripts/script-schema.ts'
import { mistakesIn } from '../src/script/check.ts'
import { loadScript } from '../src/script/load.ts'
import { type Schema, scriptSchema } from '../src/script/schema.ts'
import { blocksOf, textOf } from './docs.ts'

test('share/script.schema.json is current', () => {
  assert.equal(readFileSync(schemaPath, 'utf8'), schemaText(), 'run node scripts/script-schema.ts')
})

/** Mostly one of the first, now and then one of the second. */
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 40 }, { arbitrary: odd, weight: 1 })

/** Values that fit a schema, and ones that nearly do. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const fitting = [schema.type ?? []].flat().map((type): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'object': {
        const values = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, of]) => [key, near(of)]))
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
          fc.constantFrom(...(schema.enum ?? (schema.pattern?.includes('ms') ? ['20ms', '1.5s'] : ['a/b']))),
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

test('the checker and a validator of JSON Schema judge alike', () => {
  const validate = new Ajv2020({ strict: false }).compile(scriptSchema)
  const seen = { good: 0, bad: 0 }
  fc.assert(
    fc.property(near(scriptSchema), (value) => {
      const mistakes = [...mistakesIn(value, scriptSchema)]
      seen[mistakes.length === 0 ? 'good' : 'bad']++
      assert.equal(mistakes.length === 0, validate(value), JSON.stringify({ value, mistakes, errors: validate.errors }))
    }),
    { numRuns: 3000 },
  )
  assert.ok(seen.good > 100 && seen.bad > 100, JSON.stringify(seen))
})

test('the page names every key, and its scripts are scripts', async () => {
  const keysOf = (schema: Schema): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, of]) => [key, ...keysOf(of)]),
    ...(schema.items === undefined ? [] : keysOf(schema.items)),
    ...(schema.enum ?? []),
  ]
  const page = textOf('docs/script.md')
  for (const key of keysOf(scriptSchema)) assert.ok(page.includes(`\`${key}\``), `docs/script.md does not tell of ${key}`)
  const scripts = blocksOf('docs/script.md').filter(({ info }) => info === 'yaml')
  assert.ok(scripts.length >= 2)
  for (const { page: file, lines } of scripts) await loadScript(lines.join('\n'), file)
})
