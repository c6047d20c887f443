// The built-in agent: how soon its first event is there, beside `node -e 0`; and how fast 20,000 deltas go through its loop to stdout
// and into the session's file, beside bare `streamText` with a mock model and no output. Whole processes, in turns.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bareStart, isBuilt, node, sluice, time } from './child.ts'
import { median } from './report.ts'

const TARGETS = { first: 4, deltas: 0.7 }
const DELTAS = 20_000
const SIZE = 5 // characters of a delta

/** Milliseconds until something stands on stdout. */
function firstByte([program = '', ...argv]: string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let came = Number.NaN
    const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'ignore'], env, cwd })
    child.stdout.once('data', () => (came = performance.now() - began))
    child.stdout.resume()
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve(came) : reject(new Error(`${program} ${argv.join(' ')}: exit code ${code}`))))
  })
}

async function measure(rounds: number): Promise<{ first: number; deltas: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const env = { ...process.env, HOME: folder }
  const short = join(folder, 'short.json')
  const long = join(folder, 'long.json')
  writeFileSync(short, JSON.stringify({ turns: [{ text: 'done' }] }))
  writeFileSync(long, JSON.stringify({ turns: [{ text: 'x'.repeat(DELTAS * SIZE), chunk: SIZE }] }))
  const run = (script: string): string[] => sluice(['run', 'go', '--model', `script/${script}`, '--format', 'sluice'], [])
  const firsts: number[] = []
  const deltas: number[] = []
  try {
    for (let round = -1; round < rounds; round++) {
      const bare = time(bareStart()).wall
      const first = await firstByte(run(short), env, folder)
      const theirs = time([node, join(import.meta.dirname, 'stream-text.mjs'), String(DELTAS), String(SIZE)]).wall
      const ours = time(run(long), env).wall
      if (round < 0) continue // nothing is in any cache yet
      firsts.push(first / bare)
      deltas.push(theirs / ours)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { first: median(firsts), deltas: median(deltas) }
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } })
if (!isBuilt()) {
  console.error('nothing is built; run npm run build first')
  process.exit(2)
}
const { first, deltas } = await measure(values.quick ? 3 : 15)
if (values.json) console.log(JSON.stringify({ first, deltas, targets: TARGETS }))
else {
  console.log(`first event       ${first.toFixed(2)} × node -e 0            (at most ${TARGETS.first})`)
  console.log(`${DELTAS} deltas     ${deltas.toFixed(2)} × the speed of streamText (at least ${TARGETS.deltas})`)
}
process.exitCode = first <= TARGETS.first && deltas >= TARGETS.deltas ? 0 : 1
