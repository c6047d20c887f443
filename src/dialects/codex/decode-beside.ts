// What is told beside the work, in every form of the dialect: trouble, warnings, plans, limits, compaction.
import type { Rec } from '../../base/json.ts'
import { echo, here, type Reader } from './decode-state.ts'
import { limitsOf, planStatus } from './values.ts'
import type { Params } from './wire.ts'
import { faultFrom, retryIn } from './words.ts'

/** Not terminal by itself: only the turn's failure is. */
export function trouble(on: Reader, text: string, info?: unknown, details?: string | null, fatal = false): void {
  const retry = retryIn(text)
  if (retry === undefined) return on.pen.emit('error', { scope: 'turn', fatal, error: faultFrom(text, info, details) }, here(on))
  const { attempt, max, why } = retry
  withdraw(on)
  on.pen.emit('retry.start', { scope: 'model', attempt, max, error: faultFrom(why ?? text, info, details) }, here(on))
}

/** What was streamed when the connection broke is said again from its beginning. */
function withdraw(on: Reader): void {
  const { pen, thread } = on
  const { speaking, thinking, lane } = thread
  const message = pen.isStreaming('text.delta', lane) ? speaking : pen.isStreaming('thought.delta', lane) ? thinking?.item : undefined
  thread.speaking = thread.thinking = undefined
  if (message !== undefined) pen.emit('message.drop', { fromBlock: 0, why: 'stream_error' }, here(on, { message }))
}

export const note = (on: Reader, level: 'info' | 'warn', text: string, data?: unknown): void =>
  on.pen.emit('notice', { level, code: on.tag, text, data: data ?? undefined }, here(on))

export function plan(on: Reader, { plan: steps, explanation }: Pick<Params<'turn/plan/updated'>, 'plan' | 'explanation'>): void {
  const entries = steps.map(({ step, status }) => ({ text: step, status: planStatus(status) }))
  on.pen.emit('plan.update', { entries, title: explanation ?? undefined }, here(on))
}

export function rateLimits(on: Reader, told: Rec | null | undefined): void {
  const limits = limitsOf(told)
  if (limits === undefined) return echo(on)
  on.pen.emit('usage.update', { scope: 'session', cumulative: true, limits }, here(on))
}

/** A compaction is told by an item, an event or a line of the file, and in some versions by two of them. */
export function trim(on: Reader, source: 'item' | 'event' | 'file', text?: string): void {
  const { thread } = on
  if (thread.trimmed !== undefined && thread.trimmed !== source) return echo(on)
  thread.trimmed = source
  on.pen.emit('context.trim', { why: 'compact', text }, here(on))
}
