// Where used tokens and money are added up: one cell for each session, model, day and project. Money is whole billionths of a
// dollar. What turns out to be wrong is taken out again, exactly.
import { type Priced, type Pricer, usdOf } from '../prices/price.ts'
import { add, type Bucket, type Sums, tokensIn, zero } from './usage-sums.ts'

export type Totals = Record<Bucket, number> & {
  costUsd: number
  /** The parts of `costUsd`: told by the agent, and worked out from prices. */
  reportedUsd: number
  pricedUsd: number
}
export type Group = { key: string } & Totals
export type Grouping = 'day' | 'model' | 'session' | 'project'
export type Unpriced = { model: string; tokens: number }

export type Cell = Sums & Record<Grouping, string>

/** What is weighed: tokens, and what the source says they cost; without that they are priced. */
export type Weight = Priced & { nanos?: number | undefined }

export type LedgerOptions = {
  price?: Pricer | undefined
  /** Days of UTC instead of local ones. */
  utc?: boolean | undefined
  /** What is of another time is not counted; what has no time neither. */
  within?: ((at: number) => boolean) | undefined
}

const unknown = 'unknown'

export function createLedger({ price, utc = false, within }: LedgerOptions = {}) {
  const cells = new Map<string, Cell>()
  const dayOf = createDays(utc)
  let last: Cell | undefined
  const sums = zero()

  return {
    /** Valid until the next call: what is counted is weighed again when it is taken out, so that its sums need not be kept. */
    weigh(weight: Weight): Readonly<Sums> {
      const { tokens, nanos } = weight
      const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = tokens
      const priced = nanos === undefined ? price?.(weight) : 0
      sums.input = input
      sums.output = output
      sums.reasoning = reasoning
      sums.cacheRead = cacheRead
      sums.cacheWrite = cacheWrite
      sums.reported = nanos ?? 0
      sums.priced = priced ?? 0
      sums.unpriced = priced === undefined ? tokensIn(tokens) : 0
      return sums
    },
    /** Where it belongs; undefined when its time is not asked for. */
    cell(session: string, model = unknown, project = unknown, at?: number): Cell | undefined {
      if (within !== undefined && (at === undefined || !within(at))) return undefined
      const day = at === undefined ? unknown : dayOf(at)
      if (last?.session === session && last.model === model && last.day === day && last.project === project) return last
      const key = `${session}\0${model}\0${day}\0${project}`
      last = cells.get(key)
      if (last === undefined) cells.set(key, (last = { ...zero(), session, model, day, project }))
      return last
    },
    totals: (): Totals => totalsOf(cells.values()),
    group(by: Grouping): Group[] {
      const groups = Map.groupBy(cells.values(), (cell) => cell[by])
      const rows = [...groups].map(([key, members]): Group => ({ key, ...totalsOf(members) })).filter(isSomething)
      return rows.toSorted(by === 'day' ? (a, b) => compare(a.key, b.key) : byWeight)
    },
    unpriced(): Unpriced[] {
      const models = Map.groupBy(cells.values(), ({ model }) => model)
      return [...models]
        .map(([model, members]) => ({ model, tokens: members.reduce((sum, { unpriced }) => sum + unpriced, 0) }))
        .filter(({ tokens }) => tokens > 0)
        .toSorted((a, b) => b.tokens - a.tokens || compare(a.model, b.model))
    },
  }
}

function totalsOf(cells: Iterable<Sums>): Totals {
  const all = zero()
  for (const cell of cells) add(all, cell, 1)
  const { reported, priced, unpriced: _, ...tokens } = all
  return { ...tokens, costUsd: usdOf(reported + priced), reportedUsd: usdOf(reported), pricedUsd: usdOf(priced) }
}

const isSomething = (group: Group): boolean => tokensIn(group) > 0 || group.costUsd > 0
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byWeight = (a: Group, b: Group): number => b.costUsd - a.costUsd || tokensIn(b) - tokensIn(a) || compare(a.key, b.key)

/** Times come in runs of one day, and to make a date of each would cost more than all the rest. */
function createDays(utc: boolean): (at: number) => string {
  let from = 0
  let to = 0
  let day = unknown
  return (at) => {
    if (at >= from && at < to) return day
    const date = new Date(at)
    if (Number.isNaN(date.getTime())) return unknown
    const [year, month, number] = utc
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
      : [date.getFullYear(), date.getMonth(), date.getDate()]
    const start = (later: number): number => (utc ? Date.UTC(year, month, number + later) : new Date(year, month, number + later).getTime())
    from = start(0)
    to = start(1)
    return (day = `${year}-${two(month + 1)}-${two(number)}`)
  }
}

const two = (number: number): string => String(number).padStart(2, '0')
