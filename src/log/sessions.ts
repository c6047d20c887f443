// The sessions of this machine: one append-only file of canonical events each. A file is all there is of a session: what continues it
// reads nothing else. Lines are written whole; only the last one can be torn, when the machine itself went down.
import { chmodSync, closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { makeFolder } from '../files/folder.ts'
import { homeOf } from '../files/home.ts'
import { createLineBlock } from '../files/line-block.ts'
import { createFramer } from '../framing/framer.ts'
import type { Event } from '../model/event.ts'
import { type Claim, claimSession } from './claim.ts'
import { lineOf } from './line.ts'

export type SessionLog = {
  path: string
  /** Held back until `flush`, or until much has come together. */
  append(event: Event): void
  flush(): void
  /** Down to the disk, and no more is written. */
  close(): void
  /** The same without another word, when the last could not be written; after `close` nothing. */
  abandon(): void
}

const blockSize = 1 << 16
const suffix = '.ndjson'

/** A relative XDG_DATA_HOME counts for nothing, as its specification has it: it would lead into whatever project one works in. */
export function sessionsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const data = env['XDG_DATA_HOME'] ?? ''
  return join(isAbsolute(data) ? data : join(homeOf(env), '.local/share'), 'sluice/sessions')
}

/** Session ids go into file names: nothing but these characters. */
const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(text)

/** Nobody else writes to this session until it is released. Throws SessionTaken. */
export function claim(folder: string, id: string): Claim {
  if (!isId(id)) throw new SessionNotFound(id)
  return claimSession(folder, id)
}

/** `lastSeq`: the number of the last event that the file holds; new ones go on from there. `claimed`: by whoever has read it before. */
export function openSessionLog(folder: string, id: string, lastSeq = 0, claimed?: Claim): SessionLog {
  if (!isId(id)) throw new Error(`${JSON.stringify(id)} cannot be the id of a session`)
  makeFolder(folder, 0o700)
  chmodSync(folder, 0o700) // it may have been there
  const path = join(folder, `${id}${suffix}`)
  const held = claimed ?? claimSession(folder, id)
  const fd = openFile(path, lastSeq === 0, held)
  if (lastSeq > 0) cutTornLine(fd)
  let seq = lastSeq

  const { addBytes, flush } = createLineBlock((bytes) => {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
  })
  let isOpen = true
  const abandon = (): void => {
    if (!isOpen) return
    isOpen = false
    closeSync(fd)
    held.release()
  }
  return {
    path,
    append: (event) => addBytes(lineOf(event, ++seq).text),
    flush,
    close() {
      try {
        flush()
        fdatasyncSync(fd)
      } finally {
        abandon()
      }
    },
    abandon,
  }
}

function openFile(path: string, isNew: boolean, held: Claim): number {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
  try {
    return openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0), 0o600)
  } catch (error) {
    held.release()
    throw error
  }
}

/** A line that was never finished is no event; the next one must not be joined to it. */
function cutTornLine(fd: number): void {
  const { size } = fstatSync(fd)
  const block = Buffer.alloc(blockSize)
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - blockSize)
    const length = readSync(fd, block, 0, end - start, start)
    const at = block.subarray(0, length).lastIndexOf(0x0a)
    if (at !== -1) return start + at + 1 < size ? ftruncateSync(fd, start + at + 1) : undefined
    end = start
  }
  ftruncateSync(fd, 0)
}

const largest = 512 * 1024 * 1024 // bytes: all of it is held at once

/** Every event of a session, in order, as it stands in the file. Rejects when there is no such session. */
export async function readSession(folder: string, id: string): Promise<Event[]> {
  const fd = openSession(folder, id)
  try {
    if (fstatSync(fd).size > largest) throw new Error(`the file of the session is larger than ${largest / 1024 / 1024} MiB`)
    return recordsIn(fd, Infinity)
  } finally {
    closeSync(fd)
  }
}

/** Records that an agent may tell before its session's start. */
const mostBefore = 32

/** The start of a session, without reading the rest. Undefined: there is none that can be read. */
export async function startOf(folder: string, id: string): Promise<Event | undefined> {
  let fd: number | undefined
  try {
    fd = openSession(folder, id)
    return recordsIn(fd, mostBefore).find(({ kind }) => kind === 'session.start')
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Only files of ours: whoever else has put one here wants us to believe it. */
function openSession(folder: string, id: string): number {
  if (!isId(id)) throw new SessionNotFound(id)
  let fd: number
  try {
    fd = openSync(join(folder, `${id}${suffix}`), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new SessionNotFound(id) : error
  }
  const stat = fstatSync(fd)
  if (stat.isFile() && (stat.uid === process.getuid?.() || stat.uid === 0)) return fd
  closeSync(fd)
  throw new Error(stat.isFile() ? 'the file of the session belongs to somebody else' : 'the session is not a file')
}

function recordsIn(fd: number, most: number): Event[] {
  const events: Event[] = []
  const framer = createFramer({ record: (event) => void events.push(event as unknown as Event), bad: () => undefined })
  const block = Buffer.alloc(1 << 20)
  for (let size = readSync(fd, block); size > 0 && events.length < most; size = readSync(fd, block)) framer.push(block.subarray(0, size))
  framer.end()
  return events
}

export class SessionNotFound extends Error {
  override readonly name = 'SessionNotFound'
  constructor(id: string) {
    super(`there is no session ${JSON.stringify(id)}`)
  }
}

/** Ids of all sessions, the one that was written to last first. */
export async function listSessions(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.flatMap((name) => {
      const id = name.slice(0, -suffix.length)
      return name.endsWith(suffix) && isId(id) ? [stat(join(folder, name)).then(({ mtimeMs }) => ({ id, mtimeMs }))] : []
    }),
  )
  return found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).map(({ id }) => id)
}
