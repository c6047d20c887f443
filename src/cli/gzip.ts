// Recordings that were compressed with gzip: told by their first bytes, read as a stream, so that memory stays as it is however much
// comes out of few bytes.
import { closeSync, openSync, readSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { CommandError, exitCodes } from './exit.ts'

/** Each gzip file begins so: the magic number, and the only method there is. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08

/** What comes out of it. `source` gives the compressed bytes and may use one buffer for all. */
export async function* unzipped(source: Readable, name: string): AsyncGenerator<Uint8Array, void, void> {
  const unzip = process.getBuiltinModule('node:zlib').createGunzip() // slow to load, and rarely needed
  source.on('error', (error) => unzip.destroy(error))
  source.pipe(unzip)
  try {
    yield* unzip as AsyncIterable<Uint8Array>
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw broken(`${name} is cut off: the gzip data in it does not end`, error)
    if (code?.startsWith('Z_') === true) throw broken(`${name} is damaged: the gzip data in it cannot be read`, error)
    throw error
  } finally {
    source.destroy()
    unzip.destroy()
  }
}

/** Whether the file is there and compressed. */
export function isGzipAt(file: string): boolean {
  try {
    const fd = openSync(file, 'r')
    try {
      const first = Buffer.alloc(3)
      return readSync(fd, first) === first.length && isGzip(first)
    } finally {
      closeSync(fd)
    }
  } catch {
    return false // whoever opens it says why not
  }
}

const broken = (text: string, cause: unknown): CommandError => new CommandError(text, exitCodes.failed, { cause })
