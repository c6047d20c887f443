/**
 * `sluice usage` on 200 MB of Claude transcripts, against bare JSON.parse of the same files and against ccusage, the fastest peer:
 * `node bench/usage.ts [--quick] [--json]`. The peers have a lock file of their own: `npm ci --prefix bench` installs them.
 */
import { chmodSync, existsSync, globSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bareParse, capture, isBuilt, peakMemory, sluice, time, type Time } from './child.ts'
import { median, summarise, table, type Pair } from './report.ts'
import { transcriptsPath } from './transcripts.ts'

const CCUSAGE = join(import.meta.dirname, `node_modules/@ccusage/ccusage-${process.platform}-${process.arch}/bin/ccusage`)
/** Two heaps, and the ids of all messages: a copy may come in any file. */
const MEMORY = 120

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } })
if (!isBuilt() || !existsSync(CCUSAGE)) {
  console.error(isBuilt() ? "ccusage is missing; run 'npm ci --prefix bench' first" : "dist/cli.js is missing; run 'npm run build' first")
  process.exit(2)
}
chmodSync(CCUSAGE, 0o755) // its package carries no mode

const folder = transcriptsPath(values.quick ? 20 : 200)
const files = globSync('**/*.jsonl', { cwd: folder }).map((path) => join(folder, path))
// A HOME of its own: nothing but these transcripts is found, by either of them.
const env = { PATH: '/usr/bin:/bin', HOME: folder, CLAUDE_CONFIG_DIR: folder }
Object.assign(process.env, env)
const ours = sluice(['usage', '--json'], [])
const peer = [CCUSAGE, 'claude', 'daily', '--offline', '--json']
const baseline = bareParse(files)

type Told = { totals: Record<string, number> }
const told = (argv: readonly string[]): Record<string, number> => (JSON.parse(capture(argv).toString()) as Told).totals
const [mine, theirs] = [told(ours), told(peer)]
const equal: [name: string, mine: number, theirs: number][] = [
  ['input', mine['input']!, theirs['inputTokens']!],
  ['output', mine['output']! + mine['reasoning']!, theirs['outputTokens']!],
  ['cacheRead', mine['cacheRead']!, theirs['cacheReadTokens']!],
  ['cacheWrite', mine['cacheWrite']!, theirs['cacheCreationTokens']!],
]
const differ = equal.filter(([, a, b]) => a !== b)
if (differ.length > 0) throw new Error(`the totals differ: ${JSON.stringify(differ)}`)

const rounds = values.quick ? 3 : 7
const load = loadavg()[0] ?? 0
const pairs: Record<'parse' | 'ccusage', Pair[]> = { parse: [], ccusage: [] }
for (let round = 0; round < rounds; round++) {
  // Each of our runs stands between the two it is held against.
  const parse: Time = time(baseline)
  const took: Time = time(ours)
  pairs.parse.push({ took, against: parse })
  pairs.ccusage.push({ took, against: time(peer) })
}

const bytes = (values.quick ? 20 : 200) * 1e6
const common = { argv: [], input: [], output: 'lines', direction: 'min', against: 'parse', memory: MEMORY } as const
const memory = peakMemory(ours)
const rows = [
  summarise({ ...common, name: 'usage, against bare parse', target: 2 }, { pairs: pairs.parse }, bytes, memory),
  summarise({ ...common, name: 'usage, against ccusage 20.0.24', target: 1.3, goal: 2 }, { pairs: pairs.ccusage }, bytes, memory),
]
if (values.json) console.log(JSON.stringify({ node: process.version, load, quick: values.quick, rows }, null, 2))
else {
  const spread = median(pairs.parse.map(({ against }) => against.wall)) / Math.min(...pairs.parse.map(({ against }) => against.wall))
  console.log(
    [table(rows), '', `equal totals; load before: ${load.toFixed(2)}, baseline median over best: ${spread.toFixed(2)}`].join('\n'),
  )
}
process.exitCode = rows.every((row) => row.ok) ? 0 : 1
