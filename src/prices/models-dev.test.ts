import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from './catalog.ts'
import { asTable } from './check.ts'
import { tableFromModelsDev } from './models-dev.ts'
import { ratesAt } from './price.ts'

const source = { name: 'models.dev', date: '2026-11-16' }
const data = {
  anthropic: {
    id: 'anthropic',
    name: 'Anthropic',
    env: ['ANTHROPIC_API_KEY'],
    models: {
      'claude-next': {
        id: 'claude-next',
        name: 'Claude Next',
        reasoning: true,
        cost: {
          input: 3,
          output: 15,
          cache_read: 0.3,
          cache_write: 3.75,
          context_over_200k: { input: 6, output: 22.5, cache_read: 0.3, cache_write: 7.5 },
        },
        limit: { context: 500_000, output: 64_000 },
      },
      'claude-free': { id: 'claude-free', name: 'no cost is told', limit: { context: 1, output: 1 } },
    },
  },
  'amazon-bedrock': { id: 'amazon-bedrock', name: 'Amazon Bedrock', models: {} },
}

test('the data set of models.dev becomes a table', () => {
  const table = tableFromModelsDev(data, source)
  const catalog = createCatalog([table])
  for (const name of ['claude-next', 'anthropic/claude-next', 'claude-next[1m]']) assert.equal(catalog.find(name)?.id, 'claude-next')
  const model = catalog.find('claude-next')!
  assert.equal(model.context, 500_000)
  assert.deepEqual(ratesAt(model).input, { base: 3, steps: [{ over: 200_000, rate: 6 }] })
  assert.equal(ratesAt(model).cacheRead, 0.3)
  assert.equal(catalog.find('claude-free'), undefined)
  assert.deepEqual(asTable(JSON.parse(JSON.stringify(table))), table)
})

const harm = (change: (copy: typeof data) => void): unknown => {
  const copy = structuredClone(data)
  change(copy)
  return copy
}
const bad: [what: unknown, complaint: RegExp][] = [
  [[], /must be object/],
  [{}, /no model with a price/],
  [{ anthropic: { id: 'anthropic', name: 'Anthropic' } }, /lacks "models"/],
  [harm((copy) => (copy.anthropic.models['claude-next'].cost.input = -1)), /cost\/input" must not be below 0/],
  [harm((copy) => (copy.anthropic.models['claude-next'].cost.output = '15' as never)), /cost\/output" must be number/],
  [harm((copy) => (copy.anthropic.models['claude-next'].cost.output = Infinity)), /not believable/],
  [harm((copy) => delete (copy.anthropic.models['claude-next'] as { limit?: unknown }).limit), /lacks "limit"/],
]

test('any other data is refused whole, with the place that is wrong', () => {
  for (const [what, complaint] of bad) assert.throws(() => tableFromModelsDev(what, source), complaint)
})

test('a file that is no table is refused', () => {
  for (const what of [
    null,
    5,
    [],
    {},
    { source },
    { source, providers: [{ id: 'x' }] },
    { source, providers: [{ id: 'x', name: 'X', models: [{ id: 'm', rates: { input: 'a' } }] }] },
  ])
    assert.throws(() => asTable(what))
})
