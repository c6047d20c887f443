// sluice usage: tokens and money, from the logs of the agents on this machine or from the files that are named.
import { fstatSync } from 'node:fs'
import { nearest } from '../base/nearest.ts'
import type { Group, Grouping, UsageOptions, UsageReport } from '../analyze/usage.ts'
import { plural, quoted } from '../base/text.ts'
import type { Catalog } from '../prices/catalog.ts'
import { createPricer } from '../prices/price.ts'
import type { Source } from '../prices/table.ts'
import { CommandError, exitCodes, say, usageError } from './exit.ts'
import { isTerminal, print, screen } from './io.ts'
import { type CommandSpec, parseOptions, textOption } from './options.ts'
import { screenOf } from './terminal.ts'
import { agentLogs, type Log, namedLogs, type Skipped } from './usage-find.ts'
import { loadPrices } from './usage-prices.ts'
import { notes, usageLines } from './usage-print.ts'
import { type Progress, readLogs, type Unreadable } from './usage-read.ts'

const groupings = { day: 'days', model: 'models', session: 'sessions', project: 'projects' } as const satisfies Record<
  Grouping,
  keyof UsageReport
>

export const spec: CommandSpec = {
  usage: 'sluice usage [PATH…|-] [options]',
  about: `Adds up the tokens that agents used and what they cost. Without a PATH it reads the logs of Claude Code, Codex, Gemini CLI,
opencode, Copilot and sluice on this machine. A PATH is a log or stream of any dialect, or a folder of them. Every message counts once.`,
  options: {
    by: { type: 'string', value: 'WHAT', help: 'group by day, model, session or project (default: day)' },
    since: { type: 'string', value: 'DATE', help: 'the first day that counts: 2026-11-15' },
    until: { type: 'string', value: 'DATE', help: 'the last day that counts' },
    utc: { type: 'boolean', help: 'use days of UTC instead of your time zone' },
    json: { type: 'boolean', help: 'one JSON object: totals, groups, and their sources' },
  },
  examples: [
    ['sluice usage', 'what all agents on this machine used, day by day'],
    ['sluice usage --by model --since 2026-11-01', 'cost of this month, by model'],
    ['sluice usage session.ndjson --json', 'one recording, for a program'],
  ],
  exits: [
    '0  all logs were read',
    '1  a log could not be read',
    '2  wrong usage, a PATH that cannot be opened or has no known dialect, or no logs',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const by = groupingOf(textOption(values, 'by'))
  const utc = values['utc'] === true
  const within = rangeOf(values['since'], values['until'], utc)
  const skipped: Skipped[] = []
  const logs = files.length === 0 ? agentLogs(skipped) : namedLogs(files, skipped)
  if (logs.length === 0 && skipped.length === 0) throw new CommandError(nothing(files), exitCodes.usage)
  const meter = createMeter(logs)
  let prices: Catalog | undefined
  const options = async (): Promise<UsageOptions> => ({ price: createPricer((prices = await loadPrices())), utc, within })
  const { usage, unreadable } = await readLogs(logs, skipped, options, meter.progress)
  meter.end()
  const report = usage.report()
  const sources = prices?.sources ?? []
  if (values['json'] === true) print(`${JSON.stringify({ ...jsonOf(report, by, sources, logs), skipped, unreadable })}\n`)
  else show(report, by, sources, within === undefined ? '' : ' of these days')
  tellUnreadable(unreadable)
  return tellSkipped(skipped)
}

function groupingOf(by = 'day'): Grouping {
  const known = Object.keys(groupings) as Grouping[]
  const found = known.find((name) => name === by || `${name}s` === by)
  if (found !== undefined) return found
  const near = nearest(String(by), known)
  throw usageError(`--by ${quoted(by)} is not known${near === undefined ? '' : `; did you mean ${near}?`} (${known.join(', ')})`)
}

// ── days ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function rangeOf(since: unknown, until: unknown, utc: boolean): ((at: number) => boolean) | undefined {
  if (since === undefined && until === undefined) return undefined
  const from = since === undefined ? -Infinity : startOf(since, 'since', 0, utc)
  const to = until === undefined ? Infinity : startOf(until, 'until', 1, utc)
  if (from >= to) throw usageError(`--since ${quoted(since)} comes after --until ${quoted(until)}`)
  return (at) => at >= from && at < to
}

/** When a day, or the one so many days later, begins. */
function startOf(date: unknown, name: string, later: number, utc: boolean): number {
  const parts = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(String(date))
  const [year, month, day] = (parts ?? []).slice(1).map(Number)
  const start = parts === null ? new Date(Number.NaN) : new Date(Date.UTC(year!, month! - 1, day))
  if (Number.isNaN(start.getTime()) || start.getUTCMonth() !== month! - 1)
    throw usageError(`--${name} ${quoted(date)} is not a date; write it like 2026-11-15`)
  return utc ? Date.UTC(year!, month! - 1, day! + later) : new Date(year!, month! - 1, day! + later).getTime()
}

// ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const nothing = (paths: readonly string[]): string =>
  paths.length === 0
    ? 'no logs of Claude Code, Codex, Gemini CLI, opencode or Copilot are found on this machine; name a PATH to read'
    : `no logs are found in ${paths.map((path) => quoted(path, 500)).join(', ')}`

function show(report: UsageReport, by: Grouping, sources: readonly Source[], when: string): void {
  const out = screen()
  const groups: Group[] = report[groupings[by]]
  if (groups.length === 0) out.line(`no usage${when} is told in these logs`)
  else for (const line of usageLines(by, groups, report.totals, screenOf(), isTerminal(1))) out.line(line)
  out.flush()
  for (const line of notes(report, sources)) say(line)
}

const jsonOf = (report: UsageReport, by: Grouping, prices: readonly Source[], logs: readonly Log[]): object => ({
  totals: report.totals,
  by,
  groups: report[groupings[by]],
  subagents: report.agents,
  unpriced: report.unpriced,
  prices,
  logs: logs.length,
})

const mostTold = 5

function tellUnreadable(unreadable: readonly Unreadable[]): void {
  for (const { path, records, firstLine } of unreadable.slice(0, mostTold))
    say(`sluice: ${quoted(path, 500)} is read without ${plural(records, 'record')} that cannot be read, the first in line ${firstLine}`)
  const more = unreadable.length - mostTold
  if (more > 0) say(`sluice: ${plural(more, 'more file')} with records that cannot be read`)
}

/** Files in a folder that are no logs are not told; logs that cannot be read are. */
function tellSkipped(skipped: readonly Skipped[]): number {
  for (const { path, why } of skipped.slice(0, mostTold)) say(`sluice: ${quoted(path, 500)} is passed over: ${why}`)
  if (skipped.length > mostTold) say(`sluice: ${plural(skipped.length - mostTold, 'more path')} passed over`)
  return skipped.length === 0 ? exitCodes.ok : exitCodes.failed
}

/** One line on stderr that changes as the logs are read; only for a person, and only when it takes long. */
function createMeter(logs: readonly Log[]): { progress: Progress; end(): void } {
  // Asking process.stderr loads Node's stream modules; a file or a pipe is known without.
  if (!fstatSync(2).isCharacterDevice() || process.stderr.isTTY !== true) return { progress: () => {}, end: () => {} }
  const began = performance.now()
  const all = logs.reduce((sum, { size }) => sum + size, 0)
  let shown = 0
  return {
    progress({ logs: done, bytes }) {
      const now = performance.now()
      if (now - began < 500 || now - shown < 100) return
      shown = now
      process.stderr.write(`\r\x1b[Kreading log ${done + 1} of ${logs.length}, ${Math.round((100 * bytes) / Math.max(1, all))} %`)
    },
    end() {
      if (shown > 0) process.stderr.write('\r\x1b[K')
    },
  }
}
