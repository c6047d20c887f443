// The bottom of the terminal: lines that stay are written above a few that are drawn again and again. It counts rows as the terminal
// does, so that what it wipes is what it has drawn, also after the window was made narrower.
import { cutTo, widthOf } from '../views/layout.ts'

export type Size = { columns: number; rows: number }

export type Painter = {
  /** Writes `lines` for good, and `tail` below them until the next time. */
  paint(lines: readonly string[], tail: readonly string[]): void
  /** Leaves the cursor at the start of an empty line. */
  clear(): void
}

const hide = '\x1b[?25l'
const show = '\x1b[?25h'

/** `cursor`: whether it is seen below the lines. */
export function createPainter(write: (text: string) => void, size: () => Size, cursor: 'hidden' | 'shown' = 'hidden'): Painter {
  let drawn: readonly string[] = []

  function wipe(): string {
    if (drawn.length === 0) return ''
    const { columns } = size()
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0)
    drawn = []
    // Wiped from its very start, tmux keeps a whole screen in what has scrolled out; so one row is wiped as a row.
    return rows > 1 ? `\r\x1b[${rows - 1}A\x1b[J` : '\r\x1b[K'
  }

  return {
    paint(lines, tail) {
      const { columns, rows } = size()
      const next = tail.slice(-Math.max(1, rows - 1)).map((line) => fit(line, columns - 1))
      if (lines.length === 0 && next.join('\n') === drawn.join('\n')) return
      const before = wipe()
      drawn = next
      write(`${cursor === 'hidden' ? hide : ''}${before}${lines.map((line) => `${line}\n`).join('')}${next.join('\n')}`)
    },
    clear() {
      const text = `${wipe()}${cursor === 'hidden' ? show : ''}`
      if (text !== '') write(text)
    },
  }
}

/** A line of the tail must not be broken by the terminal: then it could not be wiped. One that is too wide loses its style. */
const fit = (line: string, width: number): string =>
  widthOf(line) <= width ? line : cutTo(line.replace(/\x1b\[\d+m/g, ''), Math.max(1, width))
