// Rows of cells as lines of a terminal.
import { cutTo, widthOf, wrapped } from '../views/layout.ts'

/** Cells under each other; the last one takes what is left of the width. */
export function columns(rows: readonly (readonly string[])[], width: number): string[] {
  const last = Math.max(0, ...rows.map((row) => row.length)) - 1
  const widths = Array.from({ length: last }, (_, at) => Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))))
  const room = Math.max(4, width - widths.reduce((sum, wide) => sum + wide + 2, 0))
  return rows.map((row) =>
    [...widths.map((wide, at) => (row[at] ?? '') + ' '.repeat(wide - widthOf(row[at] ?? ''))), cutTo(row[last] ?? '', room)]
      .join('  ')
      .trimEnd(),
  )
}

/** Two columns; what the second one has no room for goes on below it. */
export function definitions(rows: readonly (readonly [string, string])[], width: number): string[] {
  const wide = Math.max(0, ...rows.map(([term]) => widthOf(term)))
  return rows.flatMap(([term, about]) => {
    const lines = about === '' ? [''] : wrapped(about, Math.max(4, width - wide - 2))
    return lines.map((line, at) => `${at === 0 ? term + ' '.repeat(wide - widthOf(term)) : ' '.repeat(wide)}  ${line}`.trimEnd())
  })
}
