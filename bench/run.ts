// `npm run bench`: every case against its baseline, in pairs, in one process and as processes; one table at the end. See bench/README.md.
import { readFileSync, statSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Case, filesOf, listCases, QUICK, SIZES, type Sizes, smallInput } from './cases.ts'
import { bareParse, bareStart, capture, inOneProcess, isBuilt, peakMemory, pinoPretty, sluice, time, type Time } from './child.ts'
import { failed, type Pair, type Row, summarise, table } from './report.ts'

/** Above it, something else was running beside the bench. */
const MOST_SPREAD = 1.4
const USAGE = 'usage: npm run bench -- [--quick] [--full] [--only PATTERN] [--json]'

function options(): { quick: boolean; full: boolean; json: boolean; only: RegExp } {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
      },
    })
    return { ...values, only: new RegExp(values.only) }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}

/** A case that writes the wrong thing, or nothing, would look fast. */
function check(one: Case, sizes: Sizes): void {
  const files = filesOf(smallInput(one, sizes))
  const written = capture(sluice(one.argv, files))
  if (one.output === 'nothing' && written.length > 0) throw new Error(`wrote ${written.toString('utf8', 0, 300)}`)
  if (one.output === 'lines' && !written.includes(10)) throw new Error('wrote no line')
  if (one.output === 'same bytes' && !written.equals(Buffer.concat(files.map((file) => readFileSync(file))))) {
    throw new Error('the output is not the input')
  }
}

function opponent({ argv, against }: Case, files: readonly string[]): string[] {
  if (against === 'parse') return bareParse(files)
  if (against === 'pretty') return pinoPretty(files)
  return against === 'start' ? bareStart() : sluice([...argv, '--jobs', '1'], files)
}

function measure(one: Case, files: readonly string[], round: number): Pair {
  const ours = (): Time => time(sluice(one.argv, files))
  const theirs = (): Time => time(opponent(one, files))
  // Who goes first changes with the round: the second of a pair finds warmer caches.
  if (round % 2 === 0) return { against: theirs(), took: ours() }
  const took = ours()
  return { took, against: theirs() }
}

/**
 * A command on files can be measured beside its baseline in one process; a start and what takes two programs cannot. Nor can a command that
 * starts a process of its own, which is never warm: beside one that is, the baseline would win what no user sees.
 */
const sharesProcess = ({ against }: Case): boolean => against === 'parse'

/** `same`: the pairs of one process. `pairs`: those of whole processes. */
type Work = { one: Case; files: string[]; memory?: number; same?: Pair[]; pairs: Pair[]; failure?: string }

function attempt(work: Work, step: (work: Work) => void): void {
  if (work.failure !== undefined) return
  try {
    step(work)
  } catch (error) {
    work.failure = error instanceof Error ? error.message : String(error)
  }
}

const talk = (text: string): void => {
  if (!json) console.error(text)
}

function runAll(cases: readonly Case[], sizes: Sizes, rounds: number): Row[] {
  const all = cases.map((one): Work => ({ one, files: [], pairs: [] }))
  for (const work of all) {
    talk(`prepare ${work.one.name}`)
    attempt(work, () => {
      check(work.one, sizes)
      work.files = filesOf(work.one.input)
      if (work.files.length > 0) work.memory = peakMemory(sluice(work.one.argv, work.files))
    })
  }
  for (const work of all.filter(({ one }) => sharesProcess(one))) {
    talk(`in one process: ${work.one.name}`)
    const order = { files: work.files, rounds: work.one.rounds ?? rounds }
    attempt(work, () => void (work.same = inOneProcess(work.one.argv, order)))
  }
  const last = Math.max(...all.map(({ one }) => one.rounds ?? rounds))
  for (let round = 0; round < last; round++) {
    if (round < rounds) talk(`round ${round + 1} of ${rounds}`)
    for (const work of all) {
      if (round < (work.one.rounds ?? rounds)) attempt(work, () => work.pairs.push(measure(work.one, work.files, round)))
    }
  }
  return all.map(({ one, files, same, pairs, memory, failure }) => {
    if (failure !== undefined) return failed(one, failure)
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    const like = all.find((other) => other.one.name === one.memoryLike)?.memory
    return summarise(one, { pairs, ...(same && { same }) }, bytes, memory, like)
  })
}

function warnings(rows: readonly Row[]): string[] {
  const spread = Math.max(1, ...rows.filter((row) => row.megabytesPerSecond !== undefined && row.spread > 1).map((row) => row.spread))
  return [
    ...(quick ? ['quick: the start of Node weighs heavily, so these ratios are no measure of throughput'] : []),
    ...(spread > MOST_SPREAD
      ? [`NOISY: one baseline took ${spread.toFixed(1)} times as long as at its best; believe cpu, measure again`]
      : []),
  ]
}

const { quick, full, json, only } = options()
if (!isBuilt()) {
  console.error("dist/cli.js is missing; run 'npm run build' first")
  process.exit(2)
}
const sizes = quick ? QUICK : SIZES
const cases = listCases(sizes).filter((one) => (full || !one.full) && only.test(one.name))
const load = loadavg()[0] ?? 0
const rows = runAll(cases, sizes, quick ? 3 : 5)

if (json) console.log(JSON.stringify({ node: process.version, load, quick, rows }, null, 2))
else console.log([table(rows), '', `load before: ${load.toFixed(2)}`, ...warnings(rows)].join('\n'))
for (const row of rows) if (row.failure !== undefined) console.error(`\n${row.name}: ${row.failure}`)
process.exitCode = rows.every((row) => row.ok) && rows.length > 0 ? 0 : 1
