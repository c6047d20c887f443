// The packaged table. It is loaded only when somebody asks for it.
import { createCatalog, type Catalog } from './catalog.ts'
import type { PriceTable } from './table.ts'

export const packagedTable = async (): Promise<PriceTable> => (await import('./table.gen.js')).table

/** Tables that are newer than the packaged one come first. */
export async function loadCatalog(newer: readonly PriceTable[] = []): Promise<Catalog> {
  return createCatalog([...newer, await packagedTable()])
}
