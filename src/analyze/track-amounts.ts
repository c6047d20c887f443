// Tokens, cost and context of one session, as far as they are known by now. Tokens are counted by the one book-keeper (usage.ts).
import type { Context, Event, Kind, Usage } from '../model/event.ts'
import { contextTokens, totalTokens } from '../model/usage.ts'
import type { Pricer } from '../prices/price.ts'
import { isEqual } from './snapshot.ts'
import { createUsage } from './usage.ts'

/** Only with these the sums can be others. */
const mayCount: ReadonlySet<Kind> = new Set([
  'message.start',
  'message.end',
  'usage.update',
  'turn.start',
  'turn.end',
  'task.end',
  'session.end',
])
/** Messages of one stream that may come again come soon. */
const remember = 256

export function createAmounts(price: Pricer | undefined) {
  const book = createUsage({ price, remember })
  let usage: Required<Usage> | undefined
  let costUsd: number | undefined
  let context: Context | undefined
  let isCounted = true

  /** Not before somebody asks: it costs more than all else here. */
  function count(): void {
    if (isCounted) return
    isCounted = true
    const totals = book.totals()
    const { input, output, reasoning, cacheRead, cacheWrite } = totals
    const now = { input, output, reasoning, cacheRead, cacheWrite }
    if (totalTokens(now) === 0) usage = undefined // a later report may take all back
    else if (usage === undefined || !isEqual(now, usage)) usage = now
    costUsd = totals.costUsd || undefined
  }

  function fill(used: number, limit: number | undefined): void {
    const most = limit ?? context?.limit
    if (context?.used !== used || context.limit !== most) context = { used, ...(most !== undefined && { limit: most }) }
  }

  return {
    /** Values stay the same objects as long as they are equal. */
    observe(event: Event): void {
      book.push(event)
      if (mayCount.has(event.kind)) isCounted = false
      if (event.agent !== undefined) return
      if (event.kind === 'message.end' && event.context === undefined && event.usage !== undefined)
        fill(contextTokens(event.usage), undefined)
      else if (event.kind === 'message.end' || event.kind === 'usage.update') {
        if (event.context !== undefined) fill(event.context.used, event.context.limit)
      } else if (event.kind === 'turn.end') {
        const limit = event.byModel?.find(({ contextLimit }) => contextLimit !== undefined)?.contextLimit
        if (context !== undefined && limit !== undefined) fill(context.used, limit)
      }
    },
    usage: () => (count(), usage),
    costUsd: () => (count(), costUsd),
    /** Tokens were used of which nobody knows what they cost. */
    hasUnpriced: () => book.book.ledger.unpriced().length > 0,
    context: () => context,
  }
}
