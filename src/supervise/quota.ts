// Usage limits: sees that the provider, or the subscription, gives no more for now, and when it will again. It only tells; whoever
// starts runs decides whether to wait. Only failures and an agent's own account of its limits count, never what a model says.
import { quoted } from '../base/text.ts'
import type { Event, EventOf, Fault } from '../model/event.ts'
import type { Reason } from '../model/vocabulary.ts'
import { isOwn, type PolicyAction } from './policy.ts'
import { limitIn } from './quota-words.ts'
import type { Zone } from './quota-times.ts'

/** `resetsAt`: milliseconds since the epoch, absent when nobody told. `text`: the words of whoever refused. */
export type Limit = { provider: string; resetsAt?: number; text: string }

export type QuotaSettings = {
  /** Of times that do not name theirs; that of this machine if not told. */
  zone?: Zone
}

export type Quota = {
  step(event: Event, now?: number): readonly PolicyAction[]
  /** The limit that holds the work up, until a turn ends well. */
  reached(): Limit | undefined
}

const none: readonly PolicyAction[] = []
const longMs = 60_000 // a shorter wait is the agent's own affair, as long as it tries again by itself
const newsMs = 3_600_000 // resets are rounded, up to an hour: the same limit told again moves by less
const failures: ReadonlySet<Reason> = new Set(['error', 'cut', 'unknown'])
const providers: Readonly<Record<string, string>> = { claude: 'anthropic', codex: 'openai', gemini: 'google', copilot: 'copilot' }
const localZone: Zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

export function createQuota({ zone = localZone }: QuotaSettings = {}): Quota {
  let named: string | undefined // the provider, as the session tells it
  let limit: Limit | undefined

  function told(fault: Fault | undefined, data: unknown, now: number): Limit | undefined {
    const found = fault === undefined ? undefined : limitIn(fault, data, now, zone)
    return found && { ...found, provider: found.provider ?? '', text: fault!.text }
  }

  /** An agent that tries again by itself waits by itself, so only a long wait is worth a word. */
  function retried({ error, delayMs }: EventOf<'retry.start'>, now: number): Limit | undefined {
    const found = told(error, undefined, now)
    const isLimit = found !== undefined || (error?.category === 'rate_limit' && delayMs !== undefined)
    const resetsAt = found?.resetsAt ?? (delayMs === undefined ? undefined : now + delayMs)
    if (!isLimit || resetsAt === undefined || resetsAt < now + longMs) return undefined
    return { provider: '', text: error?.text ?? '', ...found, resetsAt }
  }

  function seen(event: Event, now: number): Limit | undefined {
    switch (event.kind) {
      case 'error':
        return told(event.error, event.data, now)
      case 'turn.end':
      case 'session.end':
        return failures.has(event.reason) ? told(event.error, undefined, now) : undefined
      case 'retry.start':
        return event.scope === 'run' ? undefined : retried(event, now)
      case 'usage.update':
        return reported(event)
      default:
        return undefined
    }
  }

  function look(event: Event): void {
    if (event.kind === 'session.start' || event.kind === 'session.update')
      named = event.provider ?? /^([\w.-]{1,60})\//.exec(event.model ?? '')?.[1] ?? named
    else if (event.kind === 'turn.end' && event.agent === undefined && event.reason === 'end_turn') limit = undefined
  }

  return {
    step(event, now = event.at ?? 0) {
      if (isOwn(event)) return none
      look(event)
      const found = seen(event, now)
      if (found === undefined) return none
      const next = { ...found, provider: found.provider || (providers[event.origin?.dialect ?? ''] ?? named ?? 'unknown') }
      const known = limit !== undefined && isSame(limit, next, now)
      limit = known ? better(limit!, next) : next
      return known ? [] : [{ type: 'notice', notice: noticeOf(next) }]
    },
    reached: () => limit,
  }
}

/** An agent that keeps account of its limits: all that are used up must reset. Some name the others along with the one that is. */
function reported({ limits = [] }: EventOf<'usage.update'>): Limit | undefined {
  const reached = limits.filter(({ state }) => state === 'reached')
  const empty = reached.filter(({ used }) => used !== undefined && used >= 1)
  const [first, ...rest] = empty.length > 0 ? empty : reached
  if (first === undefined) return undefined
  const times = [first, ...rest].flatMap(({ resetsAt }) => resetsAt ?? [])
  const text = `limit reached: ${[first, ...rest].map(({ name }) => name).join(', ')}`
  return { provider: '', text, ...(times.length > 0 && { resetsAt: Math.max(...times) }) }
}

/** One failure is told several times: by the call, the turn, the session. */
function isSame(old: Limit, next: Limit, now: number): boolean {
  if (old.resetsAt === undefined || next.resetsAt === undefined) return old.resetsAt === undefined || now < old.resetsAt
  return now < old.resetsAt && next.resetsAt <= old.resetsAt + newsMs
}

/** What was told first is the most exact, unless it did not say when. */
const better = (old: Limit, next: Limit): Limit => (old.resetsAt === undefined ? { ...old, ...next } : old)

function noticeOf({ provider, resetsAt, text }: Limit): Extract<PolicyAction, { type: 'notice' }>['notice'] {
  const when = resetsAt === undefined ? 'when it resets is not told' : `it resets at ${new Date(resetsAt).toISOString()}`
  return {
    level: 'warn',
    code: 'usage-limit',
    text: `the usage limit of ${provider} is reached; ${when}: ${quoted(text, 200)}`,
    data: { provider, ...(resetsAt !== undefined && { resetsAt }) },
  }
}
