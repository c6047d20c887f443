// Caps on model messages, money and time: says once that a cap is near, and once that it is reached.
import type { Event, Payload } from '../model/event.ts'

export type LimitSettings = {
  startedAt: number
  /** Model messages of the main conversation for one prompt. */
  maxTurns?: number
  /** US dollars, subagents too. */
  maxCost?: number
  timeoutMs?: number
}

export type LimitAction =
  | { type: 'notice'; notice: Payload<'notice'> }
  | { type: 'stop'; reason: 'max_turns' | 'budget' | 'timeout'; text: string; code: string }

export type Limits = { step(event: Event): LimitAction[]; tick(now: number): LimitAction[] }

const near = 0.8
const earlyMs = 5 // a timer may come that much before its time

export function createLimits({ startedAt, maxTurns, maxCost, timeoutMs }: LimitSettings): Limits {
  let messages = 0
  let usd = 0
  const told = new Set<string>()

  /** Each thing once. */
  const once = (key: string, action: LimitAction): LimitAction[] => (told.has(key) ? [] : (told.add(key), [action]))
  const warn = (code: string, text: string): LimitAction[] => once(code, { type: 'notice', notice: { level: 'warn', code, text } })

  function turns(finish: string | undefined): LimitAction[] {
    if (maxTurns === undefined) return []
    messages++
    const text = `${messages} of ${maxTurns} model messages are used (--max-turns)`
    // The last message may be an answer: then nothing is cut short.
    if (messages >= maxTurns && finish === 'tool_use') {
      return once('max_turns', { type: 'stop', reason: 'max_turns', text: `max turns reached: ${text}`, code: 'max_turns' })
    }
    return messages >= maxTurns * near && messages < maxTurns ? warn('max_turns_near', text) : []
  }

  function money(cost: { usd: number } | undefined, isPaid: boolean): LimitAction[] {
    if (maxCost === undefined) return []
    if (cost === undefined) {
      return isPaid ? warn('max_cost_unknown', 'the price of the model is not known, so --max-cost cannot be kept') : []
    }
    usd += cost.usd
    const text = `$${usd.toFixed(4)} of $${maxCost} are spent (--max-cost)`
    if (usd >= maxCost) return once('max_cost', { type: 'stop', reason: 'budget', text: `max cost reached: ${text}`, code: 'max_cost' })
    return usd >= maxCost * near ? warn('max_cost_near', text) : []
  }

  return {
    step(event) {
      if (event.kind === 'turn.start' && event.agent === undefined) {
        messages = 0
        told.delete('max_turns')
        told.delete('max_turns_near')
      }
      if (event.kind !== 'message.end') return []
      return [...(event.agent === undefined ? turns(event.finish) : []), ...money(event.cost, event.usage !== undefined)]
    },
    tick(now) {
      if (timeoutMs === undefined) return []
      const elapsed = now - startedAt + earlyMs
      if (elapsed >= timeoutMs) {
        return once('timeout', { type: 'stop', reason: 'timeout', text: `timed out after ${timeoutMs} ms (--timeout)`, code: 'timeout' })
      }
      return elapsed >= timeoutMs * near ? warn('timeout_near', `${Math.round(near * 100)} % of the time is used (--timeout)`) : []
    },
  }
}
