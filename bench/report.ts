// From times to ratios, and from ratios to the table.
import { type Case, MEMORY_GROWTH } from './cases.ts'
import type { Time } from './child.ts'

export type Row = {
  name: string
  /** Of the input, at the median; absent for starts. */
  megabytesPerSecond?: number
  /** Milliseconds at the median, of the case and of what it is held against. */
  took: number
  against: number
  ratio: number
  best: number
  /** The ratio of whole processes, where the others are those of one. */
  whole?: number
  /** The ratio of processor time, at the median: it hardly changes when something else is running. */
  cpu: number
  /** The slowest baseline run over the fastest: 1 on a quiet machine. */
  spread: number
  target: number
  goal?: number
  direction: Case['direction']
  memory?: number
  memoryTarget?: number
  ok: boolean
  /** Why there are no numbers. */
  failure?: string
}

/** One pair a round: the two ran one after the other, so a burst of foreign load hits both or shows as an outlier. */
export type Pair = { took: Time; against: Time }

/** `same`: pairs that ran in one process; they decide where there are any. */
export type Pairs = { pairs: readonly Pair[]; same?: readonly Pair[] }

export function summarise(one: Case, { pairs: processes, same }: Pairs, bytes: number, memory?: number, like?: number): Row {
  const pairs = same ?? processes
  const ratioOf = (took: number, against: number): number => (one.direction === 'min' ? against / took : took / against)
  const ours = pairs.map(({ took }) => took.wall)
  const theirs = pairs.map(({ against }) => against.wall)
  const ratioIn = (measured: readonly Pair[]): number => median(measured.map(({ took, against }) => ratioOf(took.wall, against.wall)))
  const ratio = ratioIn(pairs)
  const took = median(ours)
  const fast = one.direction === 'min' ? ratio >= one.target : ratio <= one.target
  const limit = Math.min(one.memory ?? Infinity, like === undefined ? Infinity : like * MEMORY_GROWTH)
  const lean = memory === undefined || memory <= limit
  return {
    name: one.name,
    ...(bytes > 0 && { megabytesPerSecond: bytes / 1e3 / took }),
    took,
    against: median(theirs),
    ratio,
    best: ratioOf(Math.min(...ours), Math.min(...theirs)),
    ...(same && { whole: ratioIn(processes) }),
    cpu: median(pairs.map(({ took: mine, against }) => ratioOf(mine.cpu, against.cpu))),
    spread: Math.max(...theirs) / Math.min(...theirs),
    target: one.target,
    ...(one.goal !== undefined && { goal: one.goal }),
    direction: one.direction,
    ...(memory !== undefined && { memory }),
    ...(limit !== Infinity && { memoryTarget: limit }),
    ok: fast && lean,
  }
}

export function failed({ name, target, direction }: Case, failure: string): Row {
  const none = Number.NaN
  const numbers = { took: none, against: none, ratio: none, best: none, cpu: none, spread: none }
  return { name, target, direction, ...numbers, ok: false, failure }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const HEADER = ['case', 'MB/s', 'ms', 'base ms', 'ratio (best)', 'cpu', 'whole', 'target', 'goal', 'RSS MB', '']

export function table(rows: readonly Row[]): string {
  const cells = [HEADER, ...rows.map(cellsOf)]
  const widths = HEADER.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 || column === row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const [head = HEADER, ...body] = cells
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n')
}

function cellsOf(row: Row): string[] {
  if (row.failure !== undefined)
    return [row.name, '-', '-', '-', '-', '-', '-', '', '', '', `FAILED: ${row.failure.split('\n')[0]?.slice(-90)}`]
  const sign = row.direction === 'min' ? '>=' : '<='
  const heavy = row.memory !== undefined && row.memoryTarget !== undefined && row.memory > row.memoryTarget
  const reached = row.goal !== undefined && (row.direction === 'min' ? row.ratio >= row.goal : row.ratio <= row.goal)
  const verdict = row.ok ? (reached ? 'ok, goal' : 'ok') : heavy ? 'MISSED (memory)' : 'MISSED'
  return [
    row.name,
    row.megabytesPerSecond?.toFixed(0) ?? '',
    row.took.toFixed(0),
    row.against.toFixed(0),
    `${row.ratio.toFixed(2)} (${row.best.toFixed(2)})`,
    row.cpu.toFixed(2),
    row.whole?.toFixed(2) ?? '',
    `${sign} ${row.target.toFixed(2)}`,
    row.goal?.toFixed(2) ?? '',
    row.memory?.toFixed(0) ?? '',
    verdict,
  ]
}
