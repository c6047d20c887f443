// Pieces of a text, short enough to be kept and shown: on one line, and never half a character.

const enough = 4 // units that a character may take, with white space around it

/** The beginning of a text, on one line. */
export function beginning(text: string, most: number): string {
  const line = onOneLine(text.slice(0, most * enough))
  const isWhole = text.length <= most * enough
  if (isWhole && line.length <= most) return line
  let end = 0
  for (let left = most; left > 0 && end < line.length; left--) end += isPair(line, end) ? 2 : 1
  return isWhole && end === line.length ? line : flat(line.slice(0, end).trimEnd(), '…')
}

/** The end of a text, on one line. */
export function ending(text: string, most: number): string {
  const line = onOneLine(text.slice(-most * enough))
  const isWhole = text.length <= most * enough
  if (isWhole && line.length <= most) return line
  let start = line.length
  for (let left = most; left > 0 && start > 0; left--) start -= isPair(line, start - 2) ? 2 : 1
  return isWhole && start === 0 ? line : flat('…', line.slice(start).trimStart())
}

/** Two units that are one character. */
const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00

/** One text of its own: put together with `+`, it would keep the texts that its parts were cut from. */
const flat = (...parts: string[]): string => parts.join('')

/** A text that was cut from another keeps the whole of that in memory; its copy does not. */
export const ownCopy = (text: string): string => flat(text.slice(0, 1), text.slice(1))

const onOneLine = (text: string): string => (/[^\x21-\x7e ]|  |^ | $/.test(text) ? text.replace(/\s+/g, ' ').trim() : text)

/** A part of a text that does not keep the whole of it in memory, as a slice would. */
export const copyOf = (text: string, most: number): string => (text.length <= most ? text : Array.from(text.slice(0, most)).join(''))

/** More than anybody shows of the end of a text, so what was cut is seen to be cut. */
const enoughHeard = 4096

/** The last pieces of what was said. They are put together only when somebody asks: most are never asked for. */
export function createMemory() {
  let pieces: string[] = []
  let first = 0 // of those that are still needed
  let size = 0
  let closed: readonly string[] = pieces
  const begin = (): void => {
    pieces = []
    first = size = 0
  }
  return {
    hear(piece: string): void {
      pieces.push(piece)
      size += piece.length
      while (size - pieces[first]!.length >= enoughHeard) {
        size -= pieces[first]!.length
        pieces[first++] = '' // it may be long
      }
      if (first < 64 || first * 2 < pieces.length) return
      pieces = pieces.slice(first)
      first = 0
    },
    clear(): void {
      begin()
      closed = pieces
    },
    /** What is heard from now on is another text; this one stays until there is any. */
    close(): void {
      if (pieces.length === 0) return
      closed = pieces.slice(first)
      begin()
    },
    text: (): string => pieces.slice(first).join('') || closed.join(''),
  }
}
