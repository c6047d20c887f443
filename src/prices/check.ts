// Whether a value read from a file is a table. A cache may be cut, old or somebody else's: then it is not used.
import { explain, type Schema } from '../base/explain.ts'
import type { PriceTable } from './table.ts'

const text: Schema = { type: 'string' }
const amount: Schema = { type: 'number', minimum: 0 }
const list = (items: Schema): Schema => ({ type: 'array', items })
const object = (required: string[], properties: Record<string, Schema>): Schema => ({ type: 'object', required, properties })

const rate: Schema = {
  anyOf: [amount, object(['base', 'steps'], { base: amount, steps: list(object(['over', 'rate'], { over: amount, rate: amount })) })],
}
const rates = object([], { input: rate, output: rate, reasoning: rate, cacheRead: rate, cacheWrite: rate, cacheWriteLong: rate })
const dated = object(['rates'], { since: { type: 'number' }, daily: list(amount), rates })
const match = list({ anyOf: [text, list(text)] })

const schema = object(['source', 'providers'], {
  source: object(['name', 'date'], { name: text, version: text, date: text }),
  providers: list(
    object(['id', 'name', 'models'], {
      id: text,
      name: text,
      known: match,
      owns: match,
      resells: list(text),
      models: list(object(['id', 'rates'], { id: text, match, context: amount, output: amount, rates: { anyOf: [rates, list(dated)] } })),
    }),
  ),
})

/** Throws an error that says what is wrong with it. */
export function asTable(value: unknown): PriceTable {
  const fault = explain(schema, value)
  if (fault !== undefined) throw new Error(fault)
  return value as PriceTable
}
