// What an agent does right now, as lines with a spinner that hold only for the moment: calls that run, and else what is waited for.
import { subjectOf } from '../analyze/subject.ts'
import type { Event } from '../model/event.ts'
import { sinceText } from './amounts.ts'
import { harmlessLine } from './harmless.ts'
import { cutTo } from './layout.ts'
import type { Style } from './style.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100

/** The same place shows another sign with every tenth of a second. */
export const spinner = (now: number, style: Style): string => style.cyan(frames[Math.floor(now / frameMs) % frames.length]!)

export type Activity = {
  push(event: Event): void
  /** `without`: of an answer that can be seen as it is written. */
  lines(now: number, width: number, without?: 'answer'): string[]
}

type Call = { label: string; at: number; said: string; asks: boolean }

const maxCalls = 4
const maxSaid = 4000 // characters of an output that are kept for its last line
const writing = 'writing'

export function createActivity(style: Style): Activity {
  const calls = new Map<string, Call>()
  let waiting: { label: string; at: number } | undefined

  function wait(event: Event, label: string): void {
    if (event.agent === undefined && waiting?.label !== label) waiting = { label, at: event.at ?? 0 }
  }
  function stopWaiting(event: Event): void {
    if (event.agent === undefined) waiting = undefined
  }

  function push(event: Event): void {
    const call = event.call === undefined ? undefined : calls.get(event.call)
    switch (event.kind) {
      case 'session.start':
        return wait(event, 'getting ready')
      case 'message.start':
        stopWaiting(event)
        return wait(event, 'waiting for the model')
      case 'thought.delta':
        return wait(event, 'thinking')
      case 'text.delta':
        return wait(event, writing)
      case 'retry.start':
        stopWaiting(event)
        return wait(event, 'trying again')
      case 'text.end':
      case 'thought.end':
      case 'message.end':
        return stopWaiting(event)
      case 'tool.start': {
        stopWaiting(event)
        const label = cutTo(harmlessLine(`${event.name} ${subjectOf(event)}`.trim()), 40)
        if (event.call !== undefined) calls.set(event.call, { label, at: event.at ?? 0, said: '', asks: false })
        return
      }
      case 'tool.delta':
        if (call !== undefined && event.of === 'output') call.said = (call.said + event.text).slice(-maxSaid)
        return
      case 'tool.end':
        if (event.call !== undefined) calls.delete(event.call)
        return
      case 'permission.request':
      case 'permission.answer':
        if (call !== undefined) Object.assign(call, { asks: event.kind === 'permission.request', at: event.at ?? call.at })
        return
      case 'turn.end':
        if (event.agent !== undefined) return
        waiting = undefined
        calls.clear()
        return
      case 'session.end':
        waiting = undefined
        calls.clear()
    }
  }

  return {
    push,
    lines(now, width, without) {
      const frame = spinner(now, style)
      const since = (at: number): string => sinceText(now - at)
      const running = [...calls.values()].filter(({ asks }) => !asks)
      const lines = running.slice(0, maxCalls).map(({ label, at, said }) => {
        const text = [label, since(at), harmlessLine(lastLine(said))].filter((part) => part !== '').join(' · ')
        return `${frame} ${style.dim(cutTo(text, width - 2))}`
      })
      if (running.length > maxCalls) lines.push(style.dim(`  and ${running.length - maxCalls} more`))
      if (waiting !== undefined && !(without === 'answer' && waiting.label === writing))
        lines.push(`${frame} ${style.dim(cutTo(`${waiting.label} · ${since(waiting.at)}`, width - 2))}`)
      return lines
    },
  }
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!.trim()
