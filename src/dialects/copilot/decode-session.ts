// Sessions and turns. Stdout says that a turn is over (`assistant.idle`) and tells the session's id in its last line, so there
// the session is named after its first record. A session file names it first and never says that a turn is over: the next prompt
// or the shutdown does.
import type { Fault, Payload, Usage } from '../../model/event.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { addUsage, usageSince } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { nat } from '../values.ts'
import { endMessage, laneOf, newSession, newTurn, type Reader, type Turn } from './decode-state.ts'
import { faultFrom, usageOf } from './values.ts'
import type { Wire } from './wire.ts'

const program = 'copilot'
type Shares = Payload<'turn.end'>['byModel']

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function userMessage(on: Reader, { data }: Wire<'user.message'>): void {
  const lane = laneOf(on)
  const { source, delivery, attachments } = data
  const isUser = !source || source === 'user'
  const begins = delivery === 'idle' || delivery === 'queued' || (!delivery && isUser)
  if (lane === undefined && (begins || on.pen.openTurns() === 0)) {
    leaveTurn(on, 'implied')
    on.pen.emit('turn.start', { trigger: isUser ? 'prompt' : 'task', native: data.interactionId ?? undefined })
  }
  on.pen.emit(
    'prompt.submit',
    {
      text: data.content,
      content: attachments?.length ? attachments : undefined,
      by: lane !== undefined ? 'agent' : isUser ? 'user' : 'system',
      state: 'seen',
      id: data.messageId ?? undefined,
      delivery: delivery ?? undefined,
    },
    { agent: lane },
  )
}

/** How the turn ended, as far as its records show. `idle`: the agent says itself that it has nothing more to do. */
function reasonOf({ stopped, fault, failure, finish }: Turn, idle: boolean): Reason {
  if (stopped !== undefined || finish === 'cancelled') return stopped ?? 'cancelled'
  if (fault !== undefined || failure !== undefined) return (fault ?? failure)!.category === 'context' ? 'context' : 'error'
  if (finish !== undefined && finish !== 'tool_use') return finish
  return idle ? 'end_turn' : 'unknown'
}

/** Ends the open turn, if there is one. `usage`, `byModel`: what the session says it used in this turn, if no model call said so. */
function leaveTurn(on: Reader, synthetic: 'implied' | undefined, apiMs?: number, usage?: Usage, byModel?: Shares): void {
  const { session, pen } = on
  const open = session.messages.get(undefined)
  if (open !== undefined) endMessage(on, undefined, open, 'implied')
  const { turn } = session
  session.turn = newTurn()
  if (pen.openTurns() === 0) return
  const reason = reasonOf(turn, synthetic === undefined)
  const error = turn.fault ?? turn.failure
  session.spent = addUsage(session.spent, turn.usage)
  session.lastReason = reason
  session.lastError = error
  pen.emit(
    'turn.end',
    {
      reason,
      error,
      usage: turn.usage ?? usage,
      own: turn.own,
      byModel: turn.models.size === 0 ? byModel : [...turn.models].map(([model, share]) => ({ model, ...share })),
      apiMs,
      steps: turn.steps,
    },
    { synthetic },
  )
}

export function idle(on: Reader, { data }: Wire<'assistant.idle'> | Wire<'session.idle'>): void {
  if (laneOf(on) !== undefined || on.pen.openTurns() === 0) return on.pen.raw(on.tag, 'redundant')
  if (data.aborted === true) on.session.turn.stopped ??= 'cancelled'
  leaveTurn(on, undefined)
}

/** The reason is in `abort`, which follows. */
export function interrupted(on: Reader): void {
  if (!on.record.agentId) on.session.turn.stopped = 'cancelled'
  on.pen.raw(on.tag, 'redundant')
}

export function abort(on: Reader, { data }: Wire<'abort'>): void {
  const lane = laneOf(on)
  const by = data.reason?.startsWith('user') === true ? 'user' : data.reason?.includes('limit') === true ? 'policy' : 'host'
  if (lane === undefined) on.session.turn.stopped = by === 'policy' ? 'budget' : 'cancelled'
  on.pen.emit(
    'cancel.request',
    { target: lane === undefined ? 'turn' : 'task', by, text: data.reason ?? undefined, task: lane },
    { agent: lane },
  )
}

export function sessionError(on: Reader, { data }: Wire<'session.error'>): void {
  const lane = laneOf(on)
  const error = faultFrom(data.message, { word: data.errorType, status: data.statusCode })
  if (lane === undefined) on.session.turn.fault = error
  on.pen.emit('error', { scope: lane === undefined ? 'turn' : 'task', fatal: lane === undefined, error }, { agent: lane })
}

// ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The session of a record that no session is open for. Only `session.start` says its id. */
export function openSession(on: Reader, key: string | undefined): void {
  on.session = newSession(key, undefined, on.pen.isEnded(key))
  on.pen.common({ at: on.at, session: key })
  on.pen.emit('session.start', { program, how: on.session.resumed ? 'resumed' : undefined }, { synthetic: 'implied' })
}

export function sessionStart(on: Reader, { data }: Wire<'session.start'>): void {
  setting(on, { how: on.session.resumed ? 'resumed' : 'new', native: data.sessionId, version: data.copilotVersion ?? undefined }, data)
}

export function sessionResume(on: Reader, { data }: Wire<'session.resume'>): void {
  setting(on, { how: 'resumed', native: data.sessionId ?? on.session.native }, data)
}

function setting({ pen }: Reader, start: Payload<'session.start'>, { selectedModel, context }: Wire<'session.resume'>['data']): void {
  pen.emit('session.start', { program, ...start, model: selectedModel ?? undefined, cwd: context?.cwd ?? undefined })
}

// ── end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The stream is over, or another session begins: a turn that is visibly over ends well, the rest is left to the pen. */
export function closeSession(on: Reader): void {
  const { session, pen } = on
  pen.common({ at: pen.lastAtOf(session.key), session: session.key })
  if (pen.openTurns() === 0) return
  const { stopped, fault, finish } = session.turn
  const over = !session.live && session.messages.size === 0 && finish !== undefined && finish !== 'tool_use'
  if (over || stopped !== undefined || fault !== undefined) leaveTurn(on, 'implied')
}

type End = Omit<Payload<'session.end'>, 'reason'> & {
  apiMs: number | undefined
  failed: Fault | 'exit' | undefined
  byModel?: Shares | undefined
}

function endSession(on: Reader, { apiMs, failed, byModel, ...end }: End): void {
  const { session, pen } = on
  const before = session.spent
  const told = before === undefined && byModel?.length ? byModel : undefined // else some of it is that of other turns
  leaveTurn(on, 'implied', apiMs, end.usage === undefined ? undefined : usageSince(end.usage, before), told)
  const { lastReason = 'end_turn', lastError } = session
  const reason = failed !== undefined && outcomeOf(lastReason) === 'ok' ? 'error' : lastReason
  const error = typeof failed === 'object' ? failed : outcomeOf(reason) === 'ok' ? undefined : lastError
  pen.emit('session.end', { ...end, reason, error })
}

export function result(on: Reader, { sessionId: native, exitCode, usage }: Wire<'result'>): void {
  endSession(on, {
    native,
    exitCode: Number.isSafeInteger(exitCode) ? (exitCode as number) : undefined,
    durationMs: usage?.sessionDurationMs ?? undefined,
    files: usage?.codeChanges?.filesModified ?? undefined,
    apiMs: usage?.totalApiDurationMs ?? undefined,
    failed: exitCode ? 'exit' : undefined,
  })
}

export function shutdown(on: Reader, { data }: Wire<'session.shutdown'>): void {
  const { shutdownType, errorReason, sessionStartTime: started, modelMetrics } = data
  const byModel = Object.entries(modelMetrics ?? {}).flatMap(([model, { usage }]) => (usage ? [{ model, usage: usageOf(usage) }] : []))
  endSession(on, {
    native: on.session.native,
    usage: byModel.reduce<Usage | undefined>((all, { usage }) => addUsage(all, usage), undefined),
    byModel,
    durationMs: on.at !== undefined && nat(started) !== undefined && on.at >= started! ? on.at - started! : undefined,
    files: data.codeChanges?.filesModified ?? undefined,
    apiMs: data.totalApiDurationMs ?? undefined,
    failed: shutdownType === 'error' ? faultFrom(errorReason ?? 'the session was shut down by an error', {}) : undefined,
  })
}
