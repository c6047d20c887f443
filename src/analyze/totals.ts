// What each session used, for as long as it is open: a book a session, closed when its totals are taken.
import type { Cost, Event, Usage } from '../model/event.ts'
import { createUsage } from './usage.ts'

export function createTotals() {
  const books = new Map<string | undefined, ReturnType<typeof createUsage>>()
  return {
    push(event: Event): void {
      if (event.kind === 'text.delta' || event.kind === 'thought.delta') return // most events are these, and they tell of no use
      let book = books.get(event.session)
      if (book === undefined) books.set(event.session, (book = createUsage({ remember: 64 })))
      book.push(event)
    },
    /** Nothing is said of what the source does not tell: no tokens, no cost. */
    take(session: string | undefined): { usage?: Usage; cost?: Pick<Cost, 'usd'> } {
      const totals = books.get(session)?.totals()
      books.delete(session)
      if (totals === undefined) return {}
      const { costUsd, reportedUsd: _reported, pricedUsd: _priced, ...usage } = totals
      const used = Object.values(usage).some((tokens) => tokens > 0)
      return { ...(used && { usage }), ...(costUsd > 0 && { cost: { usd: costUsd } }) }
    },
  }
}
