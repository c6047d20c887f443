// The lines of a stream as they come. Of a line that does not end only the beginning is read.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

const longest = 16 * 1024

export function linesOf(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder()
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...more] = decoder.write(chunk).split('\n')
    rest = (rest + first).slice(0, longest)
    for (const next of more) {
      onLine(rest.trimEnd())
      rest = next.slice(0, longest)
    }
  })
  stream.on('end', () => rest !== '' && onLine(rest.trimEnd()))
}
