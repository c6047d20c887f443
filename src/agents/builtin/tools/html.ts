// Web pages as text. Pages are hostile: what makes markdown is given a limited size and time, and when it fails, a plain reader that
// goes over the page once, without recursion, does the work.
import { runInNewContext } from 'node:vm'

const mostConverted = 1_000_000 // characters
const mostMs = 1000
const unseen = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'head'])
const blocks =
  /^(address|article|aside|blockquote|body|br|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/

export async function toMarkdown(html: string): Promise<string> {
  if (html.length > mostConverted) return toText(html)
  const { NodeHtmlMarkdown } = await import('node-html-markdown')
  const convert = (): string => new NodeHtmlMarkdown({ ignore: [...unseen] }).translate(html)
  try {
    // Not for safety: this is how to stop a computation that takes too long without a thread of its own.
    return String(runInNewContext('convert()', { convert }, { timeout: mostMs }))
  } catch {
    return toText(html)
  }
}

export function toText(html: string): string {
  const parts: string[] = []
  const lower = html.toLowerCase()
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    parts.push(html.slice(at, open < 0 ? undefined : open))
    if (open < 0) break
    const tag = tagAt(lower, open)
    if (tag === undefined) parts.push('<')
    else if (blocks.test(tag.name)) parts.push(tag.name === 'li' && !tag.isEnd ? '\n- ' : '\n')
    at = tag === undefined ? open + 1 : afterTag(lower, open, tag)
  }
  return tidy(decodeEntities(parts.join('')))
}

type Tag = { name: string; isEnd: boolean }

/** Undefined when the sign stands for itself. A comment is a tag named `!`. */
function tagAt(lower: string, at: number): Tag | undefined {
  const sticky = /<(\/?)([a-z][a-z0-9-]{0,40}|[!?])/y
  sticky.lastIndex = at
  const found = sticky.exec(lower)
  return found === null ? undefined : { name: found[2]!, isEnd: found[1] === '/' }
}

/** What is never closed reaches to the end: so no search is made twice. */
function afterTag(lower: string, at: number, { name, isEnd }: Tag): number {
  const closing = lower.startsWith('<!--', at) ? '-->' : unseen.has(name) && !isEnd ? `</${name}` : '>'
  const end = lower.indexOf(closing, at)
  return end < 0 ? lower.length : closing.startsWith('</') ? end : end + closing.length
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code & 0xfffff800) !== 0xd800 ? String.fromCodePoint(code) : whole
  })

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\r\f\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '')
    .join('\n')
    .trim()
}
