// An answer while it is being written: whole lines come out as Markdown and stay; the line that has no end yet is shown as it is and
// written again with every piece.
import { harmless } from './harmless.ts'
import { cutTo, wrapped } from './layout.ts'
import { createMarkdown, markdownLines } from './markdown.ts'
import type { Style } from './style.ts'

export type Growing = {
  /** A piece of the text → the lines that are certain now. */
  push(text: string): string[]
  /** What is not certain yet. */
  tail(): string[]
  end(): string[]
}

const longestTail = 2000 // characters of an unfinished line that are looked at: it is drawn again and again

/** The width may change while it grows. */
export function growingAnswer(width: () => number, style: Style): Growing {
  const markdown = createMarkdown(width, style)
  const raw = (line: string): string => cutTo(line, width()) // the writer has made it harmless
  const unfinished = (line: string): string[] => {
    if (line.trim() === '') return []
    if (markdown.isCode()) return [`  ${style.yellow(cutTo(harmless(line), width() - 2))}`]
    return markdownLines(line, width(), style)
  }
  let isFirst = true // spaces before the whole text mean nothing
  return growing({
    line(line) {
      const text = isFirst ? line.trimStart() : line
      if (text !== '') isFirst = false
      return markdown.line(text)
    },
    tail(rest) {
      const lines = [...markdown.held().map(raw), ...unfinished(rest)]
      return lines.at(-1) === '' ? lines.slice(0, -1) : lines
    },
    end: markdown.end,
  })
}

/** A thought, dim, behind its sign. */
export function growingThought(width: () => number, style: Style): Growing {
  let isFirst = true
  const shown = (line: string, first: boolean): string[] =>
    wrapped(harmless(line).trimEnd(), width() - 2).map(
      (part, index) => `${style.magenta(first && index === 0 ? '✻' : ' ')} ${style.dim(style.italic(part))}`,
    )
  return growing({
    line(line) {
      if (isFirst && line.trim() === '') return []
      const lines = shown(line, isFirst)
      isFirst = false
      return lines
    },
    tail: (rest) => (rest.trim() === '' ? [] : shown(rest, isFirst)),
    end: () => [],
  })
}

type Lines = { line(text: string): string[]; tail(rest: string): string[]; end(): string[] }

function growing({ line, tail, end }: Lines): Growing {
  let rest = ''
  return {
    push(text) {
      if (!text.includes('\n')) {
        rest += text
        return []
      }
      const parts = (rest + text).split('\n')
      rest = parts.pop()!
      return parts.flatMap(line)
    },
    tail: () => tail(rest.length > longestTail ? rest.slice(-longestTail).replace(/^[\udc00-\udfff]/, '') : rest),
    end() {
      const last = rest.trim() === '' ? [] : line(rest)
      rest = ''
      return [...last, ...end()]
    },
  }
}
