// Whether a run that failed is tried again, after what wait, and in which session: the same one after a usage limit, else a new one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Done } from '../agents/contract.ts'
import type { Payload } from '../model/event.ts'
import type { Limit } from '../supervise/quota.ts'
import { createRetry } from '../supervise/retry.ts'
import type { Cancel, Next } from './attempts.ts'
import type { RunRequest, SessionWanted } from './request.ts'
import type { Opened } from './session.ts'
import { createWaits } from './wait-reset.ts'

export type RetryParts = {
  request: Pick<RunRequest, 'maxRetries' | 'waitMs'>
  open(session: SessionWanted): Promise<Opened>
  /** Throws when the agent cannot go on with it. */
  check(session: Opened): void
  limit(): Limit | undefined
  left(now: number): number
  now(): number
  tell(kind: 'notice', payload: Payload<'notice'>): void
  tell(kind: 'retry.start', payload: Payload<'retry.start'>): void
}

export type NextAttempt = { session: Opened; next: Next }

/** What an agent is told when its limit has reset. */
const goOn = 'The usage limit has reset. Go on where you stopped.'

/** Undefined: it stays as it ended. */
export function createRetries({ request, open, check, limit, left, now, tell }: RetryParts) {
  const retry = createRetry(request.maxRetries)
  const waits =
    request.waitMs === undefined
      ? undefined
      : createWaits({ maxMs: Math.min(request.waitMs, left(now())), now, tell: (notice) => tell('notice', notice) })

  return async (id: string, done: Done, signal: AbortSignal): Promise<NextAttempt | undefined> => {
    if ((await waits?.wait(done, limit(), signal)) === true) {
      const same = await goingOn(id)
      return same === undefined ? inNew() : { session: same, next: { prompt: goOn } }
    }
    if (signal.aborted) return giveUp(signal)
    const { reason, error } = done
    const again = retry.next({ reason, error })
    if (again === undefined || again.delayMs >= left(now())) return undefined
    tell('retry.start', again.retry)
    await sleep(again.delayMs, undefined, { signal }).catch(() => {})
    return signal.aborted ? giveUp(signal) : inNew()
  }

  /** The stream has told that there would be another attempt. */
  function giveUp(signal: AbortSignal): undefined {
    const { text = 'cancelled' } = signal.reason as Cancel
    tell('notice', { level: 'info', code: 'not-retried', text: `${text}; there is no further attempt` })
  }

  async function inNew(): Promise<NextAttempt> {
    return { session: await open({ how: 'new' }), next: 'all-again' }
  }

  /** Undefined: its agent cannot. */
  async function goingOn(id: string): Promise<Opened | undefined> {
    const same = await open({ how: 'resumed', id })
    try {
      check(same)
      return same
    } catch {
      same.log.close()
      return undefined
    }
  }
}
