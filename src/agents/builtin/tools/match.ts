// Finds the piece of a text that an edit means. Models get white space wrong: when a piece is not there as written, the same lines with
// other indentation or other space at their ends are taken, but only when they stand in exactly one place.

export type Match = { start: number; end: number; text: string }
export type Found = { matches: readonly Match[]; how: 'exact' | 'indentation' | 'white space' }

/** Each match says what to put in its place; several are only ever exact ones. */
export function findPiece(text: string, old: string, replacement: string): Found {
  const exact = occurrences(text, old)
  if (exact.length > 0) return { matches: exact.map((start) => ({ start, end: start + old.length, text: replacement })), how: 'exact' }
  const wanted = linesOf(old.replace(/^\n+|\n+$/g, ''))
  if (wanted.every((line) => line.trim() === '')) return { matches: [], how: 'exact' }
  const inserted = replacement.replace(/^\n+|\n+$/g, '')
  const lines = linesOf(text)
  const indented = windows(lines, wanted, (at, isFit) => shiftOf(lines, at, wanted, isFit) !== undefined)
  if (indented.length > 0) return { matches: indented.map((at) => matchAt(lines, at, wanted, inserted)), how: 'indentation' }
  const plain = wanted.map((line) => line.trim())
  const trimmed = windows(lines, wanted, (at, isFit) => plain.every((line, index) => isFit(lines[at + index]!.trim() === line)))
  return { matches: trimmed.map((at) => matchAt(lines, at, wanted, inserted)), how: 'white space' }
}

function occurrences(text: string, piece: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) found.push(at)
  return found
}

const linesOf = (text: string): string[] => text.split('\n')

const enough = 6 // several are told, never replaced
const mostSteps = 2_000_000 // lines compared: a file and a piece of it may be made to have much in common nearly everywhere

/** Where it fits. `isFit` counts what is compared, and ends the search when that is too much. */
function windows(
  lines: readonly string[],
  { length }: readonly string[],
  fits: (at: number, isFit: (does: boolean) => boolean) => boolean,
): number[] {
  const found: number[] = []
  let steps = 0
  const isFit = (does: boolean): boolean => does && ++steps < mostSteps
  for (let at = 0; at + length <= lines.length && found.length < enough && steps < mostSteps; at++) if (fits(at, isFit)) found.push(at)
  return found
}

function matchAt(lines: readonly string[], at: number, wanted: readonly string[], replacement: string): Match {
  const window = lines.slice(at, at + wanted.length)
  const start = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0)
  const shift = shiftOf(lines, at, wanted)
  return { start, end: start + window.join('\n').length, text: shift === undefined ? replacement : shifted(replacement, shift) }
}

type Shift = { from: string; to: string }

/** The indentation that stands in front of every line in the one where the other has another; undefined when there is more to it. */
function shiftOf(
  lines: readonly string[],
  start: number,
  wanted: readonly string[],
  isFit = (does: boolean): boolean => does,
): Shift | undefined {
  const index = wanted.findIndex((line) => line.trim() !== '')
  const from = indentOf(wanted[index]!)
  const to = indentOf(lines[start + index]!)
  const fits = wanted.every((line, at) => {
    const here = lines[start + at]!
    return isFit(line.trim() === '' ? here.trim() === '' : shifted(line, { from, to }) === here)
  })
  return fits ? { from, to } : undefined
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0]

const shifted = (text: string, { from, to }: Shift): string =>
  linesOf(text)
    .map((line) => (line.trim() !== '' && line.startsWith(from) ? to + line.slice(from.length) : line))
    .join('\n')
