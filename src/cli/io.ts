// Where a command reads and writes. Files are read in large blocks into one buffer; the hot path never waits.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { printable, quoted } from '../base/text.ts'
import type { Output } from '../stream/convert.ts'
import { ClosedPipe, CommandError, exitCodes, hasCode, systemReason, usageError } from './exit.ts'

const blockSize = 1 << 20

/** The one FILE of a command; `-`, or nothing when something is piped in, is stdin. */
export function oneFile(files: readonly string[]): string {
  if (files.length > 1) throw usageError(`one FILE is enough; ${quoted(files[1])} is too many`)
  const [file] = files
  if (file === undefined && process.stdin.isTTY === true) throw usageError('give a FILE, or - to read what is piped in')
  return file ?? '-'
}

/** Blocks of a file or of stdin. A block is valid only until the next is asked for. */
export async function* blocks(file: string): AsyncGenerator<Uint8Array> {
  let fd = 0
  if (file !== '-') {
    try {
      fd = openSync(file, 'r')
    } catch (error) {
      throw new CommandError(`cannot read ${quoted(file, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
    }
  }
  try {
    if (file !== '-' || fstatSync(0).isFile()) yield* blocksOf(fd)
    else for await (const block of process.stdin) yield block as Uint8Array
  } catch (error) {
    if (error instanceof CommandError || !hasAnyCode(error)) throw error
    throw new CommandError(`cannot read ${file === '-' ? 'stdin' : quoted(file, 500)}: ${systemReason(error)}`, exitCodes.failed, { cause: error })
  } finally {
    if (file !== '-') closeSync(fd)
  }
}

function* blocksOf(fd: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(blockSize)
  for (let size = readSync(fd, buffer); size > 0; size = readSync(fd, buffer)) yield size === buffer.length ? buffer : buffer.subarray(0, size)
}

const hasAnyCode = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** stdout. On a terminal, whatever could act on it is escaped; elsewhere the bytes are as they are. */
export function stdout(): Output {
  const scratch = Buffer.allocUnsafeSlow(1 << 18)
  const bytes = (data: Uint8Array): void => writeAll(1, data)
  const text = (data: string): void => {
    if (data.length * 3 <= scratch.length) bytes(scratch.subarray(0, scratch.write(data)))
    else bytes(Buffer.from(data))
  }
  if (process.stdout.isTTY !== true) return { text, bytes }
  const harmless = (data: string): void => text(data.split('\n').map((line) => printable(line.replace(/\r$/, ''))).join('\n'))
  const decoder = new TextDecoder()
  return { text: harmless, bytes: (data) => harmless(decoder.decode(data, { stream: true })) }
}

export function writeAll(fd: number, data: Uint8Array): void {
  let done = 0
  while (done < data.length) {
    try {
      done += writeSync(fd, data, done)
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) Atomics.wait(pause, 0, 0, 1) // a pipe that its reader has made non-blocking is full
      else if (hasCode(error, 'EPIPE')) throw new ClosedPipe()
      else throw new CommandError(`cannot write the output: ${systemReason(error)}`, exitCodes.failed, { cause: error })
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
