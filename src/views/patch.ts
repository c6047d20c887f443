// A change of a file as lines with signs and colours.
import { structuredPatch } from 'diff'
import type { Change } from '../analyze/row.ts'
import { type Folded, foldedLines, foldedText } from './fold.ts'
import { harmless, harmlessLines } from './harmless.ts'
import { cutTo } from './layout.ts'
import type { Style } from './style.ts'

const context = 2
const longest = 200_000 // characters: beyond this, and for texts that have little in common,
const mostEdits = 2000 // comparing takes longer than reading both
const widest = 500 // columns of a line where not all is shown: a file may be one line

/** How many lines came and went, and the first lines that show it. */
export type Patch = Folded & { added: number; removed: number }

export function patchOf({ patch, before = '', after = '' }: Change, style: Style, most = Infinity): Patch {
  if (patch !== undefined) return read(patch, style, most)
  return before === '' ? written(after, style, most) : compared(before, after, style, most)
}

const short = (line: string, most: number): string => (most === Infinity || line.length * 2 <= widest ? line : cutTo(line, widest))

function tinted(whole: string, style: Style, most: number): string {
  const line = short(whole, most)
  if (line.startsWith('+')) return style.green(line)
  if (line.startsWith('-')) return style.red(line)
  return line.startsWith('@@') || line.startsWith('***') ? style.cyan(line) : style.dim(line)
}

const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

const unchanged = (): Patch => ({ added: 0, removed: 0, lines: [], left: 0 })

function written(text: string, style: Style, most: number): Patch {
  if (text === '') return unchanged()
  const { lines, left } = foldedText(withoutLastBreak(text), most)
  return { added: lines.length + left, removed: 0, lines: lines.map((line) => style.green(short(`+${line}`, most))), left }
}

function compared(before: string, after: string, style: Style, most: number): Patch {
  if (before.length + after.length > longest) return replaced(before, after, style, most)
  const block = oneBlock(before, after)
  if (block !== undefined) return blockPatch(block, style, most)
  const patch = structuredPatch('', '', before, after, '', '', { context, maxEditLength: mostEdits })
  if (patch === undefined) return replaced(before, after, style, most)
  if (patch.hunks.length === 0) return unchanged()
  const textOf = ({ oldStart, oldLines, newStart, newLines, lines }: (typeof patch.hunks)[number]): string =>
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}`
  return read(patch.hunks.map(textOf).join('\n'), style, most)
}

/** Lines that took the place of others, after so many that stayed; some that stayed stand around them. */
type Block = { start: number; above: string[]; gone: string[]; come: string[]; below: string[] }

/**
 * What changed, where that is one block of lines: most changes of an agent are, and no search is needed. Undefined where a line of it
 * stands elsewhere too, so that it may have moved, or where it is long.
 */
function oneBlock(before: string, after: string): Block | undefined {
  const old = linesOf(before)
  const now = linesOf(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let kept = 0
  while (kept < shorter - start && old[old.length - 1 - kept] === now[now.length - 1 - kept]) kept++
  const gone = old.slice(start, old.length - kept)
  const come = now.slice(start, now.length - kept)
  if (gone.length + come.length > mostEdits) return undefined
  const end = now.slice(now.length - kept)
  const known = new Set(end)
  if (come.some((line) => known.has(line))) return undefined
  for (const line of come) known.add(line)
  if (gone.some((line) => known.has(line))) return undefined
  return { start, above: old.slice(Math.max(0, start - context), start), gone, come, below: end.slice(0, context) }
}

/** A last line without a break is another than one with: it gets the sign that no other has. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop()!
  if (last !== '') lines.push(`${last}\n`)
  return lines
}

function blockPatch({ start, above, gone, come, below }: Block, style: Style, most: number): Patch {
  if (gone.length + come.length === 0) return unchanged()
  const around = above.length + below.length
  const first = start - above.length + 1
  const signed = (sign: string, lines: readonly string[]): string[] => lines.map((line) => sign + line)
  const { lines, left } = foldedLines(
    [
      `@@ -${first},${gone.length + around} +${first},${come.length + around} @@`,
      ...signed(' ', above),
      ...signed('-', gone),
      ...signed('+', come),
      ...signed(' ', below),
    ],
    most,
  )
  return {
    added: come.length,
    removed: gone.length,
    lines: lines.map((line) => tinted(harmless(withoutLastBreak(line)), style, most)),
    left,
  }
}

function replaced(before: string, after: string, style: Style, most: number): Patch {
  const signed = (sign: string, text: string): string[] =>
    text === '' ? [] : harmlessLines(withoutLastBreak(text)).map((line) => `${sign}${line}`)
  const gone = signed('-', before)
  const come = signed('+', after)
  const { lines, left } = foldedLines([...gone, ...come], most)
  return { added: come.length, removed: gone.length, lines: lines.map((line) => tinted(line, style, most)), left }
}

/** Without the heads of a unified patch: the path is told beside it. Inside a hunk any line may look like a head. */
function read(patch: string, style: Style, most: number): Patch {
  const text = harmless(withoutLastBreak(patch))
  const lines: string[] = []
  let [added, removed, count] = [0, 0, 0]
  let [before, after] = [0, 0] // lines of the hunk that are still to come
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    const next = text.indexOf('\n', start)
    end = next === -1 ? text.length : next
    const sign = start === end ? ' ' : text[start]
    if ((before > 0 || after > 0) && (sign === ' ' || sign === '+' || sign === '-')) {
      if (sign !== '+') before--
      if (sign !== '-') after--
    } else {
      const line = text.slice(start, end)
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
      if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
      else if (/^(--- |\+\+\+ |diff --git |index |Index: |===|\\)/.test(line)) continue
    }
    if (sign === '+') added++
    else if (sign === '-') removed++
    if (count++ <= most) lines.push(tinted(text.slice(start, end), style, most))
  }
  if (count <= most + 1) return { added, removed, lines, left: 0 }
  return { added, removed, lines: lines.slice(0, most), left: count - most }
}
