// Reads logs of all kinds into one account. Claude's transcripts, the most by far, are scanned by this thread and a worker.
import { claimers, open } from './dialects.ts'
import { createUsage, type UsageOptions } from '../analyze/usage.ts'
import { quoted } from '../base/text.ts'
import { createReader } from '../stream/read.ts'
import { CommandError, exitCodes } from './exit.ts'
import { blocks } from './io.ts'
import { enterTranscripts, type Row, scanTranscript } from './usage-claude.ts'
import { createRollouts } from './usage-codex.ts'
import type { Log } from './usage-find.ts'
import { readDatabase, readMessageFile } from './usage-opencode.ts'

export type Skipped = { path: string; why: string }
/** Told before each log. */
export type Progress = (done: { logs: number; bytes: number }) => void

/** The work of both threads: whoever is free takes the next path. */
export type ScanJob = { paths: string[]; next: SharedArrayBuffer }
/** `rows` is null or absent where a file is in doubt. */
export type Scanned = [index: number, rows?: Row[] | null | undefined]

type Usage = ReturnType<typeof createUsage>

/** Starting a worker takes as long as reading this much. */
const worthWorker = 24e6
/** All that is read may hold copies of all else. */
const remember = 1 << 20

/** `options` are waited for only when they are needed: prices can be loaded while the worker starts. */
export async function readLogs(
  logs: readonly Log[],
  options: () => Promise<UsageOptions>,
  progress: Progress,
): Promise<{ usage: Usage; skipped: Skipped[] }> {
  const skipped: Skipped[] = []
  const done = { logs: 0, bytes: 0 }
  const begin = ({ size }: Log): void => {
    progress(done)
    done.logs++
    done.bytes += size
  }
  const scans = await scanAll(
    logs.filter(({ kind }) => kind === 'claude'),
    begin,
  )
  const usage = createUsage({ remember, ...(await options()) })
  enterTranscripts(scans.values(), usage.book)
  const readRollout = createRollouts(usage.book)
  for (const log of logs) {
    if (scans.has(log.path)) continue
    begin(log)
    try {
      await readOne(log, usage, readRollout)
    } catch (error) {
      if (log.named || !isOfInput(error)) throw error
      if (!isUnknown(error)) skipped.push({ path: log.path, why: error instanceof Error ? error.message : String(error) })
    }
  }
  return { usage, skipped }
}

async function readOne({ path, kind }: Log, usage: Usage, readRollout: (path: string) => void): Promise<void> {
  if (kind === 'codex') readRollout(path)
  else if (kind === 'opencode') readMessageFile(path, usage.book)
  else if (kind !== 'opencode-db') await readStream(path, usage)
  else if ((await readDatabase(path, usage.book)) === 0) throw new CommandError(`${quoted(path, 500)} has no table of opencode's messages`)
}

/** A file in a folder need not be a log. */
const isUnknown = (error: unknown): boolean => error instanceof CommandError && error.exitCode === exitCodes.usage

const isOfInput = (error: unknown): boolean =>
  error instanceof CommandError ||
  (error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')))

/** Any dialect, event by event. */
async function readStream(path: string, usage: Usage): Promise<void> {
  const input = await open(blocks(path), undefined)
  usage.source(path)
  const reader = createReader(
    input.dialect,
    (events) => {
      for (const event of events) usage.push(event)
    },
    { others: claimers, raw: 'none' },
  )
  await input.read((block) => reader.push(block))
  reader.end()
}

// ── two threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The rows of each transcript; a path without rows is read as a stream. */
async function scanAll(logs: readonly Log[], begin: (log: Log) => void): Promise<Map<string, Row[]>> {
  const job: ScanJob = { paths: logs.map(({ path }) => path), next: new SharedArrayBuffer(4) }
  const big = logs.length > 1 && logs.reduce((sum, { size }) => sum + size, 0) > worthWorker
  const others = big ? await startWorker(job) : undefined
  const scanned = new Map<string, Row[]>()
  const keep = ([index, rows]: Scanned): void => {
    if (rows) scanned.set(job.paths[index]!, rows)
  }
  scan(job, keep, (index) => begin(logs[index]!))
  for (const one of (await others?.()) ?? []) keep(one)
  return scanned
}

/** Takes paths until there are none left. A file that cannot be read is left to the stream reader, which says why. */
export function scan({ paths, next }: ScanJob, keep: (one: Scanned) => void, begin: (index: number) => void = () => {}): void {
  const counter = new Int32Array(next)
  for (let index = Atomics.add(counter, 0, 1); index < paths.length; index = Atomics.add(counter, 0, 1)) {
    begin(index)
    let rows: Row[] | undefined
    try {
      rows = scanTranscript(paths[index]!)
    } catch (error) {
      if (!isOfInput(error)) throw new Error(`while reading ${quoted(paths[index])}`, { cause: error })
    }
    keep([index, rows])
  }
}

async function startWorker(job: ScanJob): Promise<() => Promise<Scanned[]>> {
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(new URL('./usage-worker.js', import.meta.url), { workerData: job })
  const { promise, resolve, reject } = Promise.withResolvers<Scanned[]>()
  worker.on('message', (text: string) => resolve(JSON.parse(text) as Scanned[]))
  worker.on('error', reject)
  promise.catch(() => {}) // it is awaited later
  return () => promise
}
