// The generations of a run: one file for each writer it had, never reopened and never cut. What lies past the `after` of a later one does
// not count, so a writer that was taken for dead harms nobody.
import { fstatSync, readSync } from 'node:fs'
import { access, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { LogError } from '../errors.ts'
import { type Closed, closedIn, type Header, headerIn, type Joined, joinedIn, parseLine } from './control-line.ts'
import { ignoring, numberedName, numbersIn, oldSessionFile, openOwn, type Place, runFolder, syncFolder } from './files.ts'
import { type Lines, linesIn, numberAt } from './lines.ts'

const blockSize = 1 << 20
const nearby = 1 << 16 // bytes that are read through rather than searched
const newline = 0x0a
export const suffix = '.ndjson'

export type Generation = {
  gen: number
  path: string
  /** The last number before it. */
  after: number
  /** The last number of it that counts: later generations go on from there. */
  limit: number
  /** Undefined: a session file of old, generation 0 of a run of that name. */
  header: Header | undefined
}

/** A file without a whole header has just been made, or its maker died there: it does not count. */
export async function generationsOf(place: Place, run: string, known = new Map<number, Header>()): Promise<Generation[]> {
  const folder = runFolder(place, run)
  const numbers = await numbersIn(folder, suffix)
  const found: Generation[] = []
  for (const gen of numbers) {
    const path = join(folder, numberedName(gen, suffix))
    const header = gen === 0 ? undefined : (known.get(gen) ?? (await headerOf(path)))
    if (header === undefined && gen !== 0) continue
    if (header !== undefined) known.set(gen, header)
    found.push({ gen, path, after: header?.after ?? 0, limit: Infinity, header })
  }
  for (let index = found.length - 1, limit = Infinity; index >= 0; index--) {
    found[index]!.limit = limit
    limit = Math.min(limit, found[index]!.after)
  }
  if (found.length > 0) return found
  const old = oldSessionFile(place, run)
  const isThere = await access(old).then(() => true, ignoring('ENOENT', false))
  return isThere ? [{ gen: 0, path: old, after: 0, limit: Infinity, header: undefined }] : []
}

async function headerOf(path: string): Promise<Header | undefined> {
  await using file = await openOwn(path)
  const bytes = Buffer.alloc(nearby)
  const { bytesRead } = await file.read(bytes, 0, nearby, 0)
  const record = parseLine(bytes.subarray(0, Math.max(0, bytes.subarray(0, bytesRead).indexOf(newline))))
  return record && headerIn(record)
}

/** Its name and header are on the disk when it resolves. Rejects with EEXIST. */
export async function createGeneration(place: Place, header: Header, line: Uint8Array): Promise<number> {
  const { files } = place
  const folder = runFolder(place, header.run)
  const fd = files.create(join(folder, numberedName(header.gen, suffix)))
  writeWhole(place, fd, line)
  await files.sync(fd)
  await syncFolder(folder)
  return fd
}

/** What could not be written whole must not be tried again: nobody knows what is on the disk. */
export function writeWhole({ files }: Place, fd: number, bytes: Uint8Array): void {
  const written = files.write(fd, bytes)
  if (written !== bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`)
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `idle`: no more for now. `over`: the limit is reached. `invalid`: what follows is no line of this log. */
export type Piece = { type: 'lines'; lines: Buffer; count: number; first: number; last: number } | { type: 'idle' | 'over' | 'invalid' }

export type GenerationReader = {
  /** The number of the last event that was passed or given. */
  last(): number
  /** The run is over: its last line was read. */
  closed(): Closed | undefined
  /** The sessions told of so far, from the place on where reading began. */
  joined: Joined[]
  next(limit: number): Promise<Piece>
  close(): Promise<void>
}

/** From the event after that one on. Reads without waiting, so that whoever has reached the end has all that is there at that moment. */
export async function openGeneration({ path, gen, after: before }: Generation, after: number): Promise<GenerationReader> {
  const file = await openOwn(path)
  const isOld = gen === 0 // such a file may hold anything: what is no event is passed over
  const joined: Joined[] = []
  let closed: Closed | undefined
  let size = blockSize
  let isFull = false // the last block was
  let offset = await placeBefore(file, after)
  let last = offset === 0 && !isOld ? before : undefined // of the line before the offset

  /** Passes a line that is no event; false when it is not whole. */
  function pass(bytes: Buffer): boolean {
    const end = bytes.indexOf(newline)
    if (end === -1) return false
    offset += end + 1
    if (isOld) last = undefined
    const record = parseLine(bytes.subarray(0, end)) ?? {}
    closed ??= closedIn(record)
    const session = joinedIn(record)
    if (session !== undefined) joined.push(session)
    return true
  }

  async function next(limit: number): Promise<Piece> {
    for (;;) {
      if (isFull) await turn() // much is there: others get their turn
      const wanted = Math.min(size, fstatSync(file.fd).size - offset)
      if (wanted <= 0) return { type: last !== undefined && last >= limit ? 'over' : 'idle' }
      const block = Buffer.allocUnsafeSlow(wanted)
      const bytes = block.subarray(0, readSync(file.fd, block, 0, wanted, offset))
      isFull = bytes.length === size
      const found = linesIn(bytes, last, after, limit)
      offset += found.end
      last = found.last
      if (found.end > 0) size = blockSize
      if (found.count > 0) return { type: 'lines', lines: bytes.subarray(found.start, found.end), ...numbersOf(found) }
      if (found.why === 'over' || (found.why === 'invalid' && !isOld)) return { type: found.why }
      const isWhole = found.why === 'more' ? found.end > 0 : pass(bytes.subarray(found.end))
      if (isWhole) continue
      if (!isFull) return { type: 'idle' } // the rest of a line
      size *= 2
    }
  }

  return { last: () => last ?? 0, closed: () => closed, joined, next, close: () => file.close() }
}

const numbersOf = ({ count, last = 0 }: Lines): { count: number; first: number; last: number } => ({ count, first: last - count + 1, last })

/** A line near the last one whose number is not greater: where it begins. */
async function placeBefore(file: FileHandle, after: number): Promise<number> {
  let low = 0
  let high = after === 0 ? 0 : (await file.stat()).size
  const block = Buffer.allocUnsafeSlow(nearby)
  while (high - low > nearby) {
    const middle = Math.floor((low + high) / 2)
    const { bytesRead } = await file.read(block, 0, nearby, middle)
    const bytes = block.subarray(0, bytesRead)
    const start = bytes.indexOf(newline) + 1
    const end = bytes.indexOf(newline, start)
    const seq = start === 0 || end === -1 || bytes.subarray(0, end).includes(0) ? -1 : numberAt(bytes, start, end)
    if (seq > 0 && seq <= after) low = middle + start
    else high = middle
  }
  return low
}

/** The last line of the run, when this is it. */
async function closedAt(path: string): Promise<Closed | undefined> {
  await using file = await openOwn(path)
  const size = Math.min((await file.stat()).size, 256)
  const bytes = Buffer.alloc(size)
  await file.read(bytes, 0, size, (await file.stat()).size - size)
  const record = parseLine(bytes.subarray(bytes.lastIndexOf(newline, -2) + 1))
  return record && closedIn(record)
}

/** How far a generation goes, and whether the run was closed there. */
export async function endOf(generation: Generation): Promise<{ last: number; closed: Closed | undefined }> {
  const reader = await openGeneration(generation, Number.MAX_SAFE_INTEGER)
  try {
    await reader.next(generation.limit)
  } finally {
    await reader.close()
  }
  return { last: reader.last(), closed: await closedAt(generation.path) }
}

export const damaged = ({ path }: Generation, last: number): LogError =>
  new LogError('damaged', `the log ${JSON.stringify(path)} is damaged after event ${last}: move it away, or restore it`)
