// The policies that watch a run, whatever its agent, from the settings and the request.
import type { Event } from '../model/event.ts'
import type { Catalog } from '../prices/catalog.ts'
import { createPricer } from '../prices/price.ts'
import { createDeadlines } from '../supervise/deadline.ts'
import { createDegenerate } from '../supervise/degenerate.ts'
import { createDeniedButRan, type DeniedButRanSettings } from '../supervise/denied-but-ran.ts'
import { createDirectives } from '../supervise/directives.ts'
import { createLimits } from '../supervise/limits.ts'
import { createLoops } from '../supervise/loops.ts'
import { combine, type Policies } from '../supervise/policy.ts'
import { createQuota, type Limit } from '../supervise/quota.ts'
import type { Frame } from './frame.ts'
import type { RunRequest } from './request.ts'

export type RunPolicies = {
  /** Sees an event before anybody else. */
  guard: Policies
  policies: Policies
  /** The usage limit that this attempt has reached. */
  limit(): Limit | undefined
  /** Another attempt begins: it may reach a limit of its own. */
  renew(now: number): void
  /** The budget of the whole run is used up: there is no other attempt. */
  isSpent(): boolean
  /** Why the agent gave up, if it said so. */
  blockedBy(): string | undefined
  /** Milliseconds until the run must be over. */
  left(now: number): number
}

export type PolicyParts = {
  frame: Pick<Frame, 'settings' | 'profile'>
  prices: Catalog
  startedAt: number
  /** Of the session that the run goes on with. */
  history?: readonly Event[]
  denied?: DeniedButRanSettings
}

export function policiesOf(
  request: RunRequest,
  { frame: { settings, profile }, prices, startedAt, history, denied }: PolicyParts,
): RunPolicies {
  const maxTurns = request.maxTurns ?? profile.maxTurns ?? settings.maxTurns
  const maxCost = request.maxCost ?? settings.maxCost
  const timeoutMs = request.timeoutMs ?? settings.timeoutMs
  const directives = createDirectives()
  let quota = createQuota()
  const limits = createLimits({
    startedAt,
    history,
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxCost !== undefined && { maxCost, price: createPricer(prices) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...request.limits,
  })
  return {
    guard: combine({ degenerate: createDegenerate() }),
    policies: combine({
      limits,
      deadline: createDeadlines({ timeoutMs: request.permissionTimeoutMs, ends: typeof request.handler === 'object' }),
      loops: createLoops(),
      'denied-but-ran': createDeniedButRan(denied),
      directives,
      quota: { deaf: true, step: (event, now) => quota.step(event, now) },
    }),
    limit: () => quota.reached(),
    renew(now) {
      quota = createQuota()
      directives.reset()
      limits.renew(now)
    },
    isSpent: limits.isSpent,
    blockedBy() {
      const found = directives.strongest()
      return found?.type === 'abort' ? found.label : undefined
    },
    left: (now) => (timeoutMs === undefined ? Infinity : startedAt + timeoutMs - now),
  }
}
