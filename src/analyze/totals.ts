// What each session used, for as long as it is open: a book a session, closed when its totals are taken.
import type { Cost, Event, Usage } from '../model/event.ts'
import { createUsage } from './usage.ts'

export function createTotals() {
  const books = new Map<string | undefined, ReturnType<typeof createUsage>>()
  let last: { session: string | undefined; book: ReturnType<typeof createUsage> } | undefined // most events are of the session before
  function bookOf(session: string | undefined): ReturnType<typeof createUsage> {
    if (last !== undefined && last.session === session) return last.book
    let book = books.get(session)
    if (book === undefined) books.set(session, (book = createUsage({ remember: 64 })))
    last = { session, book }
    return book
  }
  return {
    push(event: Event): void {
      switch (event.kind) {
        // Most events are these, and they tell of no use.
        case 'text.delta':
        case 'thought.delta':
        case 'text.end':
        case 'thought.end':
        case 'tool.start':
        case 'tool.end':
          return
        default:
          bookOf(event.session).push(event)
      }
    },
    /** Nothing is said of what the source does not tell: no tokens, no cost. */
    take(session: string | undefined): { usage?: Usage; cost?: Pick<Cost, 'usd'> } {
      const totals = books.get(session)?.totals()
      books.delete(session)
      last = undefined
      if (totals === undefined) return {}
      const { costUsd, reportedUsd: _reported, pricedUsd: _priced, ...usage } = totals
      const used = Object.values(usage).some((tokens) => tokens > 0)
      return { ...(used && { usage }), ...(costUsd > 0 && { cost: { usd: costUsd } }) }
    },
  }
}
