// The processes of a bench: how long one takes, what it writes, how much memory it needs at most; and a case beside its baseline in one.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order } from './pair.ts'
import type { Pair } from './report.ts'

const SLUICE = join(import.meta.dirname, '../bin/sluice')
const BUNDLE = join(import.meta.dirname, '../dist/cli.js')
const BASELINE = join(import.meta.dirname, 'baseline.mjs')
const PAIR = join(import.meta.dirname, 'pair.ts')
// The launcher of a checkout starts this very Node, so both sides of a ratio run on it.
const OWN_NODE = join(import.meta.dirname, '../node_modules/node/bin/node')
export const node = existsSync(OWN_NODE) ? OWN_NODE : process.execPath
const PINO_PRETTY = join(import.meta.dirname, 'node_modules/pino-pretty/bin.js')
const STDERR_LIMIT = 256 << 20

class ChildFailed extends Error {
  constructor(argv: readonly string[], done: SpawnSyncReturns<Buffer>) {
    const how = done.error?.message ?? (done.signal ? `killed by ${done.signal}` : `exit code ${done.status}`)
    super(`${argv.join(' ')}: ${how}\n${done.stderr?.toString().slice(0, 2000) ?? ''}`)
  }
}

export const isBuilt = (): boolean => existsSync(BUNDLE)

export const sluice = (argv: readonly string[], files: readonly string[]): string[] => [SLUICE, ...argv, ...files]

export const bareParse = (files: readonly string[]): string[] => [node, BASELINE, ...files]

/** It reads stdin only. */
export const pinoPretty = (files: readonly string[]): string[] => {
  if (!existsSync(PINO_PRETTY)) throw new Error('pino-pretty is missing; run npm ci --prefix bench first')
  return ['/bin/sh', '-c', 'program=$1; shift; cat "$@" | "$0" "$program"', node, PINO_PRETTY, ...files]
}

export const bareStart = (): string[] => [node, '-e', '0']

/** Milliseconds: of the clock, and of all processors together. */
export type Time = { wall: number; cpu: number }

/** Stdout is /dev/null. Anything but exit code 0 throws: a failed run is quick. */
export function time(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Time {
  const sink = openSync('/dev/null', 'w')
  const used = childrenCpu()
  const began = performance.now()
  const done = start(argv, sink, env)
  const wall = performance.now() - began
  closeSync(sink)
  if (done.status !== 0) throw new ChildFailed(argv, done)
  return { wall, cpu: childrenCpu() - used }
}

/** The flags of Node that bin/sluice gives. */
export const flags = (): string[] =>
  /(?:--[\w=-]+ )+(?="\$sluice_root\/dist)/.exec(readFileSync(SLUICE, 'utf8'))?.[0].trim().split(' ') ?? []

/** The command's bundle, under these flags. */
export function inOneProcess([command, ...argv]: readonly string[], order: Omit<Order, 'module' | 'argv'>): Pair[] {
  const module = join(import.meta.dirname, `../dist/${command}.js`)
  const whole: Order = { ...order, module, argv }
  const sink = openSync('/dev/null', 'w')
  const program = [node, ...flags(), PAIR, JSON.stringify(whole)]
  const done = spawnSync(node, program.slice(1), { stdio: ['ignore', sink, 'pipe', 'pipe'], maxBuffer: STDERR_LIMIT })
  closeSync(sink)
  if (done.status !== 0) throw new ChildFailed(program, done)
  return JSON.parse(String(done.output[3])) as Pair[]
}

/** Of all children that have ended, in steps of 10 ms; NaN where the system does not tell it so. */
function childrenCpu(): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10 // cutime and cstime; the name before may hold spaces
}

export function capture(argv: readonly string[]): Buffer {
  const done = start(argv, 'pipe', process.env)
  if (done.status !== 0) throw new ChildFailed(argv, done)
  return done.stdout
}

function start([program = '', ...argv]: readonly string[], stdout: number | 'pipe', env: NodeJS.ProcessEnv): SpawnSyncReturns<Buffer> {
  return spawnSync(program, argv, { stdio: ['ignore', stdout, 'pipe'], env, maxBuffer: STDERR_LIMIT })
}

/** Peak memory in MB, told by the process itself when it ends (getrusage; one figure for all its threads). */
export function peakMemory(argv: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const file = join(folder, 'peak')
  const probe =
    `import{appendFileSync}from"node:fs";import{isMainThread}from"node:worker_threads";` +
    `if(isMainThread)process.on("exit",()=>appendFileSync(process.env.SLUICE_BENCH_PEAK,process.resourceUsage().maxRSS+"\\n"))`
  const options = `--import=data:text/javascript,${encodeURIComponent(probe)}`
  try {
    time(argv, { ...process.env, SLUICE_BENCH_PEAK: file, NODE_OPTIONS: options })
    const kilobytes = readFileSync(file, 'utf8').trim().split('\n').map(Number)
    return Math.max(...kilobytes) / 1024
  } finally {
    rmSync(folder, { recursive: true })
  }
}
