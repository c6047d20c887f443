/**
 * What tokens cost, for agents that do not tell: a pricer for `createUsage`, `createDigest` and `createTracker`. The packaged table is
 * loaded when it is asked for, in a file of its own.
 *
 * ```ts
 * import { createUsage } from 'sluice/analyze'
 * import { createPricer, loadCatalog } from 'sluice/prices'
 *
 * const usage = createUsage({ price: createPricer(await loadCatalog()) })
 * ```
 *
 * @module
 */
export type { Catalog, Model } from './catalog.ts'
export { loadCatalog } from './packaged.ts'
export { createPricer, type Priced, type Pricer, type Tokens, usdOf } from './price.ts'
export type { DatedRates, Match, ModelRow, PriceTable, ProviderRow, Rate, Rates, Source } from './table.ts'
