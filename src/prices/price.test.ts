import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calcPrice } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { loadCatalog } from './packaged.ts'
import { createPricer, nanosOf, priceOf, ratesAt } from './price.ts'

const catalog = await loadCatalog()
const price = createPricer(catalog)
const noon = Date.parse('2026-11-15T12:00:00Z')
const tokens = fc.record({ input: fc.nat(400_000), output: fc.nat(50_000), cacheRead: fc.nat(400_000), cacheWrite: fc.nat(100_000) })
const names = [
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-6',
  'claude-haiku-4-5',
  'gpt-5.5',
  'gpt-5-mini',
  'gemini-2.5-pro',
  'deepseek-chat',
]

test('a request costs what the package says it costs, to the billionth', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), tokens, (model, used) => {
      const usage = {
        input_tokens: used.input + used.cacheRead + used.cacheWrite,
        cache_read_tokens: used.cacheRead,
        cache_write_tokens: used.cacheWrite,
        output_tokens: used.output,
      }
      const theirs = calcPrice(usage, model, { timestamp: new Date(noon) })
      const ours = price({ model, tokens: used, at: noon, oneRequest: true })
      assert.ok(Math.abs(ours! - nanosOf(theirs!.total_price)) <= 1, `${model}: ${ours} ${theirs!.total_price}`)
    }),
  )
})

test('the price of a call that Claude Code priced itself', () => {
  const used = { input: 12, output: 34, cacheRead: 1000, cacheWrite: 200 }
  assert.equal(price({ model: 'claude-sonnet-4-5-20250929', tokens: used, oneRequest: true }), 1_596_000)
})

test('cache that is kept for an hour costs more, thinking as much as output', () => {
  const model = 'claude-sonnet-4-5'
  assert.equal(price({ model, tokens: { cacheWrite: 1000 } }), 3_750_000)
  assert.equal(price({ model, tokens: { cacheWrite: 1000, cacheWriteLong: 400 } }), 600 * 3750 + 400 * 6000)
  assert.equal(price({ model, tokens: { cacheWrite: 1000, cacheWriteLong: 5000 } }), 6_000_000)
  assert.equal(price({ model, tokens: { reasoning: 10 } }), price({ model, tokens: { output: 10 } }))
})

test('a large request costs more; the same tokens of many requests do not', () => {
  const model = 'claude-sonnet-4-5'
  const used = { input: 300_000 }
  assert.equal(price({ model, tokens: used, oneRequest: true }), 1_800_000_000)
  assert.equal(price({ model, tokens: used }), 900_000_000)
})

test('prices that change count from their day on, and by the hour', () => {
  const rates = [
    { rates: { input: 1 } },
    { since: 1000, rates: { input: 2 } },
    { daily: [3600, 7200] as [number, number], rates: { input: 3 } },
  ]
  assert.deepEqual(
    [500, 1000, 3_600_000, 7_200_000, undefined].map((at) => ratesAt({ rates }, at).input),
    [1, 2, 3, 2, 2],
  )
  const overnight = [{ rates: { input: 1 } }, { daily: [82_800, 3600] as [number, number], rates: { input: 2 } }]
  assert.deepEqual(
    [0, 3_600_000, 82_800_000].map((at) => ratesAt({ rates: overnight }, at).input),
    [2, 1, 2],
  )
})

test('a rate with many digits loses nothing', () => {
  assert.equal(priceOf({ rates: { input: 0.003625 } }, { input: 1_000_000 }, undefined, false), 3_625_000)
})

test('what is not known has no price', () => {
  assert.equal(price({ model: 'scripted-model', tokens: { input: 5 } }), undefined)
  assert.equal(price({ tokens: { input: 5 } }), undefined)
})
