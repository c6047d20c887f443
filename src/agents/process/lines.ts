// The lines of a stream as they come. Of a line that does not end only the beginning is read.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

const longest = 16 * 1024

export function createLines(onLine: (line: string) => void) {
  const decoder = new StringDecoder()
  let rest = ''
  return {
    push(bytes: Uint8Array): void {
      const [first = '', ...more] = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).split('\n')
      rest = (rest + first).slice(0, longest)
      for (const next of more) {
        onLine(rest.trimEnd())
        rest = next.slice(0, longest)
      }
    },
    end(): void {
      if (rest !== '') onLine(rest.trimEnd())
      rest = ''
    },
  }
}

export function linesOf(stream: Readable, onLine: (line: string) => void): void {
  const lines = createLines(onLine)
  stream.on('data', lines.push).on('end', lines.end)
}
