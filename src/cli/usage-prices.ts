// The prices a command works with: the packaged ones, and before them what `sluice models --refresh` has fetched, if that is newer.
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { homeOf } from '../files/home.ts'
import type { Catalog } from '../prices/catalog.ts'
import { asTable } from '../prices/check.ts'
import { loadCatalog, packagedTable } from '../prices/packaged.ts'
import type { PriceTable } from '../prices/table.ts'
import { quoted } from '../base/text.ts'
import { hasCode, say, systemReason } from './exit.ts'

export function cachePath(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env['XDG_CACHE_HOME']
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homeOf(env), '.cache'), 'sluice/models.json')
}

export async function loadPrices(): Promise<Catalog> {
  const fetched = readCache(cachePath())
  const packaged = await packagedTable()
  return loadCatalog(fetched !== undefined && fetched.source.date >= packaged.source.date ? [fetched] : [])
}

function readCache(path: string): PriceTable | undefined {
  try {
    return asTable(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR'))
      say(
        `sluice: the fetched prices in ${quoted(path, 500)} are not used: ${systemReason(error)}; fetch them again with sluice models --refresh`,
      )
    return undefined
  }
}
