// The real agents, in pinned versions, driven by sluice: each scenario with each agent, offline, with a scripted model and an empty
// environment. Prints a table; exits 1 when a cell of it fails.
// Usage: node peers/agents/run.ts [--agent NAME] [--only SCENARIO] [--jobs N] [--write] [--keep] [--sluice FILE] (after npm ci --prefix peers/agents)
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Agent, agents } from './agents.ts'
import { isApart, runApart } from './apart.ts'
import { troublesOf } from './check.ts'
import { type Ran, runOnce } from './live.ts'
import { type Expected, type Scenario, scenarios } from './scenarios.ts'
import { type Cell, tableOf, writeTable } from './table.ts'

const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    agent: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
    sluice: { type: 'string', default: join(root, 'bin/sluice') },
    newest: { type: 'string', default: import.meta.dirname },
    here: { type: 'boolean', default: false },
  },
})
const bench = { sluice: resolve(values.sluice), limitMs: 120_000, folder: resolve(values.newest) }

async function cellOf(agent: Agent, scenario: Scenario): Promise<Cell> {
  const cell = { agent: agent.name, scenario: scenario.name }
  const but = scenario.but?.[agent.name] ?? scenario.but?.[agent.name.split(' ')[0]!]
  if (typeof but === 'string') return { ...cell, mark: '–', note: but }
  const began = Date.now()
  const { ran, folder, forget } = await runOnce(bench, agent, scenario, [
    ...(agent.flags ?? []),
    ...(scenario.flags ?? []),
    ...(but?.flags ?? []),
  ])
  const troubles = checked(ran, { ...scenario.expected, ...but?.expected })
  const isWrong = troubles.length > 0
  console.log(
    `${isWrong ? 'FAILED' : 'ok    '}  ${scenario.name.padEnd(18)}  ${agent.name.padEnd(24)}  ${((Date.now() - began) / 1000).toFixed(1)} s`,
  )
  for (const trouble of troubles) console.log(`        ${trouble}`)
  if (isWrong && ran.stderr !== '') console.log(`        stderr: ${ran.stderr.trim().slice(-800).replaceAll('\n', '\n                ')}`)
  if (values.keep) console.log(`        ${folder}`)
  else forget()
  return { ...cell, mark: isWrong ? 'FAILED' : 'ok', ...(but !== undefined && { note: but.why }) }
}

/** A run that left nothing to look at is a failure like any other. */
function checked(ran: Ran, expected: Expected): string[] {
  try {
    return troublesOf(bench.sluice, ran, expected)
  } catch (error) {
    return [`exit code ${ran.exit}; ${(error as Error).message}`]
  }
}

const chosen = (name: string, wanted: readonly string[] | undefined): boolean => wanted?.some((word) => name.startsWith(word)) ?? true

/** So many at a time as `--jobs` says; what they give, in the order of the list. */
async function inTurn<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const given: T[] = []
  const waiting = works.entries()
  const worker = async (): Promise<void> => {
    for (const [at, work] of waiting) given[at] = await work()
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  return given
}

const cellCount = (columns: readonly Agent[], rows: readonly Scenario[]): number => columns.length * rows.length

async function main(): Promise<number> {
  const [columns, rows] = [
    agents.filter(({ name }) => chosen(name, values.agent)),
    scenarios.filter(({ name }) => chosen(name, values.only)),
  ]
  if (values.write && cellCount(columns, rows) < cellCount(agents, scenarios))
    throw new Error('--write needs the whole table: leave out --agent and --only')
  const missing = columns.filter(({ path }) => !existsSync(join(bench.folder, 'node_modules', path)))
  if (missing.length > 0) throw new Error(`${missing.map(({ name }) => name).join(', ')}: not installed; run npm ci --prefix peers/agents`)
  console.log(isApart() ? 'network: loopback and nothing else' : 'network: that of this machine, since unshare -n is not permitted here')
  const cells = await inTurn(rows.flatMap((scenario) => columns.map((agent) => () => cellOf(agent, scenario))))
  const table = tableOf(cells)
  console.log(`\n${table}\n`)
  if (values.write) writeTable(join(root, 'docs/agents.md'), table)
  const failed = cells.filter(({ mark }) => mark === 'FAILED').length
  console.log(failed === 0 ? `all ${cells.length} passed` : `${failed} of ${cells.length} failed`)
  return failed === 0 ? 0 : 1
}

process.exitCode = (values.here ? undefined : runApart()) ?? (await main())
