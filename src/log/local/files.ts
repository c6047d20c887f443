// Files of a log: made for us alone, never through a link, and never believed when they are another user's. What can fail when a log is
// written goes through `Files`, so that a test can let it fail.
import { constants, fdatasync, fsync, openSync, writeSync } from 'node:fs'
import { chmod, mkdir, open, readdir, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../../files/folder.ts'
import { LogError } from '../errors.ts'

export type Files = {
  /** A new file of ours. */
  create(path: string): number
  /** Returns how many bytes were written. */
  write(fd: number, bytes: Uint8Array): number
  sync(fd: number): Promise<void>
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

export const systemFiles: Files = {
  create: (path) => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600),
  write: (fd, bytes) => writeSync(fd, bytes),
  sync: promisify(fdatasync),
}

/** Where a log lies, and what it is told of this machine. */
export type Place = {
  runs: string
  sessions: string
  files: Files
  host: string
  now(): number
}

/** Ids go into file names. */
function checkId(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id))
    throw new LogError('bad-id', `${JSON.stringify(id)} cannot be an id; use letters, digits, "-" and "_"`)
  return id
}

export const runFolder = ({ runs }: Place, run: string): string => join(runs, checkId(run))
export const sessionFolder = ({ sessions }: Place, session: string): string => join(sessions, checkId(session))
/** Of a session that was kept in one file. */
export const oldSessionFile = ({ sessions }: Place, session: string): string => join(sessions, `${checkId(session)}.ndjson`)

const digits = 6
export const numberedName = (number: number, suffix: string): string => `${String(number).padStart(digits, '0')}${suffix}`

/** The numbers of such files in a folder, in order; none when it is not there. */
export async function numbersIn(folder: string, suffix: string): Promise<number[]> {
  const names = await readdir(folder).catch(ignoring('ENOENT', []))
  return names
    .flatMap((name) => (name.length === digits + suffix.length && name.endsWith(suffix) ? numberOf(name) : []))
    .toSorted((a, b) => a - b)
}

const numberOf = (name: string): number[] => (/^\d{6}\./.test(name) ? [Number(name.slice(0, digits))] : [])

/** To be closed. Rejects with ENOENT when it is not there. */
export async function openOwn(path: string): Promise<FileHandle> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && isOurs(stat)) return file
  await file.close()
  throw new LogError('not-ours', `${JSON.stringify(path)} ${stat.isFile() ? 'belongs to another user' : 'is not a file'}; remove it`)
}

export const isOurs = ({ uid }: { uid: number }): boolean => uid === process.getuid?.() || uid === 0

/** A folder for us alone, and its name on the disk. Rejects with EEXIST. */
export async function makeNewFolder(path: string): Promise<void> {
  const above = dirname(path)
  makeFolder(above, 0o700)
  await chmod(above, 0o700) // it may have been there
  await mkdir(path, { mode: 0o700 })
  await syncFolder(above)
}

/** The names in it. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, O_RDONLY)
  await promisify(fsync)(folder.fd)
}

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code

/** What a failure with that code stands for. */
export function ignoring<T>(code: string, value: T): (error: unknown) => T {
  return (error) => {
    if (!hasCode(error, code)) throw error
    return value
  }
}
