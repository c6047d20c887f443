// The data set of https://models.dev as a table of ours. It comes over the network, so it is checked whole before any of it is used.
import { explain, type Schema } from '../base/explain.ts'
import type { Match, ModelRow, PriceTable, ProviderRow, Rate, Rates, Source } from './table.ts'

const text: Schema = { type: 'string' }
const amount: Schema = { type: 'number', minimum: 0 }
const recordOf = (each: Schema): Schema => ({ type: 'object', patternProperties: { '': each } })

const costs = { input: amount, output: amount, reasoning: amount, cache_read: amount, cache_write: amount }
const schema = recordOf({
  type: 'object',
  required: ['id', 'name', 'models'],
  properties: {
    id: text,
    name: text,
    models: recordOf({
      type: 'object',
      required: ['id', 'limit'],
      properties: {
        id: text,
        limit: { type: 'object', required: ['context'], properties: { context: amount, output: amount } },
        cost: {
          type: 'object',
          required: ['input', 'output'],
          properties: { ...costs, context_over_200k: { type: 'object', properties: costs } },
        },
      },
    }),
  },
})

type Costs = { input?: number; output?: number; reasoning?: number; cache_read?: number; cache_write?: number }
type Entry = { id: string; limit: { context: number; output?: number }; cost?: Costs & { context_over_200k?: Costs } }
type Providers = Record<string, { id: string; name: string; models: Record<string, Entry> }>

/** Makers whose models are meant when no seller is named, and the names by which agents know them. */
const makers: Record<string, { owns: Match; known?: Match }> = {
  anthropic: { owns: ['^claude-'] },
  openai: { owns: ['^gpt-', '^codex-', '/^o[134]'] },
  google: { owns: ['^gemini-', '^gemma-'], known: ['=gemini', '=google-ai', '=google-gemini'] },
  xai: { owns: ['^grok-'], known: ['=x-ai'] },
  deepseek: { owns: ['^deepseek-'] },
  mistral: { owns: ['^mistral-', '^codestral-', '^devstral-'] },
  moonshotai: { owns: ['^kimi-'], known: ['=moonshot'] },
  zai: { owns: ['^glm-'], known: ['=z-ai', '=zhipuai'] },
  alibaba: { owns: ['^qwen'] },
  'amazon-bedrock': { owns: [], known: ['=aws', '=bedrock'] },
  'google-vertex': { owns: [], known: ['=vertex', '=vertex_ai'] },
}

/** Throws when the value is anything else than that data set. */
export function tableFromModelsDev(value: unknown, source: Source): PriceTable {
  const fault = explain(schema, value)
  if (fault !== undefined) throw new Error(fault)
  const providers = Object.values(value as Providers).map(({ id, name, models }): ProviderRow => {
    const maker = Object.hasOwn(makers, id) ? makers[id] : undefined
    return { id, name, ...maker, models: Object.values(models).flatMap(modelRow) }
  })
  if (!providers.some(({ models }) => models.length > 0)) throw new Error('it holds no model with a price')
  return { source, providers }
}

function modelRow({ id, limit, cost }: Entry): ModelRow[] {
  if (cost === undefined) return []
  const { context, output } = limit
  return [{ id, ...(context > 0 && { context }), ...(output !== undefined && output > 0 && { output }), rates: ratesOf(cost) }]
}

const buckets = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
} as const satisfies Partial<Record<keyof Rates, keyof Costs>>

function ratesOf(cost: NonNullable<Entry['cost']>): Rates {
  const rates: Rates = {}
  for (const [bucket, key] of Object.entries(buckets) as [keyof typeof buckets, keyof Costs][]) {
    const base = cost[key]
    const over = cost.context_over_200k?.[key]
    if (base !== undefined) rates[bucket] = stepped(base, over)
  }
  return rates
}

function stepped(base: number, over: number | undefined): Rate {
  for (const dollars of [base, over ?? 0]) if (!(dollars < unbelievable)) throw new Error(`a price of ${dollars} dollars is not believable`)
  return over === undefined || over === base ? base : { base, steps: [{ over: 200_000, rate: over }] }
}

/** Dollars for a million tokens. */
const unbelievable = 1e6
