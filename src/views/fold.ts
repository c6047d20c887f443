// The first lines of a text, and how many more there are. Only what is shown is looked at.
import { harmlessLines } from './harmless.ts'

/** Either `left` is 0 or it is worth a line that says so. */
export type Folded = { lines: string[]; left: number }

export function foldedText(text: string, most: number): Folded {
  const cut = endOfLine(text, most)
  const left = cut === -1 ? 0 : countLines(text, cut + 1)
  return left < 2 ? { lines: harmlessLines(text), left: 0 } : { lines: harmlessLines(text.slice(0, cut)), left }
}

export const foldedLines = (lines: string[], most: number): Folded =>
  lines.length <= most + 1 ? { lines, left: 0 } : { lines: lines.slice(0, most), left: lines.length - most }

export function countLines(text: string, start = 0): number {
  let count = 1
  for (let at = text.indexOf('\n', start); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Where the line of this number ends, counted from 1; -1 when there are not that many. */
function endOfLine(text: string, number: number): number {
  let at = -1
  for (let line = 0; line < number; line++) if ((at = text.indexOf('\n', at + 1)) === -1) return -1
  return at
}
