// How long `sluice watch --follow` takes from a write in another process to its line on stdout, beside `tail -F`, in turns.
// Both end in a pipe to this process, which writes and reads: its own part is in both numbers.
import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt, sluice } from './child.ts'
import { median } from './report.ts'

/** Milliseconds at the median. */
const TARGET = 1

type Follower = { react(record: string): Promise<number>; end(): void }

function start([program = '', ...argv]: string[], file: string): Follower {
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let came = (): void => {}
  child.stdout.on('data', (data: Buffer) => {
    if (data.at(-1) === 10) came()
  })
  return {
    react(record) {
      return new Promise((resolve) => {
        const began = performance.now()
        came = () => resolve(performance.now() - began)
        appendFileSync(file, record)
      })
    },
    end: () => void child.kill(),
  }
}

async function measure(rounds: number): Promise<Record<'sluice watch' | 'tail -F', number[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const [ours, theirs] = [join(folder, 'ours.ndjson'), join(folder, 'theirs.ndjson')]
  for (const file of [ours, theirs]) appendFileSync(file, '')
  const followers = {
    'sluice watch': start(sluice(['watch', '--follow', '--format', 'plain'], [ours]), ours),
    'tail -F': start(['tail', '-F', theirs], theirs),
  }
  const times = { 'sluice watch': [] as number[], 'tail -F': [] as number[] }
  try {
    for (let round = -20; round < rounds; round++) {
      for (const name of ['sluice watch', 'tail -F'] as const) {
        const took = await followers[name].react(recordOf(round))
        if (round >= 0) times[name].push(took) // the first ones find the program still starting
        await new Promise((resolve) => setTimeout(resolve, 1)) // both are asleep again
      }
    }
  } finally {
    for (const follower of Object.values(followers)) follower.end()
    rmSync(folder, { recursive: true })
  }
  return times
}

const recordOf = (round: number): string =>
  `${JSON.stringify({ event: 'agent.message_chunk', session_id: 'ses_1', content: { type: 'text', text: `piece ${round} of an answer` } })}\n`

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } })
if (!isBuilt()) {
  console.error("dist/cli.js is missing; run 'npm run build' first")
  process.exit(2)
}
const rows = Object.entries(await measure(values.quick ? 200 : 2000)).map(([name, times]) => ({
  name,
  median: median(times),
  p99: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!,
}))
const ok = rows[0]!.median <= TARGET
if (values.json) console.log(JSON.stringify({ node: process.version, target: TARGET, ok, rows }, null, 2))
else {
  for (const row of rows) console.log(`${row.name.padEnd(14)} median ${row.median.toFixed(3)} ms   p99 ${row.p99.toFixed(3)} ms`)
  console.log(`target: a median of ${TARGET} ms: ${ok ? 'ok' : 'MISSED'}`)
}
process.exitCode = ok ? 0 : 1
