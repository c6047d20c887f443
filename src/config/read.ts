// Reads a small text file that somebody else may have put there: never more than so much, never a pipe or device (which could hang
// us), and never through a link out of the folder it must lie in (which could show the model what is not its business).
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { isInside } from './places.ts'

/** The settings, or what belongs to them, cannot be used; the message says where and why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

export type FileText = {
  /** Links resolved. */
  path: string
  text: string
  /** The file goes on. */
  cut: boolean
  /** SHA-256 of the bytes that the text was made of. */
  hash: string
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is not a file',
}
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
export const reasonOf = (error: unknown): string => reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error))

/** Undefined: there is no such file. Throws an Error whose message is the reason. */
export function readText(path: string, { most, within }: { most: number; within?: string }): FileText | undefined {
  try {
    const real = realpathSync(path)
    if (within !== undefined && !isInside(real, within)) throw new Error(`it is a link that leads out of ${within}`)
    return { path: real, ...readStart(real, most) }
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw new Error(reasonOf(error), { cause: error })
  }
}

function readStart(path: string, most: number): Omit<FileText, 'path'> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a file')
    const buffer = Buffer.alloc(most + 1)
    let size = 0
    for (let got = -1; got !== 0 && size < buffer.length; size += got) got = readSync(fd, buffer, size, buffer.length - size, null)
    const cut = size > most
    const bytes = buffer.subarray(0, cut ? most : size)
    // When it is cut, a character may be, too.
    return { text: new TextDecoder().decode(bytes, { stream: cut }), cut, hash: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    closeSync(fd)
  }
}

/** Names in a folder, in order; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
