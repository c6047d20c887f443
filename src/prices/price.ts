// What tokens cost, in whole billionths of a dollar: integers add up without dust, in any order.
import type { Catalog } from './catalog.ts'
import type { ModelRow, Rate, Rates } from './table.ts'

/** Tokens in buckets that do not overlap. `cacheWriteLong` is the part of `cacheWrite` that is kept for an hour, where it is known. */
export type Tokens = {
  input?: number | undefined
  output?: number | undefined
  reasoning?: number | undefined
  cacheRead?: number | undefined
  cacheWrite?: number | undefined
  cacheWriteLong?: number | undefined
}

/** `oneRequest`: the tokens are those of a single request, so the steps of its price hold; a sum of many is priced at the base. */
export type Priced = {
  model?: string | undefined
  provider?: string | undefined
  tokens: Tokens
  at?: number | undefined
  oneRequest?: boolean | undefined
}

/** Undefined when the model has no known price. */
export type Pricer = (share: Priced) => number | undefined

const nanosPerDollar = 1e9
export const nanosOf = (usd: number): number => Math.round(usd * nanosPerDollar)
export const usdOf = (nanos: number): number => nanos / nanosPerDollar

export const createPricer =
  ({ find }: Pick<Catalog, 'find'>): Pricer =>
  ({ model, provider, tokens, at, oneRequest = false }) => {
    const row = model === undefined ? undefined : find(model, provider)
    return row === undefined ? undefined : priceOf(row, tokens, at, oneRequest)
  }

export function priceOf(model: Pick<ModelRow, 'rates'>, tokens: Tokens, at: number | undefined, oneRequest: boolean): number {
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0 } = tokens
  const steps = stepsOf(ratesAt(model, at))
  const context = oneRequest ? input + cacheRead + cacheWrite : 0
  let step = steps[0]!
  for (const dearer of steps) if (context > dearer.over) step = dearer
  const long = Math.min(cacheWriteLong, cacheWrite)
  const picos =
    input * step.input +
    output * step.output +
    reasoning * step.reasoning +
    cacheRead * step.cacheRead +
    (cacheWrite - long) * step.cacheWrite +
    long * step.cacheWriteLong
  return Math.round(picos / 1000)
}

/** What one token of each bucket costs in a request whose context is larger than `over`. */
type Step = Record<keyof Rates | 'over', number>

/** Rates as they are used: whole millionths of a millionth of a dollar, so that products are exact, and none of them absent. */
function stepsOf(rates: Rates): Step[] {
  let steps = made.get(rates)
  if (steps === undefined) made.set(rates, (steps = makeSteps(rates)))
  return steps
}
const made = new WeakMap<Rates, Step[]>()

function makeSteps(rates: Rates): Step[] {
  const { input = 0, output = 0, cacheWrite = input } = rates
  const { reasoning = output, cacheRead = input, cacheWriteLong = cacheWrite } = rates
  const all = { input, output, reasoning, cacheRead, cacheWrite, cacheWriteLong }
  const limits = new Set(Object.values(all).flatMap((rate) => (typeof rate === 'number' ? [] : rate.steps.map(({ over }) => over))))
  return [-1, ...[...limits].toSorted((a, b) => a - b)].map((over) => {
    // A step begins right above its limit; the base is for everything below.
    const perToken = (rate: Rate): number => Math.round(dollars(rate, over + 1) * 1e6)
    return {
      over,
      input: perToken(all.input),
      output: perToken(all.output),
      reasoning: perToken(all.reasoning),
      cacheRead: perToken(all.cacheRead),
      cacheWrite: perToken(all.cacheWrite),
      cacheWriteLong: perToken(all.cacheWriteLong),
    }
  })
}

/** Dollars per million tokens, which are millionths of a dollar per token. */
const dollars = (rate: Rate, context: number): number =>
  typeof rate === 'number' ? rate : (rate.steps.findLast(({ over }) => context > over)?.rate ?? rate.base)

/** Without a time, today's rates, whatever the hour. */
export function ratesAt({ rates }: Pick<ModelRow, 'rates'>, at?: number): Rates {
  if (!Array.isArray(rates)) return rates
  const holds = ({ since, daily }: (typeof rates)[number]): boolean => {
    if (daily === undefined) return since === undefined || at === undefined || at >= since
    if (at === undefined) return false
    const second = Math.floor(at / 1000) % 86_400
    const [from, to] = daily
    return from <= to ? second >= from && second < to : second >= from || second < to
  }
  return (rates.findLast(holds) ?? rates[0]!).rates
}
