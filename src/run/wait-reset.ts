// --wait-for-reset: a run that a usage limit ended is taken up again when the limit resets, if that is soon enough. Where nobody told
// when, it is tried again after pauses that grow.
import { setTimeout as delay } from 'node:timers/promises'
import type { Done } from '../agents/contract.ts'
import type { Payload } from '../model/event.ts'
import type { FaultCategory, Reason } from '../model/vocabulary.ts'
import { spanText } from '../supervise/policy.ts'
import type { Limit } from '../supervise/quota.ts'

/** `ms`: how long was waited in this run. `blind`: how often, since the last reset that was told, without knowing until when. */
export type Waited = { ms: number; blind: number }

export type WaitPlan = { type: 'wait'; until: number; blind: boolean } | { type: 'give-up'; text: string }

export type WaitParts = {
  /** All waits of a run together; 6 hours if not told. */
  maxMs?: number | undefined
  now(): number
  /** Rejects when the signal comes. */
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<unknown>
  tell(notice: Payload<'notice'>): void
}

export type Waits = {
  /** True: the time is over, and the session should be resumed. False: it stays as it ended. The signal ends a wait, without an error. */
  wait(done: Ended, limit: Limit | undefined, signal?: AbortSignal): Promise<boolean>
}

type Ended = Pick<Done, 'reason' | 'error'>

export const defaultMaxMs = 6 * 3_600_000
const minute = 60_000
const pauses = [5, 10, 20, 40, 60].map((minutes) => minutes * minute) // the last one for all that follow
const sliceMs = 30_000 // timers stand still while a computer sleeps; a reset does not
const failures: ReadonlySet<Reason> = new Set(['error', 'cut', 'unknown'])
/** A limit may be reached while the work fails for another reason, which no waiting cures. */
const others: ReadonlySet<FaultCategory> = new Set(['auth', 'context', 'invalid', 'cancelled', 'oom'])

/** Undefined: no limit ended this run. */
export function planWait(done: Ended, limit: Limit | undefined, waited: Waited, maxMs: number, now: number): WaitPlan | undefined {
  if (limit === undefined || !failures.has(done.reason) || others.has(done.error?.category ?? 'unknown')) return undefined
  // A reset that is over and changed nothing was told wrongly.
  const isKnown = limit.resetsAt !== undefined && (limit.resetsAt > now || waited.ms === 0)
  const delayMs = isKnown ? Math.max(0, limit.resetsAt! - now) : pauses[Math.min(waited.blind, pauses.length - 1)]!
  const until = now + delayMs + (isKnown ? marginOf(delayMs) : 0)
  if (waited.ms + until - now <= maxMs) return { type: 'wait', until, blind: !isKnown }
  const most = `${spanText(maxMs)} (--max-wait)`
  const text = isKnown
    ? `the limit of ${limit.provider} resets at ${timeText(until)}; that is more than ${most} of waiting`
    : `the limit of ${limit.provider} is still reached; it was waited for as long as allowed, ${most}`
  return { type: 'give-up', text }
}

/** Clocks differ, and a time that is told to the minute may mean the end of it. */
const marginOf = (delayMs: number): number => Math.min(minute, Math.max(2000, delayMs / 20))

export function createWaits({ maxMs = defaultMaxMs, now, sleep = pause, tell }: WaitParts): Waits {
  const waited: Waited = { ms: 0, blind: 0 }

  async function until(time: number, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      for (let left = time - now(); left > 0; left = time - now()) await sleep(Math.min(left, sliceMs), signal)
      return true
    } catch {
      return false // the signal
    }
  }

  return {
    async wait(done, limit, signal) {
      const began = now()
      const plan = planWait(done, limit, waited, maxMs, began)
      if (plan === undefined) return false
      const { provider } = limit!
      if (plan.type === 'give-up') {
        tell({ level: 'warn', code: 'reset-too-late', text: plan.text, data: { provider, resetsAt: limit!.resetsAt } })
        return false
      }
      const why = plan.blind ? 'when it resets is not known' : `it resets at ${timeText(limit!.resetsAt!)}`
      const text = `the usage limit of ${provider} is reached, and ${why}: the session goes on at ${timeText(plan.until)} (--wait-for-reset)`
      tell({ level: 'warn', code: 'waits-for-reset', text, data: { provider, resetsAt: limit!.resetsAt, until: plan.until } })
      waited.blind = plan.blind ? waited.blind + 1 : 0
      const isOver = await until(plan.until, signal)
      waited.ms += now() - began
      return isOver
    },
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<unknown> => delay(ms, undefined, signal && { signal })
const timeText = (time: number): string => new Date(time).toISOString()
