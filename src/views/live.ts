// A session on the terminal while it happens: lines that stay, and a few below them that say what is going on now. Everything looks
// as `show` tells it, but what the person at the keyboard has just typed or answered is not told again.
import type { Row } from '../analyze/row.ts'
import { createTimeline } from '../analyze/rows.ts'
import type { Event } from '../model/event.ts'
import { createActivity } from './activity.ts'
import { type Growing, growingAnswer, growingThought } from './live-answer.ts'
import { styleFor } from './style.ts'
import { createTerminalView } from './terminal.ts'

export type LiveOptions = {
  width: number
  colour: boolean
  /** Thoughts are shown whole, as they come. */
  thinking?: boolean
}

export type LiveView = {
  /** Lines that stay. */
  push(event: Event): string[]
  /** Lines that hold only for now, none wider than the view. */
  tail(now: number): string[]
  resize(width: number): void
}

export function createLiveView(options: LiveOptions): LiveView {
  const { colour, thinking = false } = options
  const style = styleFor(colour)
  const timeline = createTimeline()
  const activity = createActivity(style)
  const asked = new Set<string>() // calls that change a file, of which the change was shown before
  let { width } = options
  let view = createTerminalView({ width, colour })
  let start: Row | undefined
  let growing: { kind: 'text' | 'thought'; of: Growing } | undefined
  let streamed = false // the block that ends now is on the screen already
  let begun = false // a turn has
  let last: string | undefined
  let apart = false // an answer stands apart from what follows it

  function put(lines: readonly string[]): string[] {
    if (lines.length === 0) return []
    const isSpaced = lines[0] === ''
    const spaced = last === '' && isSpaced ? lines.slice(1) : apart && last !== '' && !isSpaced ? ['', ...lines] : [...lines]
    apart = false
    last = spaced.at(-1)
    return spaced
  }

  // ── what is being said ─────────────────────────────────────────────────────────────────────────────────────────────────

  function say(kind: 'text' | 'thought', text: string): string[] {
    const before = growing?.kind === kind ? [] : finish()
    if (growing === undefined) {
      growing = { kind, of: kind === 'text' ? growingAnswer(() => width, style) : growingThought(() => width, style) }
      if (kind === 'text' && last !== undefined) apart = true
    }
    return [...before, ...put(growing.of.push(text))]
  }

  function finish(): string[] {
    if (growing === undefined) return []
    const { kind, of } = growing
    growing = undefined
    const lines = put(of.end())
    if (kind === 'text') apart = true
    return lines
  }

  /** Of the main conversation: what goes into the screen piece by piece. */
  function spoken(event: Event): string[] {
    switch (event.kind) {
      case 'text.delta':
        streamed = true
        return say('text', event.text)
      case 'thought.delta':
        streamed = thinking
        return thinking ? say('thought', event.text) : []
      case 'text.end':
      case 'thought.end':
        return finish()
      case 'message.drop':
      case 'message.end':
      case 'turn.end':
      case 'session.end':
        streamed = false
        return finish()
      default:
        return []
    }
  }

  // ── what is going on ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Changes that a question has shown need not be shown again. */
  function follow(event: Event): void {
    activity.push(event)
    if (event.kind === 'permission.request' && event.toolKind === 'edit' && event.call !== undefined) asked.add(event.call)
    if (event.kind === 'turn.end' || event.kind === 'session.end') asked.clear()
  }

  function tail(now: number): string[] {
    const said = growing?.of.tail() ?? []
    const all = [...said, ...activity.lines(now, width, 'answer')]
    return all.length > 0 && apart && last !== '' ? ['', ...all] : all
  }

  // ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function rowLines(row: Row): string[] {
    if (row.type === 'start') {
      start = row
      view.push(row)
      return []
    }
    if (row.depth === 0 && (row.type === 'text' || (row.type === 'thought' && thinking))) {
      const isTold = streamed
      streamed = false
      return isTold ? [] : [...say(row.type, row.text), ...finish()]
    }
    return isKnown(row) ? [] : put(view.push(shortened(row)))
  }

  /** Without what the person has caused, or was shown with the question. */
  function shortened(row: Row): Row {
    if (row.type === 'turn' && row.reason === 'cancelled') return { ...row, error: undefined, outcome: 'cancelled' }
    const isSeen = row.type === 'call' && row.changes !== undefined && asked.delete(row.id)
    return isSeen ? { ...row, changes: undefined, output: '' } : row
  }

  /** The person has typed it, chosen it, or is told at the end. */
  const isKnown = (row: Row): boolean =>
    (row.type === 'prompt' && row.depth === 0) ||
    (row.type === 'ask' && row.about === 'permission') ||
    (row.type === 'end' && row.of === 'session')

  const isSilent = (event: Event): boolean =>
    (event.kind === 'cancel.request' && event.by === 'user') ||
    (event.kind === 'session.update' && event.by === 'host') ||
    (event.kind === 'file.update' && event.call !== undefined) || // its call shows the change
    (event.kind === 'notice' && !begun)

  return {
    push(event) {
      const lines = event.agent === undefined ? spoken(event) : []
      follow(event)
      if (event.kind === 'turn.start' && event.agent === undefined) {
        begun = true
        last = ''
        lines.push('')
      }
      if (isSilent(event)) return lines
      for (const row of timeline.push(event)) lines.push(...rowLines(row))
      return lines
    },
    tail,
    resize(columns) {
      if (columns === width) return
      width = columns
      view = createTerminalView({ width, colour })
      if (start !== undefined) view.push(start)
    },
  }
}
