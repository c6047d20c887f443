// Pieces of a text, short enough to be kept and shown: on one line, and never half a character.

const enough = 4 // units that a character may take, with white space around it

/** The beginning of a text, on one line. */
export function beginning(text: string, most: number): string {
  const line = onOneLine(text.slice(0, most * enough))
  if (line.length <= most && text.length <= most * enough) return line
  const points = Array.from(line)
  return points.length <= most && text.length <= most * enough ? line : `${points.slice(0, most).join('').trimEnd()}…`
}

/** The end of a text, on one line. */
export function ending(text: string, most: number): string {
  const line = onOneLine(text.slice(-most * enough))
  if (line.length <= most && text.length <= most * enough) return line
  const points = Array.from(line)
  return points.length <= most && text.length <= most * enough ? line : `…${points.slice(-most).join('').trimStart()}`
}

const onOneLine = (text: string): string => (/[^\x21-\x7e ]|  |^ | $/.test(text) ? text.replace(/\s+/g, ' ').trim() : text)

/** A part of a text that does not keep the whole of it in memory, as a slice would. */
export const copyOf = (text: string, most: number): string => (text.length <= most ? text : Array.from(text.slice(0, most)).join(''))

const mostPieces = 256
const longPiece = 4096

/** The last pieces of what was said. They are put together only when somebody asks: most are never asked for. */
export function createMemory() {
  let pieces: string[] = []
  let next = 0
  return {
    hear(piece: string): void {
      if (piece.length > longPiece) next = pieces.length = 0 // it says enough alone
      pieces[next] = piece
      next = (next + 1) % mostPieces
    },
    clear(): void {
      pieces = []
      next = 0
    },
    text: (): string => pieces.slice(next).join('') + pieces.slice(0, next).join(''),
  }
}
