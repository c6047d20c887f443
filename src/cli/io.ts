// Where a command reads and writes. Files are read in blocks into one buffer; the hot path never waits.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { mostChunk, roomForChunk } from '../base/moulds.ts'
import { quoted } from '../base/text.ts'
import type { Output } from '../stream/convert.ts'
import { harmless } from '../views/harmless.ts'
import { createJsonOut } from './json-out.ts'
import { isGzip, unzipped } from './gzip.ts'
import { CommandError, exitCodes, hasCode, systemReason, usageError } from './exit.ts'
import { writeAll } from './write.ts'

const heldSize = 1 << 20 // of output

/** The one FILE of a command; `-`, or nothing when something is piped in, is stdin. */
export function oneFile(files: readonly string[]): string {
  if (files.length > 1) throw usageError(`one FILE is enough; ${quoted(files[1])} is too many`)
  const [file] = files
  if (file === undefined && isTerminal(0)) throw usageError('give a FILE, or - to read what is piped in')
  return file ?? '-'
}

/** What a flag names is emptied, so it is neither a file that is read (`-` is stdin) nor the one that stdout goes to. */
export function mustBeAnother(path: string, flag: string, read: readonly string[]): void {
  if (path === '-') throw usageError(`${flag} "-" is no file, and stdout is for the output; write a file of this name as "./-"`)
  const there = fileAt(path)
  if (there === undefined) return
  const isThere = (other: Stats | undefined): boolean => isSame(there, other)
  const refuse = (why: string): CommandError => usageError(`${flag} ${quoted(path, 500)} ${why}; name another file`)
  if (read.some((file) => isThere(file === '-' ? fstatSync(0) : fileAt(file)))) throw refuse('would be lost: it is what is read')
  if (isThere(fstatSync(1))) throw refuse('is where the output goes')
}

/** Whether both lead to one file that is there. */
export const isSameFile = (path: string, other: string): boolean => isSame(fileAt(path), fileAt(other))

const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev

function fileAt(path: string): Stats | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true ? stat : undefined
  } catch {
    return undefined // whoever opens it will say why not
  }
}

/** Blocks of bytes, each valid only until the next is asked for. Those of a file come without waiting. */
export type Blocks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>

export function blocks(file: string): Blocks {
  const [fd, name] = file === '-' ? [0, 'stdin'] : [opened(file, constants.O_RDONLY), quoted(file, 500)]
  const stat = fstatSync(fd)
  if (file === '-' && stat.isDirectory()) throw usageError('cannot read stdin: it is a folder') // Node takes it for empty
  if (file === '-' && !stat.isFile()) return plainBlocks(process.stdin, name)
  mustNotBeOutput(stat, name)
  return isGzipFile(fd, stat) ? unzippedFile(fd, name) : blocksOf(fd, name)
}

/** Without moving the place where others who have the same file open go on. */
function isGzipFile(fd: number, stat: Stats): boolean {
  if (!stat.isFile() || stat.size < 3) return false
  const first = Buffer.alloc(3)
  try {
    return readSync(fd, first, 0, first.length, 0) === first.length && isGzip(first)
  } catch {
    return false // whoever reads it says why not
  }
}

function unzippedFile(fd: number, name: string): AsyncGenerator<Uint8Array> {
  const { createReadStream } = process.getBuiltinModule('node:fs')
  return streamBlocks(unzipped(createReadStream('', { fd, autoClose: fd !== 0 }), name), name)
}

/** Compressed bytes are unzipped. Which they are, the first that come tell. */
async function* plainBlocks(stream: Readable, name: string): AsyncGenerator<Uint8Array> {
  const source = streamBlocks(stream, name)
  const held: Uint8Array[] = []
  let size = 0
  while (size < 3) {
    const { done, value } = await source.next()
    if (done === true) return yield* held
    held.push(value)
    size += value.length
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* held
    yield* source
  }
  if (isGzip(Buffer.concat(held))) yield* unzipped(process.getBuiltinModule('node:stream').Readable.from(all()), name)
  else yield* all()
}

/** What is written would be read again, without an end. */
export function mustNotBeOutput(stat: Stats | undefined, name: string): void {
  if (stat?.isFile() === true && isSame(stat, stdoutStat())) throw usageError(`${name} is where the output goes; write to another file`)
}

function stdoutStat(): Stats | undefined {
  try {
    return fstatSync(1)
  } catch {
    return undefined // it is closed
  }
}

function opened(file: string, flags: number): number {
  try {
    return openSync(file, flags)
  } catch (error) {
    throw new CommandError(`cannot read ${quoted(file, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
  }
}

function* blocksOf(fd: number, name: string): Generator<Uint8Array> {
  const own = Buffer.allocUnsafeSlow(mostChunk)
  try {
    for (;;) {
      const block = roomForChunk() ?? own
      const size = readSync(fd, block)
      if (size === 0) return
      yield block.subarray(0, size)
    }
  } catch (error) {
    throw unreadable(error, name)
  } finally {
    if (fd !== 0) closeSync(fd)
  }
}

/** Undefined: whoever opens it will say why not. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/**
 * Of a named pipe or a device. While it has nothing to give, also before anybody writes to it, others can be read and signals are heard: to
 * read it in the usual way waits for a writer, and nothing ends that wait.
 */
export function pipeBlocks(file: string, signal?: AbortSignal): Blocks {
  const fd = opened(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const name = quoted(file, 500)
  const options = { fd, readable: true, writable: false, ...(signal && { signal }) }
  // Only here: both are slow to load.
  if (fstatSync(fd).isFIFO()) return plainBlocks(new (process.getBuiltinModule('node:net').Socket)(options), name)
  const { isatty, ReadStream } = process.getBuiltinModule('node:tty')
  return isatty(fd) ? streamBlocks(new ReadStream(fd, options), name) : blocksOf(fd, name)
}

async function* streamBlocks(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw unreadable(error, name)
  }
}

const unreadable = (error: unknown, name: string): unknown =>
  hasAnyCode(error)
    ? new CommandError(`cannot read ${name}: ${systemReason(error)}`, hasCode(error, 'EISDIR') ? exitCodes.usage : exitCodes.failed, {
        cause: error,
      })
    : error

/** Gives every block to `take`, until it says that it has enough. */
export async function pump(source: Blocks, take: (block: Uint8Array) => boolean | void): Promise<'ended' | 'enough'> {
  for (;;) {
    const next = source.next()
    const { done, value } = next instanceof Promise ? await next : next
    if (done === true) return 'ended'
    if (take(value) === true) return 'enough'
  }
}

const hasAnyCode = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** Asking process.stdout loads Node's stream modules; a file or a pipe is known without. */
export function isTerminal(fd: 0 | 1): boolean {
  const stat = fstatSync(fd)
  if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false
  return (fd === 0 ? process.stdin : process.stdout).isTTY === true
}

export type TextOut = Required<Omit<Output, 'json'>>

/** stdout, held back in one buffer until `flush`. On a terminal, whatever could act on it is escaped; elsewhere the bytes are as they are. */
export function stdout(): TextOut {
  const out = screen()
  if (!isTerminal(1)) return out
  const decoder = new TextDecoder()
  return {
    text: (data) => out.text(harmless(data)),
    line: (data) => out.line(harmless(data)),
    bytes: (data) => out.text(harmless(decoder.decode(data, { stream: true }))),
    flush: out.flush,
  }
}

/** The same for lines that a view has made: all in them that acts on a terminal is ours. */
export function screen(): TextOut {
  const buffer = Buffer.allocUnsafeSlow(heldSize)
  let size = 0
  const flush = (): void => {
    const full = size
    size = 0
    if (full > 0) writeAll(1, buffer.subarray(0, full))
  }
  const text = (data: string): void => {
    const most = data.length * 3 + 1
    if (size + most > buffer.length) flush()
    if (most > buffer.length) writeAll(1, Buffer.from(data))
    else size += buffer.write(data, size)
  }
  const line = (data: string): void => {
    text(data)
    if (size === buffer.length) flush()
    buffer[size++] = 0x0a
  }
  const bytes = (data: Uint8Array): void => {
    flush()
    writeAll(1, data)
  }
  return { text, line, bytes, flush }
}

/** stdout for many records: the same, and on a pipe or in a file they need not become texts first. */
export function recordsOut(): Output {
  if (isTerminal(1) || typeof WebAssembly === 'undefined') return stdout() // Node without code made at run time (--jitless) has none
  const out = createJsonOut((bytes) => writeAll(1, bytes))
  return {
    ...out,
    line(data) {
      out.text(data)
      out.byte(0x0a)
    },
    bytes(data) {
      out.flush()
      writeAll(1, data)
    },
  }
}

/** One piece of output, at once. */
export function print(text: string): void {
  const out = stdout()
  out.text(text)
  out.flush()
}
