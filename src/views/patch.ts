// A change of a file as lines with signs and colours.
import { structuredPatch } from 'diff'
import type { Change } from '../analyze/row.ts'
import { type Folded, foldedLines, foldedText } from './fold.ts'
import { harmlessLines } from './harmless.ts'
import type { Style } from './style.ts'

const context = 2
const longest = 200_000 // characters: beyond this, and for texts that have little in common,
const mostEdits = 2000 // comparing takes longer than reading both

/** How many lines came and went, and the first lines that show it. */
export type Patch = Folded & { added: number; removed: number }

export function patchOf({ patch, before = '', after = '' }: Change, style: Style, most = Infinity): Patch {
  if (patch === undefined && before === '') return newFile(after, style, most)
  const all = patch === undefined ? compared(before, after) : bodyOf(patch)
  let added = 0
  let removed = 0
  for (const line of all) {
    if (line.startsWith('+')) added++
    else if (line.startsWith('-')) removed++
  }
  const { lines, left } = foldedLines(all, most)
  return { added, removed, lines: lines.map((line) => tinted(line, style)), left }
}

function tinted(line: string, style: Style): string {
  if (line.startsWith('+')) return style.green(line)
  if (line.startsWith('-')) return style.red(line)
  return line.startsWith('@@') || line.startsWith('***') ? style.cyan(line) : style.dim(line)
}

function newFile(text: string, style: Style, most: number): Patch {
  if (text === '') return { added: 0, removed: 0, lines: [], left: 0 }
  const { lines, left } = foldedText(withoutLastBreak(text), most)
  return { added: lines.length + left, removed: 0, lines: lines.map((line) => style.green(`+${line}`)), left }
}

function compared(before: string, after: string): string[] {
  const patch =
    before.length + after.length > longest
      ? undefined
      : structuredPatch('', '', before, after, '', '', { context, maxEditLength: mostEdits })
  if (patch === undefined) return [...signed('-', before), ...(after === '' ? [] : signed('+', after))]
  if (patch.hunks.length === 0) return []
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ])
  return harmlessLines(lines.join('\n')).filter((line) => !line.startsWith('\\'))
}

const signed = (sign: string, text: string): string[] => harmlessLines(withoutLastBreak(text)).map((line) => `${sign}${line}`)

const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text)

/** Without the heads of a unified patch: the path is told beside it. Inside a hunk any line may look like a head. */
function bodyOf(patch: string): string[] {
  let [before, after] = [0, 0] // lines of the hunk that are still to come
  return harmlessLines(withoutLastBreak(patch)).filter((line) => {
    const sign = line.charAt(0)
    if ((before > 0 || after > 0) && (sign === ' ' || sign === '+' || sign === '-' || sign === '')) {
      if (sign !== '+') before--
      if (sign !== '-') after--
      return true
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk === null) return !/^(--- |\+\+\+ |diff --git |index |Index: |===|\\)/.test(line)
    ;[before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
    return true
  })
}
