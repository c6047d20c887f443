// No question stays open for ever: when its time is up it gets its default answer, and the stream says so.
import type { PolicyAction, Policy } from './policy.ts'
import { earlyMs, spanText } from './policy.ts'

export type DeadlineSettings = {
  /** 10 minutes if not told. */
  timeoutMs?: number | undefined
  /** The run ends as well: whoever was to answer is gone. */
  ends?: boolean | undefined
}

const none: readonly PolicyAction[] = []

type Question = { what: 'permission' | 'question'; at: number }

export function createDeadlines({ timeoutMs = 600_000, ends = false }: DeadlineSettings = {}): Required<Policy> {
  const open = new Map<string, Question>() // the oldest first

  function expire(id: string, what: Question['what']): PolicyAction[] {
    const text = `handler timed out after ${spanText(timeoutMs)}`
    const code = 'permission_timeout'
    return [
      { type: 'error', error: { scope: 'session', fatal: ends, error: { category: 'timeout', text, code }, source: 'permission' } },
      { type: 'expire', id, what, text },
      ...(ends ? [{ type: 'stop', reason: 'error', text, code, when: 'now' } as const] : []),
    ]
  }

  return {
    deaf: true,
    step(event, now = event.at ?? 0) {
      switch (event.kind) {
        case 'permission.request':
          if (!open.has(event.id)) open.set(event.id, { what: 'permission', at: now })
          break
        case 'question.request':
          if (!open.has(event.id)) open.set(event.id, { what: 'question', at: now })
          break
        case 'permission.answer':
        case 'question.answer':
          open.delete(event.id ?? '')
          break
        case 'session.end':
          if (event.agent === undefined) open.clear()
      }
      return none
    },
    tick(now) {
      const late = [...open].filter(([, { at }]) => now - at + earlyMs >= timeoutMs)
      for (const [id] of late) open.delete(id)
      return late.flatMap(([id, { what }]) => expire(id, what))
    },
    due() {
      const [oldest] = open.values()
      return oldest && oldest.at + timeoutMs
    },
  }
}
