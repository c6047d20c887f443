// Text into the columns of a terminal. Most lines are plain ASCII, and their width is their length. Styled text keeps its style
// over a break; the only escape sequences in it are those of style.ts, since everything else was made harmless before.
import stringWidth from 'string-width'

const ascii = /^[\x20-\x7e]*$/
const mostKnown = 20_000
const known = new Map<string, number>() // the widths of characters: asking the package takes microseconds

function charWidth(char: string): number {
  if (char < '\u0300') return 1
  let width = known.get(char)
  if (width === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(char, (width = stringWidth(char)))
  }
  return width
}

export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const char of text.replace(styles, '')) width += charWidth(char)
  return width
}

/** One line, cut with an ellipsis where it is too long. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && (ascii.test(text) || widthOf(text) <= width)) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += charWidth(char)
    if (used > width) break
    kept += char
  }
  return `${kept}…`
}

const styles = /\x1b\[\d+m/g
const tokens = /\x1b\[\d+m|\n| +|[^\x1b\n ]+/g
const offOf = (on: number): number => (on === 1 || on === 2 ? 22 : on < 10 ? on + 20 : 39)

/** Lines of at most `width` columns, broken at spaces where there are any. */
export function wrapped(text: string, width: number): string[] {
  if (ascii.test(text)) return wrappedPlain(text, width)
  const lines: string[] = []
  let on: number[] = []
  let line = ''
  let used = 0
  let gap = '' // spaces that are written only if a word follows on the same line

  function breakLine(): void {
    lines.push(line + on.map((code) => `\x1b[${offOf(code)}m`).join(''))
    line = on.map((code) => `\x1b[${code}m`).join('')
    used = 0
    gap = ''
  }

  function putWord(word: string, wide: number): void {
    if (used > 0 && used + gap.length + wide > width) breakLine()
    line += gap
    used += gap.length
    gap = ''
    if (used + wide <= width) {
      line += word
      used += wide
      return
    }
    for (const char of word) {
      const step = charWidth(char)
      if (used > 0 && used + step > width) breakLine()
      line += char
      used += step
    }
  }

  for (const [token] of text.matchAll(tokens)) {
    if (token === '\n') breakLine()
    else if (token.startsWith('\x1b')) {
      const code = Number(token.slice(2, -1))
      line += token
      on = code > 21 && code < 30 ? on.filter((open) => offOf(open) !== code) : code === 39 ? on.filter((open) => open < 30) : [...on, code]
    } else if (token.startsWith(' ')) gap += token.slice(0, width)
    else putWord(token, widthOf(token))
  }
  return [...lines, line]
}

/** The same for the most common text, whose columns need not be counted. */
function wrappedPlain(text: string, width: number): string[] {
  const lines: string[] = []
  let start = 0
  while (text.length - start > width) {
    const space = text.lastIndexOf(' ', start + width)
    const line = space > start ? text.slice(start, space).trimEnd() : ''
    lines.push(line === '' ? text.slice(start, start + width) : line)
    start = line === '' ? start + width : space
    while (text[start] === ' ') start++
  }
  return [...lines, text.slice(start)]
}
