// What a chat shows while the agent works: the live view, a question that waits for a key, and the moment at which to draw again.
// Nothing is drawn while the person types; it is shown when the next turn begins.
import type { Event } from '../model/event.ts'
import { createLiveView, type LiveOptions } from '../views/live.ts'
import { now } from './clock.ts'
import { createPainter, type Size } from './chat-screen.ts'

export type Stage = {
  push(event: Event): void
  flush(): void
  /** Lines that stay, now or as soon as they can be shown. */
  put(lines: readonly string[]): void
  /** A line at the very bottom, until another takes its place. */
  hold(line: string | undefined): void
  begin(): void
  rest(): void
}

export type StageOptions = Omit<LiveOptions, 'width'> & { write(text: string): void; size(): Size; width(): number }

const frameMs = 100
const soonMs = 33 // between two drawings that only change what is below

export function createStage({ write, size, width, ...options }: StageOptions): Stage {
  const painter = createPainter(write, size)
  const view = createLiveView({ ...options, width: width() })
  let lines: string[] = []
  let held: string | undefined
  let timer: NodeJS.Timeout | undefined
  let drawnAt = 0

  function draw(): void {
    drawnAt = performance.now()
    view.resize(width())
    const tail = view.tail(now())
    painter.paint(lines, held === undefined ? tail : [...tail, held])
    lines = []
  }
  const drawIf = (isDue: boolean): void => {
    if (timer !== undefined && isDue) draw()
  }

  return {
    push: (event) => void lines.push(...view.push(event)),
    flush: () => drawIf(lines.length > 0 || performance.now() - drawnAt >= soonMs),
    put(more) {
      lines.push(...more)
      drawIf(true)
    },
    hold(line) {
      held = line
      drawIf(true)
    },
    begin() {
      timer ??= setInterval(draw, frameMs)
      draw()
    },
    rest() {
      clearInterval(timer)
      timer = undefined
      held = undefined
      painter.paint(lines, [])
      lines = []
      painter.clear()
    },
  }
}
