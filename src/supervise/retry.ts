// Whether a run that failed is worth another try of its whole prompt, and when. What would fail again in the same way is not.
import type { Fault } from '../model/event.ts'
import { notStarted } from '../model/fault.ts'
import type { FaultCategory, Reason } from '../model/vocabulary.ts'
import type { PolicyAction } from './policy.ts'

export type RunFailure = { reason: Reason; error?: Fault | undefined }

export type RetryPolicy = {
  /** Undefined: it stays failed. */
  next(failure: RunFailure): Extract<PolicyAction, { type: 'retry' }> | undefined
}

const delays = [2000, 4000, 8000, 16_000, 30_000] // the last one for all that follow
const accidents: ReadonlySet<Reason> = new Set(['error', 'cut', 'unknown'])
const hopeless: ReadonlySet<FaultCategory> = new Set(['auth', 'billing', 'invalid', 'context', 'cancelled'])

export function createRetry(maxRetries: number): RetryPolicy {
  let attempt = 0
  return {
    next(failure) {
      if (attempt >= maxRetries || !mayRetry(failure)) return undefined
      const delayMs = delays[Math.min(attempt, delays.length - 1)]!
      attempt++
      const { error } = failure
      return { type: 'retry', delayMs, retry: { scope: 'run', attempt, max: maxRetries, delayMs, ...(error !== undefined && { error }) } }
    },
  }
}

export const mayRetry = ({ reason, error }: RunFailure): boolean =>
  accidents.has(reason) && error?.code !== notStarted && error?.retryable !== false && !hopeless.has(error?.category ?? 'unknown')
