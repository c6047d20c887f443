// The terminal of a run that people look at: lines that stay, and below them a spinner that says that the agent is at work, and since
// when. A question has the terminal to itself: what comes meanwhile is shown when it is answered.
import type { Event } from '../model/event.ts'
import { createActivity, spinner } from '../views/activity.ts'
import { sinceText } from '../views/amounts.ts'
import { styleFor } from '../views/style.ts'
import { createPainter } from './chat-screen.ts'
import { now } from './clock.ts'
import { beforeSaying } from './exit.ts'
import { isTerminal, screen, type TextOut } from './io.ts'
import { isPlain, screenOf } from './terminal.ts'

export type RunScreen = Pick<TextOut, 'line' | 'flush'> & {
  push(event: Event): void
  /** Nothing more comes. */
  end(): void
}

/** Somebody is asked on the terminal of the run. */
export type Aside = { begin(): void; end(): void }

const frameMs = 100

/** `aside`: for whoever asks. Anything but a terminal gets the lines, and no more. */
export function createRunScreen(): { out: RunScreen; aside: Aside } {
  const out = screen()
  if (!isTerminal(1)) return { out: { line: out.line, flush: out.flush, push() {}, end: out.flush }, aside: { begin() {}, end() {} } }
  return liveScreen(out)
}

function liveScreen(out: TextOut): { out: RunScreen; aside: Aside } {
  const { stdout } = process
  const { colour } = screenOf()
  const style = styleFor(colour)
  const activity = createActivity(style)
  const begun = now()
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const painter = createPainter(
    (text) => {
      out.text(text)
      out.flush()
    },
    size,
    'shown',
  )
  let lines: string[] = []
  let asides = 0

  function flush(): void {
    if (asides > 0 || lines.length === 0) return
    painter.paint(lines, [])
    lines = []
  }
  function spin(): void {
    if (asides > 0) return
    const at = now()
    const shown = activity.lines(at, size().columns - 1)
    painter.paint([], shown.length > 0 ? shown : [`${spinner(at, style)} ${style.dim(`at work · ${sinceText(at - begun)}`)}`])
  }
  const timer = isPlain() ? undefined : setInterval(spin, frameMs).unref()
  const clear = (): void => (asides > 0 ? undefined : painter.clear())
  const stop = (): void => {
    clearInterval(timer)
    clear()
  }
  beforeSaying(clear)
  process.on('exit', stop) // also of one that is ended at once

  return {
    out: {
      line: (text) => void lines.push(text),
      flush,
      push: activity.push,
      end() {
        asides = 0
        flush()
        stop()
        process.off('exit', stop)
        beforeSaying(undefined)
      },
    },
    aside: {
      begin() {
        if (asides === 0) painter.clear()
        asides++
      },
      end() {
        asides = Math.max(0, asides - 1)
        flush()
      },
    },
  }
}
