// What one answer of a model cost, in all and by bucket.
import type { Cost, Usage } from '../../model/event.ts'
import type { Model } from '../../prices/catalog.ts'
import { priceOf, usdOf } from '../../prices/price.ts'

export function costOf(model: Model, usage: Usage, at: number): Cost {
  const total = priceOf(model, usage, at, true)
  const { output: _output, reasoning: _reasoning, ...context } = usage
  const read = priceOf(model, context, at, true)
  // A dearer step is chosen by the whole context, so the shares are those of the base, scaled to what was paid.
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = usage
  const base = [{ input }, { cacheRead }, { cacheWrite }].map((bucket) => priceOf(model, bucket, at, false))
  const sum = base.reduce((a, b) => a + b, 0)
  const share = (index: number): number => (sum === 0 ? 0 : usdOf(Math.round((base[index]! * read) / sum)))
  return {
    usd: usdOf(total),
    parts: { input: share(0), output: usdOf(total - read), cacheRead: share(1), cacheWrite: share(2) },
    by: 'priced',
  }
}
