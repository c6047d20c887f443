// A page with a narrow column of labels and their contents beside it.
import type { List } from '../analyze/digest.ts'
import { cutTo, widthOf, wrapped } from './layout.ts'
import { type Style, styleFor } from './style.ts'

export type Page = ReturnType<typeof createPage>
export type PageOptions = { width: number; colour: boolean }

const labelWidth = 12
const leastRoom = 16 // beside a label; where there is less, contents stand below it
const shortestName = 8

/** Texts that are put in must be harmless. */
export function createPage({ width, colour }: PageOptions) {
  const style: Style = styleFor(colour)
  let lines: string[] = []
  const isBeside = width >= labelWidth + leastRoom
  const margin = ' '.repeat(isBeside ? labelWidth : 2)
  const room = Math.max(leastRoom, width - margin.length)

  return {
    style,
    room,
    /** The lines since the last time. */
    take(): string[] {
      const made = lines
      lines = []
      return made
    },
    line: (text = ''): void => void lines.push(...wrapped(text, width)),
    title: (text: string): void => void lines.push(...wrapped(style.bold(text), width)),
    /** A label and what belongs to it, on as many lines as that takes. */
    part(label: string, text: string): void {
      if (!isBeside) lines.push(style.dim(label))
      for (const [index, line] of wrapped(text, room).entries())
        lines.push(index === 0 && isBeside ? `${style.dim(label.padEnd(labelWidth))}${line}` : `${margin}${line}`)
    },
    item: (text: string): void => void lines.push(`${margin}${text}`),
    /** The first ones, a line each, and how many more there are. */
    list<T>({ items, more }: List<T>, most: number, textOf: (item: T) => string): void {
      for (const item of items.slice(0, most)) lines.push(`${margin}${textOf(item)}`)
      const left = more + Math.max(0, items.length - most)
      if (left > 0) lines.push(`${margin}${style.dim(`… and ${left} more`)}`)
    },
    /** Names to the left, numbers to the right. Columns that are empty, or for which there is no room, are left out. */
    table(head: readonly string[], rows: readonly (readonly string[])[]): void {
      const all = [head, ...rows]
      const widths = all.map((row) => row.map(widthOf))
      const wide = head.map((_, column) => widths.reduce((most, row) => Math.max(most, row[column]!), 0))
      const columns = head.flatMap((_, column) => (column > 0 && rows.some((row) => row[column] !== '') ? [column] : []))
      const roomForNames = (): number => columns.reduce((left, column) => left - 2 - wide[column]!, room)
      while (columns.length > 1 && roomForNames() < shortestName) columns.pop()
      const first = Math.min(wide[0]!, Math.max(shortestName, roomForNames()))
      for (const [index, row] of all.entries()) {
        const name = cutTo(row[0]!, first)
        const numbers = columns.map((column) => `  ${' '.repeat(wide[column]! - widths[index]![column]!)}${row[column]}`)
        const line = `${name}${' '.repeat(first - widthOf(name))}${numbers.join('')}`.trimEnd()
        lines.push(`${margin}${index === 0 ? style.dim(line) : line}`)
      }
    },
  }
}
