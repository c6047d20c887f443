// sluice models: which models are known, how much context they have and what they cost; --refresh fetches newer figures.
import { dirname } from 'node:path'
import { plural, quoted } from '../base/text.ts'
import { replaceFile } from '../files/atomic.ts'
import { makeFolder } from '../files/folder.ts'
import type { Model } from '../prices/catalog.ts'
import { tableFromModelsDev } from '../prices/models-dev.ts'
import { ratesAt } from '../prices/price.ts'
import type { Rate, Rates } from '../prices/table.ts'
import { countText } from '../views/amounts.ts'
import { harmlessLine } from '../views/harmless.ts'
import { CommandError, exitCodes, say, systemReason, usageError } from './exit.ts'
import { print, screen } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { cachePath, loadPrices } from './usage-prices.ts'
import { sourceText } from './usage-print.ts'

const modelsDev = 'https://models.dev'
const patience = 15_000
const largest = 64 * 2 ** 20

export const spec: CommandSpec = {
  usage: 'sluice models [PATTERN] [options]',
  about: `Lists the models with known prices: context limit, and dollars per million tokens. PATTERN is a part of a name, or
a model name as agents write it.`,
  options: {
    json: { type: 'boolean', help: 'one JSON line for each model, with all its prices' },
    refresh: { type: 'boolean', help: 'first fetch the prices of models.dev, and keep them for all commands' },
  },
  examples: [
    ['sluice models sonnet', 'all models with "sonnet" in their name'],
    ['sluice models us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'the price that applies to this model'],
    ['sluice models --refresh gpt', 'with the newest prices; only --refresh uses the network'],
  ],
  exits: ['0  success', '1  the prices could not be fetched, or no model matches PATTERN', '2  wrong usage'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files: patterns } = parsed
  if (patterns.length > 1) throw usageError(`one PATTERN is enough; ${quoted(patterns[1])} is too many`)
  if (values['refresh'] === true) await refresh()
  const prices = await loadPrices()
  const pattern = patterns[0]?.toLowerCase()
  let found = [...prices.list()]
  if (pattern !== undefined) {
    found = found.filter(({ provider, id }) => `${provider}/${id}`.toLowerCase().includes(pattern))
    const meant = found.length === 0 ? prices.find(pattern) : undefined
    if (meant !== undefined) found = [meant]
  }
  found = newest(found)
  if (found.length === 0) throw new CommandError(`no known model is like ${quoted(pattern)}`)
  if (values['json'] === true) print(found.map(({ match: _, ...model }) => `${JSON.stringify(model)}\n`).join(''))
  else {
    show(found)
    say(`${plural(found.length, 'model')}; dollars for a million tokens; ${prices.sources.map(sourceText).join(', then ')}`)
  }
  return exitCodes.ok
}

/** The tables overlap; the first one that has a model is the one whose price counts. */
function newest(models: readonly Model[]): Model[] {
  const known = new Map<string, Model>()
  for (const model of models) {
    const key = `${model.provider}/${model.id}`
    if (!known.has(key)) known.set(key, model)
  }
  return [...known.values()].toSorted((a, b) => compare(a.provider, b.provider) || compare(a.id, b.id))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const columns = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies (keyof Rates)[]

function show(models: readonly Model[]): void {
  const now = Date.now()
  const rows = models.map((model) => {
    const rates = ratesAt(model, now)
    const name = harmlessLine(`${model.provider}/${model.id}`)
    return [name, model.context === undefined ? '' : countText(model.context), ...columns.map((bucket) => rateText(rates[bucket]))]
  })
  const cells = [['model', 'context', 'input', 'output', 'cache read', 'cache write'], ...rows]
  const widths = cells[0]!.map((_, column) => cells.reduce((most, row) => Math.max(most, row[column]!.length), 0))
  const out = screen()
  for (const row of cells) {
    const text = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')
    out.line(text.trimEnd())
  }
  out.flush()
}

/** `3 (6 over 200,000)`: the price steps with the size of the request. */
function rateText(rate: Rate | undefined): string {
  if (rate === undefined) return ''
  if (typeof rate === 'number') return String(rate)
  return `${rate.base} (${rate.steps.map(({ over, rate: dearer }) => `${dearer} over ${countText(over)}`).join(', ')})`
}

// ── fetching ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function refresh(): Promise<void> {
  const url = urlOf(process.env['SLUICE_MODELS_URL'] || modelsDev)
  try {
    const text = await fetchText(url)
    const table = tableFromModelsDev(JSON.parse(text), { name: 'models.dev', date: new Date().toISOString().slice(0, 10) })
    const path = cachePath()
    makeFolder(dirname(path))
    await replaceFile(path, JSON.stringify(table))
  } catch (error) {
    throw new CommandError(`cannot fetch ${quoted(url, 200)}: ${reasonOf(error)}; the prices stay as they were`, exitCodes.failed, {
      cause: error,
    })
  }
}

/** The data set of a site, or the very file that is named. */
const urlOf = (base: string): string => (base.endsWith('.json') ? base : `${base.replace(/\/$/, '')}/api.json`)

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(patience) })
  if (!response.ok || response.body === null) throw new Error(`the server answers ${response.status}`)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > largest) throw new Error(`the answer is larger than ${largest} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** What fetch itself says is only that it failed; the cause says why. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${patience / 1000} s`
  return systemReason(error instanceof TypeError && error.cause !== undefined ? error.cause : error)
}
