// A change of a file as lines with signs and colours.
import { structuredPatch } from 'diff'
import type { Change } from '../analyze/row.ts'
import { harmlessLines } from './harmless.ts'
import type { Style } from './style.ts'

const context = 2
const longest = 200_000 // characters: beyond this, and for texts that have little in common,
const mostEdits = 2000 // comparing takes longer than reading both

/** How many lines came and went. */
export type Patch = { added: number; removed: number; lines: string[] }

export function patchOf(change: Change, style: Style): Patch {
  const lines = change.patch === undefined ? compared(change.before ?? '', change.after ?? '') : bodyOf(change.patch)
  let added = 0
  let removed = 0
  const shown = lines.map((line) => {
    if (line.startsWith('+')) {
      added++
      return style.green(line)
    }
    if (line.startsWith('-')) {
      removed++
      return style.red(line)
    }
    return line.startsWith('@@') || line.startsWith('***') ? style.cyan(line) : style.dim(line)
  })
  return { added, removed, lines: shown }
}

function compared(before: string, after: string): string[] {
  if (before === '' || before.length + after.length > longest)
    return [...(before === '' ? [] : signed('-', before)), ...(after === '' ? [] : signed('+', after))]
  const patch = structuredPatch('', '', before, after, '', '', { context, maxEditLength: mostEdits })
  if (patch === undefined) return [...signed('-', before), ...signed('+', after)]
  return patch.hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines])
    .flatMap(harmlessLines)
    .filter((line) => !line.startsWith('\\'))
}

const signed = (sign: string, text: string): string[] => harmlessLines(text.replace(/\n$/, '')).map((line) => `${sign}${line}`)

/** Without the heads of a unified patch: the path is told beside it. Inside a hunk any line may look like a head. */
function bodyOf(patch: string): string[] {
  let [before, after] = [0, 0] // lines of the hunk that are still to come
  return harmlessLines(patch.replace(/\n$/, '')).filter((line) => {
    if ((before > 0 || after > 0) && /^(?:[ +-]|$)/.test(line)) {
      if (!line.startsWith('+')) before--
      if (!line.startsWith('-')) after--
      return true
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk === null) return !/^(--- |\+\+\+ |diff --git |index |Index: |===|\\)/.test(line)
    ;[before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
    return true
  })
}
