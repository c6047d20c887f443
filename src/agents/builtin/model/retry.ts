// Whether a failed call of a model is made again, and after how long. How often is for the caller to say.
import type { Fault } from '../../../model/event.ts'

/** `random` in 0..1; `baseMs`: before the first retry, when the provider says nothing. */
export type Pace = { random?: () => number; baseMs?: number }

/** A provider that wants more is not waited for. */
export const longestWaitMs = 10 * 60_000
const longestPauseMs = 30_000
/** The part of a pause that is left to chance: agents that failed together should not all come back together. */
const jitter = 0.25

/** Milliseconds; undefined: it is not made again. `attempt` 1 is the first retry, `retryAfterMs` is what the provider asks for. */
export function retryDelay(attempt: number, error: Fault, retryAfterMs?: number, pace: Pace = {}): number | undefined {
  if (error.retryable !== true) return undefined
  if (retryAfterMs !== undefined) return retryAfterMs > longestWaitMs ? undefined : Math.ceil(retryAfterMs)
  const { random = Math.random, baseMs = 2000 } = pace
  return Math.round(Math.min(baseMs * 2 ** (attempt - 1), longestPauseMs) * (1 - jitter * random()))
}
