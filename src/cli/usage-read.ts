// Reads logs of all kinds into one account. Claude's transcripts, the most by far, are scanned by this thread and a worker.
import type { MessagePort } from 'node:worker_threads'
import { claimers, open } from './dialects.ts'
import { createUsage, type UsageOptions } from '../analyze/usage.ts'
import type { Session } from '../analyze/usage-book.ts'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Event } from '../model/event.ts'
import { createReader } from '../stream/read.ts'
import { CommandError, exitCodes, systemReason } from './exit.ts'
import { blocks } from './io.ts'
import { createTranscripts, type Packed, type Row, scanTranscript, unpacked } from './usage-claude.ts'
import { createRollouts, threadTotal } from './usage-codex.ts'
import { type Copies, createCopies, isSum, withoutCopies } from './usage-copies.ts'
import { type Log, opencodeDatabase, type Skipped } from './usage-find.ts'
import { readDatabase, readMessageFile } from './usage-opencode.ts'
import { createResumes } from './usage-resume.ts'

/** Records of a log that could not be read: what they used is not counted. */
export type Unreadable = { path: string; records: number; firstLine: number }
/** Told before each log. */
export type Progress = (done: { logs: number; bytes: number }) => void

/** The work of both threads: whoever is free takes the next path. The worker tells what it found through `port`. */
export type ScanJob = { paths: string[]; next: SharedArrayBuffer; port?: MessagePort }
/** `rows` is null where a file is in doubt. */
type Scanned = [index: number, rows: Row[] | null]
/** What the worker tells at once; nothing is the end of it. */
export type Told = [index: number, rows: Packed | null][]

type Usage = ReturnType<typeof createUsage>

/** Starting a worker takes as long as reading this much. */
const worthWorker = 64e6
/** All that is read may hold copies of all else. */
const remember = 1 << 20

/**
 * What cannot be read is added to `skipped`. `options` are waited for after the worker has been started: prices can be loaded
 * meanwhile.
 */
export async function readLogs(
  logs: readonly Log[],
  skipped: Skipped[],
  options: () => Promise<UsageOptions>,
  progress: Progress,
): Promise<{ usage: Usage; unreadable: Unreadable[] }> {
  const unreadable: Unreadable[] = []
  const done = { logs: 0, bytes: 0 }
  const begin = ({ size }: Log): void => {
    progress(done)
    done.logs++
    done.bytes += size
  }
  const transcripts = logs.filter(({ kind }) => kind === 'claude')
  const job: ScanJob = { paths: transcripts.map(({ path }) => path), next: new SharedArrayBuffer(4) }
  const worker = transcripts.reduce((sum, { size }) => sum + size, 0) > worthWorker ? await startWorker(job) : undefined
  const usage = createUsage({ remember, ...(await options()) })
  const copies = createCopies()
  const entry = createTranscripts(usage.book, copies)
  // What an agent keeps knows more than its output, the model first of all, so it is read first.
  const streams = await withoutCopies(logs.filter(({ kind }) => kind === 'stream'))
  const rest = [...logs.filter(({ kind }) => kind !== 'claude' && kind !== 'stream'), ...streams]
  const inOrder = ordered((index, rows) => (rows === null ? rest.push(transcripts[index]!) : entry.enter(rows)))
  for (const one of scan(job)) {
    begin(transcripts[one[0]]!)
    inOrder(one)
    worker?.poll(inOrder)
  }
  await worker?.end(inOrder)
  entry.end()
  const readers = { readRollout: createRollouts(usage.book), resumes: createResumes(), copies, unreadable }
  for (const log of rest) {
    begin(log)
    try {
      await readOne(log, usage, readers)
    } catch (error) {
      if (!isOfInput(error)) throw error
      if (log.named) throw ofCommand(error, log.path)
      if (!isUnknown(error)) skipped.push({ path: log.path, why: reasonOf(error) })
    }
  }
  return { usage, unreadable }
}

type Readers = {
  readRollout: ReturnType<typeof createRollouts>
  resumes: ReturnType<typeof createResumes>
  copies: Copies
  unreadable: Unreadable[]
}

async function readOne({ path, kind }: Log, usage: Usage, readers: Readers): Promise<void> {
  if (kind === 'codex') readers.readRollout(path)
  else if (kind === 'opencode') readMessageFile(path, usage.book)
  else if (kind !== 'opencode-db') await readStream(path, usage, readers)
  else if ((await readDatabase(path, usage.book)) === 0)
    throw new CommandError("it has no table of opencode's messages", opencodeDatabase.test(path) ? exitCodes.failed : exitCodes.usage)
}

/** A file in a folder need not be a log. One that cannot be opened may be: its error has a cause. */
const isUnknown = (error: unknown): boolean =>
  error instanceof CommandError && error.exitCode === exitCodes.usage && error.cause === undefined

const reasonOf = (error: unknown): string => systemReason(error instanceof Error && error.cause !== undefined ? error.cause : error)

function ofCommand(error: unknown, path: string): CommandError {
  if (!(error instanceof CommandError))
    return new CommandError(`cannot read ${quoted(path, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
  if (error.cause !== undefined) return error
  return new CommandError(`${path === '-' ? 'stdin' : quoted(path, 500)}: ${error.message}`, error.exitCode)
}

const isOfInput = (error: unknown): boolean =>
  error instanceof CommandError ||
  (error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')))

/** Any dialect, event by event. */
async function readStream(path: string, usage: Usage, readers: Readers): Promise<void> {
  const input = await open(blocks(path), undefined, '') // here it cannot be named
  usage.source(path)
  const take = taker(input.dialect.name, path, usage, readers)
  let bad: Unreadable | undefined
  const hear: Take = (events, record) => {
    take(events, record)
    const [first] = events
    if (first?.kind !== 'issue' || first.severity !== 'error' || harmless.has(first.code)) return
    if (bad === undefined) readers.unreadable.push((bad = { path, records: 0, firstLine: first.line }))
    bad.records++
  }
  const reader = createReader(input.dialect, hear, { others: claimers, raw: 'none' })
  await input.read((block) => reader.push(block))
  reader.end()
}

/** What is no record, and the one that is being written. */
const harmless: ReadonlySet<string> = new Set(['noise', 'cut'])

type Take = (events: Event[], record: Rec | undefined) => void

/** Without what is known from other files: copies, and what a session tells again when a new process resumes it. */
function taker(dialect: string, path: string, { book, push }: Usage, { resumes, copies }: Readers): Take {
  const isCopy = copies.finder(dialect)
  const own = dialect === 'claude' ? resumes() : undefined
  return (events, record) => {
    const named = dialect === 'copilot' ? events.map(withItsName) : events
    const copy = isCopy(named, record)
    const total = dialect === 'codex' && record ? threadTotal(record) : undefined
    for (const event of named) {
      const session = (): Session => book.sessionOf(event.session ?? path)
      if (event.kind === 'turn.end' && record === undefined) book.breakOff(session())
      else if (event.kind === 'turn.end' && total !== undefined) book.lifetime(session(), { at: event.at }, total)
      else if (own !== undefined) {
        const told = own(event, record, copy)
        if (told !== undefined) push(told, record)
      } else if (!copy || !isSum(event)) push(event)
    }
  }
}

/** The decoder names Copilot's messages after records, whose ids are as good as any. */
const withItsName = (event: Event): Event =>
  event.message?.startsWith('~') === true ? { ...event, message: event.message.slice(1) } : event

// ── two threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Takes paths until there are none left. A file that cannot be read is left to the stream reader, which says why. */
export function* scan({ paths, next }: ScanJob): Generator<Scanned> {
  const counter = new Int32Array(next)
  for (let index = Atomics.add(counter, 0, 1); index < paths.length; index = Atomics.add(counter, 0, 1)) {
    let rows: Row[] | undefined
    try {
      rows = scanTranscript(paths[index]!)
    } catch (error) {
      if (!isOfInput(error)) throw error
    }
    yield [index, rows ?? null]
  }
}

/** Hands results on in the order of the files, whoever found them when: which of two copies counts is not left to chance. */
function ordered(take: (index: number, rows: Row[] | null) => void): (one: Scanned) => void {
  const early = new Map<number, Row[] | null>()
  let next = 0
  return ([index, rows]) => {
    early.set(index, rows)
    for (let found = early.get(next); found !== undefined; found = early.get(next)) {
      early.delete(next)
      take(next++, found)
    }
  }
}

type Worker = { poll(take: (one: Scanned) => void): void; end(take: (one: Scanned) => void): Promise<void> }

async function startWorker(job: ScanJob): Promise<Worker> {
  const { MessageChannel, receiveMessageOnPort, Worker } = await import('node:worker_threads')
  const { port1: port, port2 } = new MessageChannel()
  const worker = new Worker(new URL('./usage-worker.js', import.meta.url), {
    workerData: { ...job, port: port2 },
    transferList: [port2],
  })
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  ended.catch(() => {}) // it is awaited later
  let isOver = false
  const hear = (told: Told, take: (one: Scanned) => void): void => {
    for (const [index, rows] of told) take([index, rows && unpacked(rows)])
    isOver = told.length === 0
  }
  const poll = (take: (one: Scanned) => void): void => {
    for (let told = receiveMessageOnPort(port); told !== undefined; told = receiveMessageOnPort(port)) hear(told.message as Told, take)
  }
  return {
    poll,
    async end(take) {
      poll(take)
      // It takes a while until the thread has ended, when it has told all.
      const allTold = new Promise<void>((resolve) => {
        port.on('message', (told: Told) => {
          hear(told, take)
          if (isOver) resolve()
        })
      })
      if (!isOver) await Promise.race([allTold, ended])
      poll(take)
      port.close()
    },
  }
}
