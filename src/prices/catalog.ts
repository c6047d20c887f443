// Finds models by name in one or several tables; the first table that knows a name answers.
import { guesses } from './spelling.ts'
import { matches, type ModelRow, type PriceTable, type ProviderRow, type Source } from './table.ts'

export type Model = ModelRow & { provider: string; source: Source }

export type Catalog = {
  sources: readonly Source[]
  find(model: string, provider?: string): Model | undefined
  /** All models, those of the first table first. */
  list(): Generator<Model>
}

/** Names come from streams: a few thousand answers are remembered, then all are forgotten. */
const mostAnswers = 4096
const million = 1_000_000

export function createCatalog(tables: readonly PriceTable[]): Catalog {
  const answers = new Map<string, Model | undefined>()

  function find(model: string, provider?: string): Model | undefined {
    const key = provider === undefined ? model : `${provider}\0${model}`
    if (answers.has(key)) return answers.get(key)
    if (answers.size >= mostAnswers) answers.clear()
    const answer = search(tables, model, provider)
    answers.set(key, answer)
    return answer
  }

  return {
    sources: tables.map(({ source }) => source),
    find,
    *list() {
      for (const { source, providers } of tables)
        for (const { id: provider, models } of providers) for (const model of models) yield { ...model, provider, source }
    },
  }
}

function search(tables: readonly PriceTable[], model: string, provider: string | undefined): Model | undefined {
  const names = guesses(model, provider)
  for (const guess of names.guesses) {
    for (const { source, providers } of tables) {
      const seller =
        guess.provider === undefined
          ? providers.find(({ owns }) => owns !== undefined && matches(owns, guess.model))
          : sellerOf(providers, guess.provider)
      const row = seller && modelOf(seller, guess.model, providers)
      if (row === undefined) continue
      const context = names.million ? Math.max(million, row.context ?? 0) : row.context
      return { ...row, ...(context !== undefined && { context }), provider: seller!.id, source }
    }
  }
  return undefined
}

const sellerOf = (providers: readonly ProviderRow[], name: string): ProviderRow | undefined =>
  providers.find(({ id }) => id === name) ?? providers.find(({ known }) => known !== undefined && matches(known, name))

function modelOf({ models, resells = [] }: ProviderRow, name: string, providers: readonly ProviderRow[]): ModelRow | undefined {
  const own = models.find(({ id, match }) => (match === undefined ? id.toLowerCase() === name : matches(match, name)))
  if (own !== undefined) return own
  for (const id of resells) {
    const other = providers.find((provider) => provider.id === id)
    const row = other && modelOf({ ...other, resells: [] }, name, providers)
    if (row !== undefined) return row
  }
  return undefined
}
