// What the agent is doing, in one word and a label, for people and programs that only want to know that: told before the event that
// shows it, never twice in a row, and never after the end.
import type { Event, Payload } from '../model/event.ts'

type Status = Payload<'status.update'>

const longest = 120 // characters of a label

export type StatusPolicy = {
  /** What is to be written before this event. */
  step(event: Event): Status[]
}

/** One session. A subagent's steps are its own; the question it asks holds up the whole. */
export function createStatus(): StatusPolicy {
  const calls = new Map<string, string>() // running calls with their labels, the latest last
  const names = new Map<string, string>()
  const questions = new Map<string, string>()
  let last: Status | undefined
  let isThinking = false
  let isOver = false

  function say(phase: Status['phase'], label?: string): Status[] {
    if (last?.phase === phase && last.label === label) return []
    last = { phase, ...(label === undefined ? {} : { label }), source: 'avenor' }
    return [last]
  }

  /** A question beats a running call, and a call beats thinking. Between two steps nothing new is said. */
  function current(): Status[] {
    const question = [...questions.values()].at(-1)
    if (question !== undefined) return say('waiting', question)
    const call = [...calls.values()].at(-1)
    if (call !== undefined) return say('working', call)
    return isThinking ? say('thinking') : []
  }

  function work(call: string | undefined, label: string): Status[] {
    const id = call ?? label
    calls.delete(id)
    calls.set(id, cut(label))
    return current()
  }

  function step(event: Event): Status[] {
    if (event.kind === 'session.start') isOver = false
    if (isOver) return []
    switch (event.kind) {
      case 'permission.request':
        questions.set(event.id, cut(`permission: ${event.question ?? event.name ?? event.permission ?? 'a call'}`))
        return current()
      case 'question.request':
        questions.set(event.id, cut(`question: ${event.questions[0]?.text ?? ''}`))
        return current()
      case 'permission.answer':
      case 'question.answer':
        return event.id !== undefined && questions.delete(event.id) ? current() : []
      case 'session.end':
        if (event.agent !== undefined) return []
        isOver = true
        return say('done')
      default:
        return event.agent === undefined ? mainStep(event) : []
    }
  }

  function mainStep(event: Event): Status[] {
    switch (event.kind) {
      case 'message.start':
      case 'thought.delta':
      case 'text.delta':
        isThinking = true
        return last?.phase === 'thinking' ? [] : current()
      case 'message.end':
        isThinking = false
        return []
      case 'tool.start':
        names.set(event.call ?? '', event.name)
        return work(event.call, labelOf(event.name, event.title))
      case 'tool.update':
        return event.state === 'running' && event.title !== undefined && event.call !== undefined
          ? work(event.call, labelOf(names.get(event.call), event.title))
          : []
      case 'tool.end':
        names.delete(event.call ?? '')
        return event.call !== undefined && calls.delete(event.call) ? current() : []
      case 'turn.end':
        calls.clear()
        names.clear()
        isThinking = false
        return []
      default:
        return []
    }
  }

  return { step }
}

/** What runs, and what it is about: `read src/a.ts`. */
const labelOf = (name: string | undefined, title: string | undefined): string =>
  name === undefined || title === undefined ? (title ?? name ?? '') : title.startsWith(name) ? title : `${name} ${title}`

const cut = (label: string): string => {
  const line = label.replace(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
