// What each session used, for its closing line: tokens, and what they cost by what its agent says, else by price list. The list takes
// long to load, so what nobody has priced yet is kept until a price is told for all of it, or until the list is there.
import { createUsage } from '../analyze/usage.ts'
import { toldNanos } from '../analyze/usage-book.ts'
import { tokensIn } from '../analyze/usage-sums.ts'
import type { Cost, Event, EventOf, Usage } from '../model/event.ts'
import { createPricer, type Pricer } from '../prices/price.ts'
import { loadPrices } from './usage-prices.ts'

/** `kept`: not in the book yet; the first has no price. */
type Page = { book: ReturnType<typeof createUsage>; kept: Event[] }
type Told = { usage?: Usage | undefined; cost?: Pick<Cost, 'usd' | 'by'> | undefined }

const mostKept = 1024

export function createShowTotals() {
  const pages = new Map<string | undefined, Page>()
  let last: { session: string | undefined; page: Page } | undefined // most events are of the session before
  let price: Pricer | undefined
  let wanted = false

  function pageOf(session: string | undefined): Page {
    if (last !== undefined && last.session === session) return last.page
    let page = pages.get(session)
    if (page === undefined) pages.set(session, (page = { book: createUsage({ remember: 64, price: (share) => price?.(share) }), kept: [] }))
    last = { session, page }
    return page
  }

  const settle = ({ book, kept }: Page): void => kept.splice(0).forEach((event) => book.push(event))

  function note(event: Event): boolean {
    const { book, kept } = pageOf(event.session)
    const isKept = price === undefined && (kept.length > 0 || lacksPrice(event))
    if (isKept && event.kind === 'session.end') {
      wanted = true
      return false
    }
    if (!isKept) book.push(event)
    else if (event.kind === 'turn.end' && tellsAll(event) && !kept.some(({ kind }) => kind === 'turn.end')) {
      settle({ book, kept })
      book.push(event) // in place of what was kept
    } else {
      kept.push(event)
      wanted ||= event.kind === 'turn.end' || kept.length > mostKept
    }
    return true
  }

  return {
    /** False: the end of a session has to come again when the prices are there. */
    push(event: Event): boolean {
      switch (event.kind) {
        case 'session.start':
        case 'session.update':
        case 'message.start':
        case 'message.end':
        case 'usage.update':
        case 'turn.start':
        case 'turn.end':
        case 'session.end':
          return note(event)
        default:
          return true // most events tell of no use
      }
    },
    /** Something has no price but that of the list. */
    wantsPrices: (): boolean => wanted,
    async loadPrices(): Promise<void> {
      wanted = false
      price ??= createPricer(await loadPrices())
      pages.forEach(settle)
    },
    /** Nothing is said of what the source does not tell: no tokens, no cost. */
    take(session: string | undefined): Told {
      const page = pages.get(session)
      if (page === undefined) return {}
      settle(page)
      pages.delete(session)
      last = undefined
      const { costUsd, reportedUsd: _reported, pricedUsd, ...usage } = page.book.totals()
      const used = tokensIn(usage) > 0
      return { ...(used && { usage }), ...(costUsd > 0 && { cost: { usd: costUsd, by: pricedUsd > 0 ? 'priced' : 'source' } }) }
    },
  }
}

const isTold = ({ usage, cost }: Told): boolean => toldNanos(cost?.usd, usage) !== undefined

const lacksPrice = (event: Event): boolean => {
  const { usage } = event as Told
  if (usage === undefined || tokensIn(usage) === 0 || isTold(event as Told)) return false
  return event.kind !== 'turn.end' || event.byModel?.every(isTold) !== true
}

/** The sum of a turn counts instead of its messages, unless it is a sum of nothing. */
const tellsAll = (event: EventOf<'turn.end'>): boolean => event.usage !== undefined && tokensIn(event.usage) > 0 && !lacksPrice(event)
