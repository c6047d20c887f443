// What a run has spent. Agents that go on with a session tell what all of it has cost, with the runs before: of that only what this run
// adds counts.
import { createAmounts } from '../analyze/track-amounts.ts'
import type { Event, EventOf } from '../model/event.ts'
import { totalTokens } from '../model/usage.ts'
import type { Pricer } from '../prices/price.ts'

export type Spent = {
  /** True: the sums may be others now. */
  observe(event: Event): boolean
  tokens(): number
  usd(): number
  /** Tokens were used of which nobody knows what they cost. */
  hasUnpriced(): boolean
}

/** `history`: what was told of the session before this run. */
export function createSpent(price: Pricer | undefined, history: readonly Event[] = []): Spent {
  const amounts = createAmounts(price)
  const allTokens = (): number => totalTokens(amounts.usage() ?? {})
  const allUsd = (): number => amounts.costUsd() ?? 0
  for (const event of history) if (isTotal(event) || isSetting(event)) amounts.observe(event)
  let [pastTokens, pastUsd] = [allTokens(), allUsd()]
  let isBefore = false // a session goes on, and its first turn of this run has not begun

  return {
    observe(event) {
      const [usage, usd] = [amounts.usage(), amounts.costUsd()]
      const [tokensBefore, usdBefore] = isBefore ? [allTokens(), allUsd()] : [0, 0]
      amounts.observe(event)
      if (isBefore && isTotal(event)) {
        pastTokens += allTokens() - tokensBefore
        pastUsd += allUsd() - usdBefore
      }
      if (event.agent === undefined && event.kind === 'session.start') isBefore = event.how === 'resumed' || event.how === 'forked'
      else if (event.kind === 'turn.start') isBefore = false
      return amounts.costUsd() !== usd || amounts.usage() !== usage
    },
    tokens: () => allTokens() - pastTokens,
    usd: () => allUsd() - pastUsd,
    hasUnpriced: amounts.hasUnpriced,
  }
}

/** By these an agent tells of more than one run. */
const isTotal = (event: Event): event is EventOf<'usage.update'> =>
  event.kind === 'usage.update' && event.scope === 'session' && event.cumulative && event.agent === undefined

/** Without its model nobody knows the price. */
const isSetting = ({ kind, agent }: Event): boolean => agent === undefined && (kind === 'session.start' || kind === 'session.update')
