// `npm run bench:control`: what the supervisor costs, beside the barest program that does the same part of the work, in one run on loopback:
// the way of a line from the agent's write to a subscriber of the control socket, lines a second, and whether memory stays flat.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isBuilt } from './child.ts'
import { parseBare, startRelay, startSupervised, type Used, writeAgent } from './control-sides.ts'
import { median } from './report.ts'

const TARGETS = { p50: 2, p99: 3, throughput: 0.2, growth: 1.15 }
const RATE = 200 // lines a second
/** The agent counts answers. Of long ones nine lines in ten are pieces of a text, of short ones three in four. */
const LONG = { sentences: 9, lines: 93 }
const SHORT = { sentences: 3, lines: 42 }
const orders = (lines: number, answer = LONG): (string | number)[] => ['flat', Math.round(lines / answer.lines), answer.sentences]
const USAGE = 'usage: npm run bench:control -- [--quick] [--full] [--only latency|throughput|memory] [--json]'

/** A folder of its own for what runs in it. */
async function within<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// ── latency ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Latency = { ours: Spread; bare: Spread; p50: number; p99: number }
type Spread = { count: number; p50: number; p99: number }

/** Both run all the time; in turns of a quarter of a second one agent writes and the other is silent. */
const measureLatency = (seconds: number): Promise<Latency> =>
  within((ours) =>
    within(async (bare) => {
      writeAgent(ours, ['paced', RATE, seconds, 0])
      const agent = writeAgent(bare, ['paced', RATE, seconds, 1])
      const took = { ours: [] as number[], bare: [] as number[] }
      const sides = await Promise.all([startSupervised(ours, stamps(took.ours)), startRelay(bare, agent, stamps(took.bare))])
      await Promise.all(sides.map(({ done }) => done))
      // In the first two seconds, of which each has half, code runs for the first time.
      const [a, b] = [spreadOf(took.ours.slice(RATE)), spreadOf(took.bare.slice(RATE))]
      return { ours: a, bare: b, p50: a.p50 / b.p50, p99: a.p99 / b.p99 }
    }),
  )

/** Milliseconds from the write, which a line tells itself, to the read. */
function stamps(took: number[]): (chunk: Buffer) => void {
  return (chunk) => {
    const now = process.hrtime.bigint()
    for (const [, stamp = ''] of chunk.toString('latin1').matchAll(/"text":"at (\d+) and on "/g))
      took.push(Number(now - BigInt(stamp)) / 1e6)
  }
}

function spreadOf(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) }
}

// ── throughput ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type Flow = Used & { ms: number; events: number }

/** From the first event of the work to the last, as a subscriber gets them. */
async function supervise(folder: string, watch?: (pid: number, events: () => number) => void): Promise<Flow> {
  const seen = { events: 0, from: 0, to: 0 }
  const side = await startSupervised(folder, (chunk) => {
    seen.to = performance.now()
    if (seen.from === 0 && chunk.includes('"text.delta"')) seen.from = seen.to
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen.events++
  })
  watch?.(side.pid, () => seen.events)
  const used = await side.done
  return { ...used, ms: seen.to - seen.from, events: seen.events }
}

type Throughput = { lines: number; linesPerSecond: number; ratio: number; best: number; cpu: number }

async function measureThroughput(lines: number, rounds: number, answer = LONG): Promise<Throughput> {
  const pairs: { ours: Flow; bare: Flow }[] = []
  let count = 0
  for (let round = 0; round < rounds; round++)
    await within(async (folder) => {
      const agent = writeAgent(folder, orders(lines, answer))
      const parsed = await parseBare(folder, agent)
      count = parsed.lines
      pairs.push({ bare: { ...parsed, events: 0 }, ours: await supervise(folder) })
    })
  const ratios = pairs.map(({ ours, bare }) => bare.ms / ours.ms)
  return {
    lines: count,
    linesPerSecond: (count / median(pairs.map(({ ours }) => ours.ms))) * 1000,
    ratio: median(ratios),
    best: Math.max(...ratios),
    cpu: median(pairs.map(({ ours, bare }) => bare.cpu / ours.cpu)),
  }
}

// ── memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Memory = { events: number; early: number; late: number; growth: number }

/** The most that is held in the second third of the events, and in the last. */
const measureMemory = (lines: number): Promise<Memory> =>
  within(async (folder) => {
    writeAgent(folder, orders(lines))
    const samples: { events: number; megabytes: number }[] = []
    let timer: NodeJS.Timeout | undefined
    const { events } = await supervise(folder, (pid, seen) => {
      timer = setInterval(() => samples.push({ events: seen(), megabytes: residentOf(pid) }), 50)
    })
    clearInterval(timer)
    const most = (from: number, to: number): number =>
      Math.max(...samples.filter((one) => one.events >= from * events && one.events < to * events).map(({ megabytes }) => megabytes))
    const [early, late] = [most(1 / 3, 2 / 3), most(2 / 3, 1)]
    return { events, early, late, growth: late / early }
  })

/** 0 when it has ended. */
function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

// ── all of it ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function options(): { quick: boolean; full: boolean; json: boolean; only: string } {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({ options: { quick: flag, full: flag, json: flag, only: { type: 'string', default: '' } } }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    process.exit(2)
  }
}

const ms = (value: number): string => `${value.toFixed(3)} ms`
const verdict = (isGood: boolean): string => (isGood ? 'ok' : 'MISSED')

const { quick, full, json, only } = options()
if (!isBuilt()) {
  console.error("dist/cli.js is missing; run 'npm run build' first")
  process.exit(2)
}
const wants = (name: string): boolean => only === '' || only === name
const load = loadavg()[0] ?? 0
const latency = wants('latency') ? await measureLatency(quick ? 6 : 20) : undefined
const [flood, rounds] = quick ? [50_000, 1] : [300_000, 5]
const throughput = wants('throughput') ? await measureThroughput(flood, rounds) : undefined
const short = wants('throughput') ? await measureThroughput(flood, rounds, SHORT) : undefined
const memory = wants('memory') ? await measureMemory(full ? 10_000_000 : quick ? 50_000 : 300_000) : undefined

const lines: string[] = []
const isGood: boolean[] = []
const tell = (good: boolean, text: string): void => {
  isGood.push(good)
  lines.push(`${text}  ${verdict(good)}`)
}
if (latency !== undefined) {
  const { ours, bare, p50, p99 } = latency
  tell(p50 <= TARGETS.p50, `latency p50   ${ms(ours.p50)}, bare relay ${ms(bare.p50)}: ${p50.toFixed(2)} (at most ${TARGETS.p50})`)
  tell(p99 <= TARGETS.p99, `latency p99   ${ms(ours.p99)}, bare relay ${ms(bare.p99)}: ${p99.toFixed(2)} (at most ${TARGETS.p99})`)
}
if (throughput !== undefined) {
  const { linesPerSecond, ratio, best, cpu } = throughput
  const numbers = `${ratio.toFixed(2)} of bare parsing (best ${best.toFixed(2)}, cpu ${cpu.toFixed(2)}; at least ${TARGETS.throughput})`
  tell(ratio >= TARGETS.throughput, `throughput    ${Math.round(linesPerSecond)} lines a second: ${numbers}`)
}
if (short !== undefined)
  lines.push(`short answers ${Math.round(short.linesPerSecond)} lines a second: ${short.ratio.toFixed(2)} of bare parsing (no target)`)
if (memory !== undefined) {
  const { events, early, late, growth } = memory
  const numbers = `${early.toFixed(0)} MB in the second third, ${late.toFixed(0)} MB in the last: ${growth.toFixed(2)}`
  tell(growth <= TARGETS.growth, `memory        ${events} events, ${numbers} (at most ${TARGETS.growth})`)
}
if (json)
  console.log(JSON.stringify({ node: process.version, load, quick, full, latency, throughput, short, memory, targets: TARGETS }, null, 2))
else console.log([...lines, `load before: ${load.toFixed(2)}`].join('\n'))
process.exitCode = isGood.every(Boolean) && isGood.length > 0 ? 0 : 1
