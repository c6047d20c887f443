// Threads: how they begin, their turns, their tokens. The turn of a root thread is a turn; that of a subagent's thread is its task.
import type { Fault, Usage } from '../../model/event.ts'
import { addUsage, contextTokens, usageSince } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { settleAll } from './decode-ask.ts'
import { endTask, startTask } from './decode-task.ts'
import { echo, enter, here, newThread, put, most, type Reader, type Thread } from './decode-state.ts'
import type { Setting } from './values.ts'

// ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Start = Setting & {
  how?: 'new' | 'resumed' | 'forked' | undefined
  forkedFrom?: string | undefined
  version?: string | undefined
  title?: string | undefined
  agentName?: string | undefined
}

export function startSession(on: Reader, start: Start, synthetic?: string): void {
  const { pen, thread } = on
  const { how, forkedFrom, version, title, agentName, ...setting } = start
  thread.setting = setting
  thread.forkedFrom = forkedFrom
  pen.emit(
    'session.start',
    {
      native: thread.session,
      how: thread.root.past && how !== 'forked' ? 'resumed' : how,
      forkedFrom,
      program: 'codex',
      version,
      title,
      agentName,
      ...setting,
    },
    { synthetic },
  )
}

/** Tells what has changed; nothing twice. */
export function updateSetting(on: Reader, setting: Setting, by?: 'host'): void {
  const before = on.thread.setting
  const changed = (Object.keys(setting) as (keyof Setting)[]).filter((key) => setting[key] !== undefined && setting[key] !== before[key])
  if (changed.length === 0) return echo(on)
  const news: Setting = Object.fromEntries(changed.map((key) => [key, setting[key]]))
  on.thread.setting = { ...before, ...news }
  on.pen.emit('session.update', { by, ...news }, here(on))
}

/** A new process or file begins where no record tells the end of the one before. */
export function leaveThread(on: Reader): void {
  const { pen, current } = on
  if (pen.isStarted(current.session)) {
    const { at } = on
    on.at = pen.toldAt(current.session)
    enter(on, current)
    endSession(on)
    on.at = at
  }
  on.current = on.thread = newThread(undefined)
}

/** `told`: the source says that the session is over. */
export function endSession(on: Reader, told = false): void {
  const { pen, thread } = on
  closeUntold(on)
  const whole = thread.turn === undefined && thread.lastReason !== undefined
  pen.emit(
    'session.end',
    { reason: whole ? thread.lastReason! : 'cut', error: whole ? thread.lastError : undefined },
    { synthetic: told ? undefined : whole ? 'implied' : 'cut' },
  )
  forget(on, thread)
}

/** Of an ended session only the count of its tokens is kept, in case that it goes on. */
function forget(on: Reader, { session, root }: Thread): void {
  for (const [id, thread] of on.threads) if (thread.session === session) on.threads.delete(id)
  for (const [id, ask] of on.asks) if (ask.thread.session === session) on.asks.delete(id)
  put(on.threads, session, Object.assign(newThread(session), { total: root.total, past: true }), most.threads)
}

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function startTurn(on: Reader, native?: string, synthetic?: string): void {
  const { pen, thread } = on
  if (thread.turn !== undefined && thread.turn !== '' && thread.turn === native) return echo(on)
  if (thread.turn !== undefined) endTurn(on, { reason: 'unknown' }, 'implied')
  thread.turn = native ?? ''
  thread.replayed = thread.forkedFrom !== undefined && native !== undefined && native < (thread.id ?? '') // both begin with their time
  if (thread.lane === undefined) return pen.emit('turn.start', { trigger: 'prompt', native }, { synthetic })
  if (pen.hasTask(thread.lane)) pen.emit('task.update', { task: thread.lane, state: 'running' }, { agent: thread.parent })
  else startTask(on, thread, {})
}

type TurnEnd = {
  reason: Reason
  native?: string | undefined
  error?: Fault | undefined
  text?: string | undefined
  durationMs?: number | undefined
}

export function endTurn(on: Reader, { reason, native, error, text, durationMs }: TurnEnd, synthetic?: string): void {
  const { pen, thread } = on
  if (thread.turn === undefined && native !== undefined && native === thread.lastTurn) return echo(on)
  settleAll(on)
  const own = thread.spent
  const lanes = thread.lanesSpent
  thread.lastTurn = native ?? thread.turn
  thread.lastReason = reason
  thread.lastError = error
  thread.turn = thread.spent = thread.lanesSpent = thread.trimmed = thread.patch = thread.answer = undefined
  thread.results.clear()
  thread.hidden.clear()
  thread.serverCalls.clear()
  if (thread.lane === undefined) {
    const usage = lanes === undefined ? own : addUsage(own, lanes)
    return pen.emit('turn.end', { reason, error, text, durationMs, usage, own: lanes === undefined ? undefined : own }, { synthetic })
  }
  thread.root.lanesSpent = own === undefined ? thread.root.lanesSpent : addUsage(thread.root.lanesSpent, own)
  const status = reason === 'end_turn' ? 'ok' : reason === 'cancelled' ? 'cancelled' : 'error'
  endTask(on, thread, { status, text, error, usage: own }, synthetic)
}

/** A turn that only its prompt told ends with the next one, or with the file. */
export function closeUntold(on: Reader): void {
  const { thread } = on
  if (thread.untold && thread.turn === '' && thread.answered) endTurn(on, { reason: 'end_turn' }, 'implied')
}

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Tokens are told as the sum over the thread's life. False when there is nothing new. */
export function spend({ thread }: Reader, total: Usage, last?: Usage): boolean {
  const before = thread.total
  thread.total = total
  if (before !== undefined && sameUsage(total, before)) return false
  // The first sum may hold the past of a thread that goes on; what the last call took is told beside it.
  const share = before !== undefined ? since(total, before) : thread.turn === undefined && last !== undefined ? undefined : (last ?? total)
  if (share !== undefined && !thread.replayed) thread.spent = addUsage(thread.spent, share)
  return true
}

const buckets = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const
const sameUsage = (a: Usage, b: Usage): boolean => buckets.every((bucket) => a[bucket] === b[bucket])
/** A smaller sum is that of another count. */
const since = (total: Usage, before: Usage): Usage =>
  buckets.some((bucket) => (total[bucket] ?? 0) < (before[bucket] ?? 0)) ? total : usageSince(total, before)

export const contextOf = (last: Usage | undefined, limit: number | undefined): { used: number; limit?: number | undefined } | undefined =>
  last === undefined ? undefined : { used: contextTokens(last), limit }
