// Markdown as terminal lines, line by line in linear time: the text is an agent's, and a parser that follows the whole grammar can
// be made to take minutes by a few kilobytes of asterisks. It is made harmless first, so every escape sequence in the result is
// ours. Links show where they lead; HTML and whatever else is not known here stays text.
import { harmlessLines } from './harmless.ts'
import { widthOf, wrapped } from './layout.ts'
import type { Style } from './style.ts'

export function markdownLines(text: string, width: number, style: Style): string[] {
  const lines = harmlessLines(text.trim())
  const out: string[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    const fence = fenceOf(line)
    const length = fence !== undefined ? fencedLength(lines, at, fence) : isTable(lines, at) ? tableLength(lines, at) : 1
    const part = lines.slice(at, at + length)
    if (fence !== undefined) out.push(...part.slice(1, isClosed(part, fence) ? -1 : undefined).map((code) => `  ${style.yellow(code)}`))
    else if (length > 1) out.push(...table(part, width, style))
    else if (line.trim() !== '' || out.at(-1) !== '') out.push(...plainLine(line, width, style))
    at += length
  }
  return out
}

// ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The run of signs that opens a block of code. */
const fenceOf = (line: string): string | undefined => /^ {0,12}(`{3,}|~{3,})[^`]*$/.exec(line)?.[1]

function fencedLength(lines: readonly string[], start: number, fence: string): number {
  for (let at = start + 1; at < lines.length; at++) if (closes(lines[at]!, fence)) return at - start + 1
  return lines.length - start
}
const closes = (line: string, fence: string): boolean =>
  line.trim() !== '' && line.trim().startsWith(fence) && fenceOf(line) === line.trim()
const isClosed = (part: readonly string[], fence: string): boolean => part.length > 1 && closes(part.at(-1)!, fence)

// ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const heading = /^ {0,3}#{1,6} +(\S.*)$/
const rule = /^ {0,3}(?:-[- ]{2,}|\*[* ]{2,}|_[_ ]{2,})$/
const quote = /^ {0,3}((?:> ?){1,9})(.*)$/
const item = /^( {0,40})(?:([-*+])|(\d{1,9})[.)]) (?:\[([ xX])\] )?(.*)$/

function plainLine(line: string, width: number, style: Style): string[] {
  const title = heading.exec(line)?.[1]
  if (title !== undefined) return wrapped(style.bold(style.cyan(inline(title, style))), width)
  if (rule.test(line)) return [style.dim('─'.repeat(Math.min(width, 40)))]
  const [, marks, quoted] = quote.exec(line) ?? []
  if (marks !== undefined && quoted !== undefined) {
    const bar = style.dim('│ ').repeat(marks.replaceAll(' ', '').length)
    return plainLine(quoted, width - widthOf(bar), style).map((part) => bar + part)
  }
  const [, indent, bullet, number, check, said] = item.exec(line) ?? []
  if (indent === undefined || said === undefined) return wrapped(inline(line, style), width)
  const sign = check !== undefined ? (check === ' ' ? '☐' : '☑') : bullet !== undefined ? '•' : `${number}.`
  const hang = ' '.repeat(indent.length + sign.length + 1)
  return wrapped(inline(said, style), width - hang.length).map((part, index) =>
    index === 0 ? `${indent}${style.cyan(sign)} ${part}` : hang + part,
  )
}

// ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const isTable = (lines: readonly string[], at: number): boolean => {
  const under = lines[at + 1]
  return lines[at]!.includes('|') && under !== undefined && under.includes('-') && under.includes('|') && /^[-|: ]+$/.test(under)
}

function tableLength(lines: readonly string[], start: number): number {
  let end = start + 2
  while (end < lines.length && lines[end]!.includes('|')) end++
  return end - start
}

/** As wide as its cells; a table that does not fit is told row by row. */
function table(lines: readonly string[], width: number, style: Style): string[] {
  const rows = lines.filter((_, index) => index !== 1).map((line) => cellsOf(line).map((cell) => inline(cell, style)))
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0))
  if (widths.reduce((sum, wide) => sum + wide + 2, -2) > width)
    return body.flatMap((row) => [...row.flatMap((cell, column) => wrapped(`${style.bold(head[column] ?? '')}: ${cell}`, width)), ''])
  const line = (row: readonly string[]): string =>
    widths
      .map((wide, column) => (row[column] ?? '') + ' '.repeat(wide - widthOf(row[column] ?? '')))
      .join('  ')
      .trimEnd()
  return [style.bold(line(head)), style.dim(widths.map((wide) => '─'.repeat(wide)).join('  ')), ...body.map(line)]
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim())

// ── inside a line ────────────────────────────────────────────────────────────────────────────────────────────────────────

const longestStyled = 4000
/** Every part has a bound, so that no line takes more than a constant time for each of its characters. */
const pieces =
  /`([^`]{1,400})`|\*\*(?=\S)([^*]{1,400})\*\*|~~(?=\S)([^~]{1,400})~~|(?<![\w*])\*(?=[^\s*])([^*]{1,400})\*(?![\w*])|(?<![\w_])_(?=[^\s_])([^_]{1,400})_(?![\w_])|!?\[([^[\]]{0,200})\]\(([^()\s]{1,400})\)/g

function inline(text: string, style: Style): string {
  if (text.length > longestStyled || !/[*_`~[]/.test(text)) return text
  return text.replace(
    pieces,
    (whole, code?: string, strong?: string, gone?: string, star?: string, under?: string, label?: string, link?: string) => {
      if (code !== undefined) return style.yellow(code)
      if (strong !== undefined) return style.bold(inline(strong, style))
      if (gone !== undefined) return style.strike(gone)
      const emphasis = star ?? under
      if (emphasis !== undefined) return style.italic(inline(emphasis, style))
      return link === undefined || label === link || label === '' ? style.underline(link ?? whole) : `${label} ${style.dim(`(${link})`)}`
    },
  )
}
