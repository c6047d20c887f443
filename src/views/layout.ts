// Text into the columns of a terminal. Most lines are plain ASCII, and their width is their length. Styled text keeps its style
// over a break; the only escape sequences in it are those of style.ts, since everything else was made harmless before.
import { eastAsianWidth } from 'get-east-asian-width'

const visible = /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/v
const known = new Uint8Array(0x11_0000) // of every character its width and one more; 0 until it was asked for

function charWidth(code: number): number {
  if (code < 0x300) return 1
  if (known[code] === 0) known[code] = 1 + (visible.test(String.fromCodePoint(code)) ? eastAsianWidth(code) : 0)
  return known[code]! - 1
}

const charLength = (code: number): number => (code > 0xffff ? 2 : 1)

/** The columns of a part without styles. */
function columnsOf(text: string, start: number, end: number): number {
  let width = 0
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x300) width++
    else {
      const code = text.codePointAt(at)!
      width += charWidth(code)
      if (code > 0xffff) at++
    }
  }
  return width
}

export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length
  const bare = text.includes('\x1b') ? text.replace(styles, '') : text
  return columnsOf(bare, 0, bare.length)
}

/** One line, cut with an ellipsis where it is too long. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && widthOf(text) <= width) return text
  const start = text.slice(0, Math.max(0, width))
  if (narrow.test(start)) return `${start.slice(0, -1)}…`
  let used = 1
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end)!
    used += charWidth(code)
    if (used > width) break
    end += charLength(code)
  }
  return `${text.slice(0, end)}…`
}

const ascii = /^[\x20-\x7e]*$/
// Latin, Greek, Cyrillic, dashes, quotes, arrows, boxes and what else is common and takes one column each. No spaces but the plain one.
const narrow = /^[\x20-\x7e\xa1-\u02ff\u0391-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u2713-\u2718]*$/
const space = 0x20
const styles = /\x1b\[\d+m/g
const tokens = /\x1b\[\d+m|\n| +|[^\x1b\n ]+/g
const offOf = (on: number): number => (on === 1 || on === 2 ? 22 : on < 10 ? on + 20 : 39)

/** Lines of at most `width` columns, broken at spaces where there are any. Each takes a character, also where there is no room for it. */
export function wrapped(text: string, width: number): string[] {
  const room = Math.max(1, width)
  if (!narrow.test(text)) return text.includes('\x1b') || text.includes('\n') ? wrappedStyled(text, room) : wrappedWords(text, room)
  return wrappedNarrow(text.endsWith(' ') && !ascii.test(text) ? text.trimEnd() : text, room)
}

function wrappedStyled(text: string, width: number): string[] {
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
      const step = charWidth(char.codePointAt(0)!)
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

/** The same for text without styles, whose lines are parts of it. */
function wrappedWords(text: string, width: number): string[] {
  const lines: string[] = []
  let start = 0 // of the line
  let end = 0 // of its last word
  let used = 0
  while (end < text.length) {
    let word = end
    while (text.charCodeAt(word) === space) word++
    if (word === text.length) break
    if (word - end > width) return wrappedStyled(text, width)
    const next = text.indexOf(' ', word)
    const wordEnd = next === -1 ? text.length : next
    const wide = columnsOf(text, word, wordEnd)
    if (used > 0 && used + word - end + wide > width) {
      lines.push(text.slice(start, end))
      start = word
      used = 0
    } else used += word - end
    if (used + wide <= width) used += wide
    else
      for (let at = word; at < wordEnd;) {
        const code = text.codePointAt(at)!
        const step = charWidth(code)
        if (used > 0 && used + step > width) {
          lines.push(text.slice(start, at))
          start = at
          used = 0
        }
        used += step
        at += charLength(code)
      }
    end = wordEnd
  }
  lines.push(text.slice(start, end))
  return lines
}

/** The same for the most common text, whose columns are its characters. */
function wrappedNarrow(text: string, width: number): string[] {
  if (text.length <= width) return [text]
  const lines: string[] = []
  let start = 0
  while (text.length - start > width) {
    let gap = start + width
    while (gap > start && text.charCodeAt(gap) !== space) gap-- // lastIndexOf would look through all that is wrapped already
    const line = gap > start ? text.slice(start, gap).trimEnd() : ''
    lines.push(line === '' ? text.slice(start, start + width) : line)
    start = line === '' ? start + width : gap
    while (text.charCodeAt(start) === space) start++
  }
  lines.push(text.slice(start))
  return lines
}
