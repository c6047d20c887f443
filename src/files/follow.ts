// A file that may not exist yet, grows, is truncated, rotated or replaced, as one stream of bytes and of what happened to it.
// Surprises: what a file still gets after it lost its name is read until its successor has bytes of its own; and bytes shortly
// before the place reached are compared each time, so a file rewritten in one go is noticed though it has not shrunk.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { copyOf } from '../base/bytes.ts'
import { createBell, idOf } from './bell.ts'

export type Piece =
  /** Valid until the next piece is asked for. `offset` is the place of the first byte in the file as it is now. */
  | { type: 'bytes'; bytes: Uint8Array; offset: number }
  /** All that is in the file has been given. */
  | { type: 'idle' }
  /** The bytes that follow are from the start of the file (truncated: of the same one; replaced: of another of this name). */
  | { type: 'truncated' | 'replaced' }

type Open = { fd: number; id: string; at: number; before: Uint8Array }

const blockSize = 1 << 16
/** So many bytes before the place reached are compared. */
const guard = 64

/**
 * Ends when the signal aborts, or when what comes to be there is a pipe or a device, which cannot be followed: it is left unopened. Throws
 * what opening or reading throws, but for a file that is not there.
 */
export async function* follow(path: string, { signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<Piece, void, void> {
  using bell = createBell(path)
  const buffer = Buffer.allocUnsafeSlow(guard + blockSize)
  let file: Open | undefined
  let next: Open | undefined
  try {
    while (signal?.aborted !== true) {
      bell.arm(file?.id)
      if (file === undefined) {
        if (isStream(statSync(path, { throwIfNoEntry: false }))) return
        file = openIfThere(path)
      }
      if (file !== undefined) {
        next = successor(path, file)
        yield* rest(file, buffer, signal)
      }
      if (file !== undefined && next !== undefined) {
        closeSync(file.fd)
        file = next
        next = undefined
        yield { type: 'replaced' }
        continue
      }
      yield { type: 'idle' }
      await bell.wait(signal)
    }
  } finally {
    for (const open of [file, next]) if (open !== undefined) closeSync(open.fd)
  }
}

/** From the place reached to the end. */
async function* rest(file: Open, buffer: Buffer, signal: AbortSignal | undefined): AsyncGenerator<Piece, void, void> {
  while (signal?.aborted !== true) {
    const { before } = file
    const size = readSync(file.fd, buffer, 0, buffer.length, file.at - before.length)
    if (buffer.compare(before, 0, before.length, 0, Math.min(size, before.length)) !== 0) {
      file.at = 0
      file.before = before.subarray(0, 0)
      yield { type: 'truncated' }
      continue
    }
    if (size === before.length) return
    const bytes = buffer.subarray(before.length, size)
    const offset = file.at
    file.at += bytes.length
    file.before = copyOf(buffer, Math.max(0, size - guard), size)
    yield { type: 'bytes', bytes, offset }
    if (size === buffer.length) await turn() // much is there: signals and other files get their turn
  }
}

/** Another file of this name, once it has bytes: whoever writes into it has left the old one. */
function successor(path: string, { id }: Open): Open | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined || idOf(stat) === id || stat.size === 0n ? undefined : openIfThere(path)
}

/** What ends by itself, and has no places to read from. */
export const isStream = (stat: Stats | undefined): boolean => stat !== undefined && !stat.isFile() && !stat.isDirectory()

/** Without waiting for a writer, should it have become a pipe just now. */
function openIfThere(path: string): Open | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { fd, id: idOf(fstatSync(fd, { bigint: true })), at: 0, before: new Uint8Array(0) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
