// Limits on model calls and time, and the budget of money, tokens and tool calls: says once that one is near, and once that it is reached.
import type { Event } from '../model/event.ts'
import type { Pricer } from '../prices/price.ts'
import { earlier, earlyMs, isOwn, type PolicyAction, spanText, type Stop } from './policy.ts'
import { createSpent } from './spent.ts'

export type LimitSettings = {
  startedAt: number
  /** Model calls of the main conversation for one prompt. */
  maxTurns?: number | undefined
  /** US dollars, subagents too. */
  maxCost?: number | undefined
  /** Subagents' too, and those that came from a cache. */
  maxTokens?: number | undefined
  /** Subagents' too. */
  maxToolCalls?: number | undefined
  timeoutMs?: number | undefined
  /** How long nothing may come from an agent that has work and waits for no answer. */
  progressTimeoutMs?: number | undefined
  /** For agents that tell tokens and no cost. */
  price?: Pricer | undefined
  /** What was told of the session before this run: that is not spent by it. */
  history?: readonly Event[] | undefined
}

export type LimitAction = Extract<PolicyAction, { type: 'notice' | 'stop' }>

export type Limits = {
  step(event: Event, now?: number): LimitAction[]
  tick(now: number): LimitAction[]
  due(): number | undefined
  /** Another attempt begins now. Amounts and the time of the run go on; how long nothing came is counted anew. */
  renew(now: number): void
  /** There is nothing left for another attempt. */
  isSpent(): boolean
}

const near = 0.8
const none: LimitAction[] = [] // never changed

export function createLimits(settings: LimitSettings): Limits {
  const { startedAt, maxTurns, maxCost, maxTokens, maxToolCalls, timeoutMs, progressTimeoutMs, price, history } = settings
  const spent = maxCost === undefined && maxTokens === undefined ? undefined : createSpent(price, history)
  let progress = createProgress(startedAt)
  const told = new Set<string>()
  let messages = 0
  let calls = 0

  /** Each thing once. */
  const once = (key: string, action: LimitAction): LimitAction[] => (told.has(key) ? [] : (told.add(key), [action]))
  const warn = (code: string, text: string): LimitAction[] => once(code, { type: 'notice', notice: { level: 'warn', code, text } })
  const stop = (code: string, reason: Stop['reason'], text: string, when: Stop['when']): LimitAction[] =>
    once(code, { type: 'stop', reason, text: `${code.replaceAll('_', ' ')} reached: ${text}`, code, when })

  // ── amounts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function turns(finish: string | undefined): LimitAction[] {
    if (maxTurns === undefined) return []
    messages++
    const text = `${messages} of ${maxTurns} model calls are used (--max-turns)`
    // The last message may be an answer: then nothing is cut short.
    if (messages >= maxTurns && finish === 'tool_use') return stop('max_turns', 'max_turns', text, 'step')
    return messages >= maxTurns * near && messages < maxTurns ? warn('max_turns_near', text) : []
  }

  /** All calls that are allowed may be made, and the work may be done with them: only one more is too many, and it is not waited for. */
  function toolCalls(): LimitAction[] {
    if (maxToolCalls === undefined) return []
    calls++
    if (calls > maxToolCalls)
      return stop('max_tool_calls', 'budget', `${maxToolCalls} tool calls were made, and one more began (--max-tool-calls)`, 'now')
    return calls >= maxToolCalls * near
      ? warn('max_tool_calls_near', `${calls} of ${maxToolCalls} tool calls are made (--max-tool-calls)`)
      : []
  }

  function tokens(): LimitAction[] {
    const used = spent?.tokens() ?? 0
    if (maxTokens === undefined || used === 0) return []
    const text = `${used} of ${maxTokens} tokens are used (--max-tokens)`
    if (used >= maxTokens) return stop('max_tokens', 'budget', text, 'step')
    return used >= maxTokens * near ? warn('max_tokens_near', text) : []
  }

  function money(event: Event): LimitAction[] {
    if (maxCost === undefined) return []
    const unknown =
      isUnpriced(event) && !told.has('max_cost_unknown') && spent?.hasUnpriced() === true
        ? warn('max_cost_unknown', 'the price of the model is not known, so --max-cost cannot be kept before the agent tells its cost')
        : none
    const usd = spent?.usd() ?? 0
    const text = `$${usd.toFixed(4)} of $${maxCost} are spent (--max-cost)`
    if (usd >= maxCost) return [...unknown, ...stop('max_cost', 'budget', text, 'step')]
    return usd >= maxCost * near ? [...unknown, ...warn('max_cost_near', text)] : unknown
  }

  /** Agents tell what they used in many ways and at many times; the book-keeper knows them all. */
  function used(event: Event): LimitAction[] {
    if (spent === undefined) return none
    const isNews = spent.observe(event) || event.kind === 'message.end'
    return isNews ? [...tokens(), ...money(event)] : []
  }

  // ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const spans = [
    { code: 'timeout', ms: timeoutMs, reason: 'timeout', from: () => startedAt, said: 'timed out after', part: 'of the time is used' },
    {
      code: 'progress_timeout',
      ms: progressTimeoutMs,
      reason: 'stall',
      from: () => progress.since(),
      said: 'nothing came from the agent for',
      part: 'of the time without a sign of life is used',
    },
  ] as const

  function time({ code, ms, reason, from, said, part }: (typeof spans)[number], now: number): LimitAction[] {
    const since = from()
    if (ms === undefined || since === undefined || told.has(code)) return []
    const flag = `(--${code.replaceAll('_', '-')})`
    const elapsed = now - since + earlyMs
    if (elapsed >= ms) return once(code, { type: 'stop', reason, text: `${said} ${spanText(ms)} ${flag}`, code, when: 'now' })
    return elapsed >= ms * near ? warn(`${code}_near`, `${Math.round(near * 100)} % ${part} ${flag}`) : []
  }

  function dueOf({ code, ms, from }: (typeof spans)[number]): number | undefined {
    const since = from()
    if (ms === undefined || since === undefined || told.has(code)) return undefined
    return since + (told.has(`${code}_near`) ? ms : ms * near)
  }

  return {
    step(event, now = event.at) {
      if (progress.see(event, now) && told.size > 0) told.delete('progress_timeout_near')
      if (event.kind === 'turn.start' && event.agent === undefined) {
        messages = 0
        told.delete('max_turns')
        told.delete('max_turns_near')
      }
      if (event.kind === 'tool.start') return toolCalls()
      const counted = event.kind === 'message.end' && event.agent === undefined ? turns(event.finish) : none
      return spent === undefined ? counted : [...counted, ...used(event)]
    },
    tick: (now) => spans.flatMap((span) => time(span, now)),
    due: () => earlier(dueOf(spans[0]), dueOf(spans[1])),
    renew(now) {
      progress = createProgress(now)
      for (const code of ['progress_timeout', 'progress_timeout_near']) told.delete(code)
    },
    isSpent: () => ['max_cost', 'max_tokens', 'max_tool_calls'].some((code) => told.has(code)),
  }
}

/** An agent that knows no price says nothing, or 0. */
const isUnpriced = (event: Event): boolean =>
  (event.kind === 'message.end' || event.kind === 'turn.end') &&
  event.usage !== undefined &&
  (event.cost === undefined || (event.cost.usd === 0 && event.cost.by === 'source'))

const mostSessions = 1024 // an agent may tell of any number

/**
 * Since when nothing came: no time while the agent waits for an answer, or has done its work. A status alone is no progress: some
 * agents go on telling that they work when they are stuck.
 */
function createProgress(startedAt: number): { since(): number | undefined; see(event: Event, now: number | undefined): boolean } {
  const questions = new Set<string>()
  const turns = new Set<string | undefined>() // sessions with an open one: what ends in one of them is not the end of the work
  let isIdle = false
  let at = startedAt

  function look(event: Event): void {
    switch (event.kind) {
      case 'permission.request':
      case 'question.request':
        questions.add(event.id)
        break
      case 'permission.answer':
      case 'question.answer':
        questions.delete(event.id ?? '')
        break
      case 'turn.start':
      case 'prompt.submit':
        if (event.agent !== undefined) break
        if (event.kind === 'turn.start' && turns.size < mostSessions) turns.add(event.session)
        isIdle = false
        break
      case 'turn.end':
      case 'session.end':
        if (event.agent !== undefined) break
        turns.delete(event.session)
        isIdle = turns.size === 0
    }
  }

  return {
    since: () => (isIdle || questions.size > 0 ? undefined : at),
    see(event, now = at) {
      look(event)
      if (event.kind === 'status.update' || isOwn(event)) return false
      at = Math.max(at, now)
      return true
    },
  }
}
