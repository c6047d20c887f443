// What a chat shows while the agent works: the live view, a question that waits for a key, what is typed ahead, and the moment at which
// to draw again. Nothing is drawn while the person types a prompt; it is shown when the next turn begins.
import type { Event } from '../model/event.ts'
import { createLiveView, type LiveOptions } from '../views/live.ts'
import { sinceText } from '../views/amounts.ts'
import { styleFor } from '../views/style.ts'
import type { Asked } from './chat-ask.ts'
import type { Ahead } from './chat-keyboard.ts'
import { now } from './clock.ts'
import { createPainter, type Size } from './chat-screen.ts'
import { aheadLines } from './chat-ahead.ts'

export type Stage = {
  push(event: Event): void
  flush(): void
  /** Lines that stay, now or as soon as they can be shown. */
  put(lines: readonly string[]): void
  /** A question: it stays whole and in sight, whatever else happens, until it is settled. */
  ask(asked: Asked): void
  settle(lines: readonly string[]): void
  /** A line at the very bottom, until another takes its place. */
  hold(line: string | undefined): void
  /** Something that it asks for has changed. */
  refresh(): void
  begin(): void
  rest(): void
}

export type StageOptions = Omit<LiveOptions, 'width'> & {
  write(text: string): void
  size(): Size
  width(): number
  ahead(): Ahead
}

const frameMs = 100
const soonMs = 33 // between two drawings that only change what is below

/** `isPut`: it does not fit below, and is among the lines that stay; what comes meanwhile waits, so that nothing comes in between. */
type Open = Asked & { at: number; isPut: boolean }

export function createStage({ write, size, width, ahead, ...options }: StageOptions): Stage {
  const painter = createPainter(write, size)
  const style = styleFor(options.colour)
  const view = createLiveView({ ...options, width: width() })
  let lines: string[] = []
  let open: Open | undefined
  let held: string | undefined
  let timer: NodeJS.Timeout | undefined
  let drawnAt = 0

  function draw(): void {
    drawnAt = performance.now()
    view.resize(width())
    const typed = aheadLines(ahead(), width(), style)
    if (open === undefined) {
      painter.paint(lines, [...view.tail(now()), ...typed, ...(held === undefined ? [] : [held])])
      lines = []
      return
    }
    const menu = [`  ${style.yellow('waiting for you')} ${style.dim(`· ${sinceText(now() - open.at)}`)}`, ...open.menu()]
    if (held !== undefined) menu.push(held)
    const question = open.isPut ? [] : open.question()
    const room = size().rows - 1 - question.length - menu.length
    if (room < 0 && !open.isPut) {
      open.isPut = true
      painter.paint([...lines, ...question], menu)
      lines = []
      return
    }
    if (open.isPut) return painter.paint([], menu)
    const above = room >= typed.length ? [...view.tail(now()).slice(0, room - typed.length), ...typed] : []
    painter.paint(lines, [...above, ...question, ...menu])
    lines = []
  }
  const drawIf = (isDue: boolean): void => {
    if (timer !== undefined && isDue) draw()
  }

  return {
    push: (event) => void lines.push(...view.push(event)),
    flush: () => drawIf((lines.length > 0 && open?.isPut !== true) || performance.now() - drawnAt >= soonMs),
    put(more) {
      lines.push(...more)
      drawIf(true)
    },
    ask(asked) {
      open = { at: now(), isPut: false, ...open, ...asked }
      drawIf(true)
    },
    settle(answer) {
      lines = open?.isPut === true ? [...answer, ...lines] : [...lines, ...(open?.question() ?? []), ...answer]
      open = undefined
      drawIf(true)
    },
    hold(line) {
      held = line
      drawIf(true)
    },
    refresh: () => drawIf(true),
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
