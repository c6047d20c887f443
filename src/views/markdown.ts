// Markdown as terminal lines, line by line in linear time: the text is an agent's, and a parser that follows the whole grammar can
// be made to take minutes by a few kilobytes of asterisks. It is made harmless first, so every escape sequence in the result is
// ours. Links show where they lead; HTML and whatever else is not known here stays text.
import { harmless } from './harmless.ts'
import { widthOf, wrapped } from './layout.ts'
import type { Style } from './style.ts'

export type MarkdownWriter = {
  /** A whole line of the text → the lines that are certain now; a table waits for its last row. */
  line(text: string): string[]
  /** The text is over. */
  end(): string[]
  /** Lines that have come and are not told yet, as they are; blank ones as one. */
  held(): readonly string[]
  /** The next line is code. */
  isCode(): boolean
}

export function markdownLines(text: string, width: number, style: Style): string[] {
  const writer = createWriter(() => width, style)
  const out: string[] = []
  for (const line of harmless(text.trimStart()).split('\n')) for (const part of writer.line(line)) out.push(part)
  for (const part of writer.end()) out.push(part)
  return out
}

/** Line by line, as an answer comes. */
export function createMarkdown(width: () => number, style: Style): MarkdownWriter {
  const writer = createWriter(width, style)
  return { ...writer, line: (text) => writer.line(harmless(text)) }
}

/** Of harmless lines. Blank ones wait for what follows them, since the last ones do not count. */
function createWriter(width: () => number, style: Style): MarkdownWriter {
  let fence: string | undefined
  let rows: string[] = [] // a line that may be the head of a table, or a table so far
  let blanks: string[] = []
  let last: string | undefined // the last line told
  let out: string[] = []

  function tell(lines: readonly string[]): void {
    for (const line of lines) out.push((last = line))
  }

  function plain(line: string): void {
    if (last !== '' || line.trim() !== '') tell(plainLine(line, width(), style))
  }

  function release(): void {
    if (rows.length === 0) return
    const held = rows
    rows = []
    if (held.length > 1) tell(table(held, width(), style))
    else plain(held[0]!)
  }

  /** A line outside of code: one with a bar may begin a table, which the next line tells. */
  function text(line: string): void {
    const hasBar = line.includes('|')
    if (hasBar && (rows.length === 1 ? isTable(rows, line) : rows.length > 1)) return void rows.push(line)
    release()
    fence = fenceOf(line)
    if (fence !== undefined) return
    if (hasBar) rows.push(line)
    else plain(line)
  }

  function take(line: string): void {
    if (fence === undefined) text(line)
    else if (closes(line, fence)) fence = undefined
    else tell([`  ${style.yellow(line)}`])
  }

  return {
    line(line) {
      out = []
      if (line.trim() === '') {
        if (last !== undefined || fence !== undefined || rows.length > 0) blanks.push(line)
        return out
      }
      if (blanks.length > 0) {
        const before = blanks
        blanks = []
        before.forEach(take)
      }
      take(line)
      return out
    },
    end() {
      out = []
      release()
      return out
    },
    held: () => (blanks.length > 0 ? [...rows, ''] : rows),
    isCode: () => fence !== undefined,
  }
}

// ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Most lines do, and then they are no fence, no heading, no rule, no quote and no item: nothing need be matched. */
function beginsWithLetter(line: string): boolean {
  const code = line.charCodeAt(0) | 0x20
  return code >= 0x61 && code <= 0x7a
}

/** The run of signs that opens a block of code. */
const fenceOf = (line: string): string | undefined => (beginsWithLetter(line) ? undefined : /^ {0,12}(`{3,}|~{3,})[^`]*$/.exec(line)?.[1])

const closes = (line: string, fence: string): boolean =>
  line.trim() !== '' && line.trim().startsWith(fence) && fenceOf(line) === line.trim()

// ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const marked = /^ *[#>*+_\d-]/ // whatever else a line begins with, it is none of these
const heading = /^ {0,3}#{1,6} +(\S.*)$/
const rule = /^ {0,3}(?:-[- ]{2,}|\*[* ]{2,}|_[_ ]{2,})$/
const quote = /^ {0,3}> ?/
const item = /^( {0,40})(?:([-*+])|(\d{1,9})[.)]) (?:\[([ xX])\] )?(.*)$/

const leastRoom = 10 // columns that words keep inside of quotes and lists: what stands deeper is not moved further to the right

function plainLine(line: string, width: number, style: Style): string[] {
  if (beginsWithLetter(line) || !marked.test(line)) return wrapped(inline(line, style), width)
  const title = heading.exec(line)?.[1]
  if (title !== undefined) return wrapped(style.bold(style.cyan(inline(title, style))), width)
  if (rule.test(line)) return [style.dim('─'.repeat(Math.min(width, 40)))]
  const { depth, quoted } = unquoted(line, Math.floor((width - leastRoom) / 2))
  if (depth > 0) {
    const bar = style.dim('│ ').repeat(depth)
    return plainLine(quoted, width - 2 * depth, style).map((part) => bar + part)
  }
  const [, indent, bullet, number, check, said] = item.exec(line) ?? []
  if (indent === undefined || said === undefined) return wrapped(inline(line, style), width)
  const sign = check !== undefined ? (check === ' ' ? '☐' : '☑') : bullet !== undefined ? '•' : `${number}.`
  const before = indent.slice(0, Math.max(0, width - leastRoom - sign.length - 1))
  const hang = ' '.repeat(before.length + sign.length + 1)
  return wrapped(inline(said, style), width - hang.length).map((part, index) =>
    index === 0 ? `${before}${style.cyan(sign)} ${part}` : hang + part,
  )
}

/** A line without its signs of a quote, but at most so many of them: the others stay text. */
function unquoted(line: string, most: number): { depth: number; quoted: string } {
  let quoted = line
  let depth = 0
  for (let mark = quote.exec(quoted); mark !== null && depth < most; mark = quote.exec(quoted)) {
    quoted = quoted.slice(mark[0].length)
    depth++
  }
  return { depth, quoted }
}

// ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const isTable = ([head]: readonly string[], under: string): boolean =>
  head!.includes('|') && under.includes('-') && under.includes('|') && /^[-|: ]+$/.test(under)

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
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

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
