// Bytes in, lines out, one at a time and no longer than a limit, so that a file of one endless line costs no more than a short one.
import { StringDecoder } from 'node:string_decoder'

export type LineReader = {
  push(bytes: Uint8Array): void
  /** The last line may have no end. */
  end(): void
  /** How many there were. */
  lines(): number
}

/** `take` gets a line without its end, and its number from 1; it says false when it has seen enough. */
export function createLineReader(longest: number, take: (line: string, number: number) => boolean, mark = '\n'): LineReader {
  const decoder = new StringDecoder('utf8')
  let line = ''
  let length = 0 // of the whole line, of which `line` may be only the beginning
  let number = 0
  let open = true
  const grow = (text: string): void => {
    length += text.length
    if (line.length <= longest) line += text.slice(0, longest + 1 - line.length)
  }
  const finish = (): void => {
    number++
    const whole = number === 1 && line.startsWith('\ufeff') ? line.slice(1) : line
    const text = length > longest ? `${whole.slice(0, longest)}… [${length - longest} more characters]` : whole.replace(/\r$/, '')
    open = take(text, number)
    line = ''
    length = 0
  }
  const read = (text: string): void => {
    let from = 0
    while (open) {
      const end = text.indexOf(mark, from)
      grow(text.slice(from, end < 0 ? undefined : end))
      if (end < 0) return
      finish()
      from = end + 1
    }
  }
  return {
    push: (bytes) => read(decoder.write(bytes as Buffer)),
    end() {
      read(decoder.end())
      if (open && length > 0) finish()
    },
    lines: () => number,
  }
}
