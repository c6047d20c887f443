// How long a call took. While a question about it is open, the call waits for somebody's answer: that time is not its own. Some agents
// tell a time with the waiting in it, some without, and some none; so a call never took longer than the time in which nobody was asked.
import type { Event, EventOf } from '../model/event.ts'
import { between } from './snapshot.ts'

/** `since`: when the first of the questions that are open came. */
type Call = { at: number | undefined; open: number; since: number | undefined; waitedMs: number }

export type Waiting = {
  push(event: Event): void
  /** Undefined when nobody knows. To be asked once, with the end of the call. */
  took(end: EventOf<'tool.end'>): number | undefined
}

const maxOpen = 4096

export function createWaiting(): Waiting {
  const calls = new Map<string, Call>()
  const questions = new Map<string, string>() // the call that each is about

  function set<T>(map: Map<string, T>, key: string, value: T): void {
    if (map.size >= maxOpen) map.delete(map.keys().next().value!)
    map.set(key, value)
  }

  /** Some agents ask before they tell of the call. */
  function openOf(call: string): number {
    let open = 0
    for (const about of questions.values()) if (about === call) open++
    return open
  }

  return {
    push(event) {
      switch (event.kind) {
        case 'tool.start':
          if (event.call !== undefined) set(calls, event.call, { at: event.at, open: openOf(event.call), since: event.at, waitedMs: 0 })
          return
        case 'permission.request':
        case 'question.request': {
          if (event.call === undefined || questions.has(event.id)) return
          set(questions, event.id, event.call)
          const call = calls.get(event.call)
          if (call !== undefined && call.open++ === 0) call.since = event.at
          return
        }
        case 'permission.answer':
        case 'question.answer': {
          const call = calls.get(questions.get(event.id ?? '') ?? '')
          if (!questions.delete(event.id ?? '') || call === undefined) return
          if (--call.open === 0) call.waitedMs += between(call.since, event.at) ?? 0
        }
      }
    },
    took(end) {
      const call = calls.get(end.call ?? '')
      calls.delete(end.call ?? '')
      const told = end.durationMs ?? between(end.startedAt ?? call?.at, end.endedAt ?? end.at)
      const waited = (call?.waitedMs ?? 0) + (call !== undefined && call.open > 0 ? (between(call.since, end.at) ?? 0) : 0)
      const whole = between(call?.at, end.at)
      if (waited === 0 || whole === undefined) return told
      if (end.status === 'denied') return undefined // it was never made
      return Math.min(told ?? Infinity, Math.max(0, whole - waited))
    },
  }
}
