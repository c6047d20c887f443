// Writes a run: numbers events, gathers their lines until the end of the turn, and syncs in the background, one sync at a time for all who
// wait. The first fault is final: the run's end is written to another generation, which goes on after the last event known to be on disk.
import { closeSync } from 'node:fs'
import { createJsonLines } from '../../files/json-line.ts'
import type { Event } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import { batchOf } from '../batch.ts'
import type { Batch, Part, RunStart, SessionJoin, Writer } from '../contract.ts'
import { formatCursor, parseCursor, start } from '../cursor.ts'
import { LogError, LogFailed } from '../errors.ts'
import { holdNew } from './alive.ts'
import { closeLine, openLine, partLine, thisProcess } from './control-line.ts'
import { endRun } from './end.ts'
import { ignoring, makeNewFolder, type Place, runFolder } from './files.ts'
import { createGeneration, writeWhole } from './generation.ts'
import { takeSession } from './take.ts'

export type SyncRule = 'always' | 'normal'

const gen = 1
const enough = 1 << 18 // bytes that are written without waiting for the end of the turn
const syncMs = 80 // until a write that nobody waits for is synced

type Waiter = { seq: number; resolve(): void; reject(error: unknown): void }

export async function openWriter(place: Place, { run, socket, version }: RunStart, rule: SyncRule, onClose: () => void): Promise<Writer> {
  const folder = runFolder(place, run)
  if (await makeNewFolder(folder).then(() => false, ignoring('EEXIST', true)))
    throw new LogError('run-taken', `there is a run ${JSON.stringify(run)} already; choose another id`)
  const release = holdNew(folder, place.files)
  const header = { run, gen, after: 0, ...thisProcess(), host: place.host, socket, version }
  const fd = await createGeneration(place, header, openLine(header)).catch((error: unknown) => {
    release()
    throw error
  })

  const { line } = createJsonLines()
  const listeners = new Set<(batch: Batch | undefined) => void>()
  const parts = new Map<string, Promise<Part>>()
  const failure = new AbortController()
  let ending: Promise<unknown> | undefined
  let closing: Promise<void> | undefined
  let block = Buffer.allocUnsafeSlow(1 << 16)
  let size = 0
  let [seq, written, synced] = [0, 0, 0] // of the last event that was numbered, written, and is on disk
  let flushing: NodeJS.Immediate | undefined

  function add(text: Uint8Array): void {
    const { length } = text
    if (size + length + 1 > block.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (size + length + 1))
      block.copy(larger, 0, 0, size)
      block = larger
    }
    block.set(text, size)
    size += length
    block[size++] = 0x0a
  }

  function append(events: readonly Event[]): string {
    if (closing !== undefined) throw new Error(`the log of run ${JSON.stringify(run)} is closed`)
    for (const event of events) {
      event.seq = seq + 1
      add(line(event, event.kind).text)
      seq++
      if (size >= enough) flush()
    }
    if (size > 0) flushing ??= setImmediate(flush)
    return formatCursor(gen, seq)
  }

  function flush(): void {
    clearImmediate(flushing)
    flushing = undefined
    if (size === 0) return
    const batch = batchOf(block.subarray(0, size), gen, written + 1, seq)
    size = 0
    write(batch.lines)
    written = seq
    for (const listener of listeners) listener(batch)
    if (block.length > 4 * enough) block = Buffer.allocUnsafeSlow(enough)
  }

  function write(bytes: Uint8Array): void {
    if (failure.signal.aborted) return
    try {
      writeWhole(place, fd, bytes)
      timer ??= setTimeout(sync, syncMs).unref()
    } catch (error) {
      fail(error)
    }
  }

  // ── down to the disk ───────────────────────────────────────────────────────────────────────────────────────────────────

  let waiters: Waiter[] = []
  let isSyncing = false
  let timer: NodeJS.Timeout | undefined // a sync is due

  function sync(): void {
    if (isSyncing || failure.signal.aborted) return
    clearTimeout(timer)
    timer = undefined
    isSyncing = true
    const upTo = written
    place.files.sync(fd).then(() => {
      isSyncing = false
      synced = upTo
      for (const waiter of waiters) if (waiter.seq <= synced) waiter.resolve()
      waiters = waiters.filter((waiter) => waiter.seq > synced)
      if (waiters.length > 0) sync()
      else if (written > synced) timer ??= setTimeout(sync, syncMs).unref()
    }, fail)
  }

  function fail(cause: unknown): void {
    if (failure.signal.aborted) return
    clearTimeout(timer)
    const error = new LogFailed(cause)
    failure.abort(error)
    for (const waiter of waiters) waiter.reject(error)
    waiters = []
    const fault = faultOf(error.message, { category: 'unknown', code: error.code })
    ending = endRun(place, run, 'failed', { reason: 'error', error: fault, synthetic: 'log-failed' }, synced).catch(() => {}) // tried once
  }

  async function durable(cursor: string): Promise<void> {
    const wanted = parseCursor(cursor)?.seq ?? seq
    flush()
    if (wanted <= synced) return
    failure.signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      waiters.push({ seq: wanted, resolve, reject })
      sync()
    })
  }

  async function join(session: SessionJoin): Promise<Part> {
    const part = await takeSession(place, session, { run, gen, from: seq + 1 })
    flush()
    write(partLine({ session: part.session, in: part.in }))
    return part
  }

  async function end(): Promise<void> {
    flush()
    try {
      await durable(formatCursor(gen, seq)) // the last line must not be there without those before it
      write(closeLine({ why: 'ended' }))
      if (!failure.signal.aborted) await place.files.sync(fd).catch(fail)
    } catch {
      // it has failed already
    }
    await ending
    clearTimeout(timer)
    release()
    closeSync(fd)
    onClose()
    for (const listener of listeners) listener(undefined)
    failure.signal.throwIfAborted()
  }

  return {
    run,
    append,
    head: () => (seq === 0 ? start : formatCursor(gen, seq)),
    flush,
    durable,
    acknowledged: async (cursor) => (rule === 'always' || failure.signal.aborted ? durable(cursor) : undefined),
    join(session) {
      const known = parts.get(session.session)
      if (known !== undefined) return known
      const joining = join(session)
      parts.set(session.session, joining)
      joining.catch(() => parts.delete(session.session))
      return joining
    },
    failed: failure.signal,
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => (closing ??= end()),
  }
}
