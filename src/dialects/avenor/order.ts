// The order of Avenor's log, per session and per run; a user's own events may stand anywhere.
// The surprise: an ended session may begin again (a retry, the next phase, a new prompt), so only what follows its end without
// such an occasion is wrong. Where the program itself is known to break a rule, the finding is a warning.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { isRepair, type Order, type Report } from '../contract.ts'
import { answer, answering, ask, lacksRequest, type Request, requestOf, unanswered } from './order-ask.ts'
import { judgeClaude, judgeKeys, keyRules } from './order-keys.ts'
import { createLoopOrder } from './order-loop.ts'
import { judgeWords, wordRules } from './order-words.ts'
import type { AnyWire, Wire } from './wire.ts'
import { degenerate } from './words.ts'

export const rules = {
  'status-first': 'A status that Avenor adds stands right before the event that caused it; done stands right before session.end.',
  'end-last': 'session.end is the last event of its session; only a retry, a phase, a prompt or a session.start begins it again.',
  'end-once': 'A session has one session.end.',
  'missing-end': 'Every session ends with session.end, every loop with avenor.loop.end.',
  'call-first': 'A tool.call stands before its updates.',
  'call-once': 'A tool.call opens its call once, with status pending.',
  'update-once': 'A call is completed or failed once.',
  'open-call': 'A call is completed or failed before its session ends.',
  'request-first': 'A permission.request with a request_id stands before its permission.response.',
  'known-option': 'The chosen option_id is one of the options that were offered.',
  'one-request': 'One permission.request is pending at a time in a session.',
  'loop-first': 'avenor.loop.start stands before the phases of its run, once.',
  'phase-pairs': 'Phases do not overlap: avenor.phase.end names the phase and iteration of the avenor.phase.start before it.',
  'loop-last': 'avenor.loop.end is the last event of its run.',
  'loop-count': 'No iteration is beyond max_iterations, and none is completed that did not begin.',
  'loop-marker': 'The label of a marker stands beside its marker; exit_label only with exit_reason exit or abort.',
  'retry-count': 'Retries count from 1, one by one, up to max_retries; within a phase they do not begin anew.',
  'degenerate-end':
    'An error about a degenerate stream is followed at once by session.end with the same stop_reason; such an end has its error.',
  'finish-first': 'agent.finish stands before session.end.',
  'waiting-asks': 'Waiting means that a permission.request is open or comes next, or that a call is open, which may ask for a choice.',
  'answer-kind': 'The kind of a permission.response is that of the option it chose.',
  'request-answered': 'A permission.request is answered before its session ends well.',
  ...keyRules,
  ...wordRules,
} as const

export type Breaks = (code: keyof typeof rules, text: string, severity?: 'error' | 'warn') => void

type Promised = { next: string; code: 'status-first' | 'degenerate-end' | 'waiting-asks'; text: string; severity: 'error' | 'warn' }
/** The word of a call's `kind` while it is open ('' when it has none), false when it is over. */
type Call = string | false
export type Session = ReturnType<typeof createSession>

const mostPast = 4096
const mostCalls = 4096

const createSession = (id: string | undefined) => ({
  id,
  run: undefined as string | undefined,
  backend: undefined as string | undefined,
  last: '',
  calls: new Map<string, Call>(),
  request: undefined as Request | undefined,
  /** The request that was answered last. */
  answered: undefined as string | undefined,
  /** Waiting was told within a call and no question: a choice, which Avenor does not tell. */
  isChoosing: false,
  /** What the next event must be. */
  promised: undefined as Promised | undefined,
  stopReason: undefined as string | undefined,
  /** The error about a degenerate stream was told. */
  isDegenerate: false,
  // After its end: the occasions to begin again that had come by then, and whether something has followed.
  ended: undefined as string | undefined,
  occasion: 0,
  strayed: false,
})

export function order(): Order {
  const sessions = new Map<string | undefined, Session>()
  const loops = createLoopOrder()
  let recent: Session | undefined
  let occasion = 0
  let ts: number | undefined
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })

  function sessionOf(id: string | undefined): Session {
    if (recent !== undefined && recent.id === id) return recent
    recent = sessions.get(id)
    if (recent === undefined) sessions.set(id, (recent = createSession(id)))
    return recent
  }

  function renew(id: string | undefined): Session {
    sessions.set(id, (recent = createSession(id)))
    return recent
  }

  const mayBeginAgain = (session: Session, tag: string): boolean => beginsAgain.has(tag) || session.occasion !== occasion

  /** The record stands after its session's end and does not begin it again. */
  function stray(session: Session, tag: string): void {
    const severity = session.ended === 'cancelled' ? 'warn' : 'error' // an interrupted session goes on without a word
    if (tag === 'session.end') {
      if (!session.strayed) breaks('end-once', `a second session.end${inSession(session.id)}`)
      session.strayed = false
    } else if (tag === 'agent.finish') breaks('finish-first', `agent.finish after session.end${inSession(session.id)}`, 'warn')
    else if (!session.strayed) {
      session.strayed = true
      breaks('end-last', `${tag} after session.end${inSession(session.id)}`, severity)
    }
  }

  function end(session: Session, record: Wire<'session.end'>): void {
    const { stop_reason: reason } = record
    const open = openOf(session)
    if (open.length > 0) breaks('open-call', `session.end with open calls: ${listed(open)}`, 'warn')
    if (session.stopReason !== undefined && reason !== session.stopReason)
      breaks('degenerate-end', `session.end says ${quoted(reason)}, the error before it ${quoted(session.stopReason)}`)
    if (lacksError(session, record)) breaks('degenerate-end', `session.end says ${quoted(reason)}, and no avenor.error tells of it`)
    const request = unanswered(session, record)
    if (request !== undefined)
      breaks('request-answered', `session.end says ${quoted(reason)}, and permission.request ${quoted(request.id)} has no response`)
    session.ended = reason
    session.occasion = isRepair(record) ? -1 : occasion // what was taken for missing may come yet, in the wrong place
    session.calls = noCalls
    session.request = session.promised = session.stopReason = undefined
    if (sessions.size > mostPast) for (const [id, past] of sessions) if (past.ended !== undefined) return void sessions.delete(id)
  }

  /** Nine records in ten: a chunk of a session that is open and has promised nothing. */
  function goesOn({ session_id: id, ts: time }: AnyWire): boolean {
    if (recent === undefined || recent.id !== id || recent.ended !== undefined || recent.promised !== undefined || loops.anyOver())
      return false
    recent.last = ''
    if (time !== undefined) ts = time
    return true
  }

  function push(record: AnyWire): void {
    const tag = record.event
    if (record.ts !== undefined) ts = record.ts
    judgeWords(record, breaks)
    judgeKeys(record, breaks)
    if (loops.push(record, breaks)) {
      if (tag === 'avenor.phase.start' || tag === 'avenor.retry') occasion++
      return
    }
    if (record.session_id === undefined && outside.has(tag) && !sessions.has(undefined)) return
    let session = sessionOf(record.session_id)
    if (session.ended !== undefined) {
      if (!mayBeginAgain(session, tag)) return stray(session, tag)
      session = renew(session.id)
    }
    if (session.promised !== undefined && tag !== 'agent.status') {
      if ('synthetic' in record) session.promised = undefined // what a repair adds keeps no promise
      else keep(session, tag, breaks)
    }
    if (record.run_id !== undefined) session.run = record.run_id
    if (record.event === 'session.start') session.backend = record.backend
    if (session.backend === 'claude') judgeClaude(record, breaks)
    switch (record.event) {
      case 'agent.message_chunk':
      case 'agent.thought_chunk':
        break
      case 'agent.status':
        status(session, record)
        break
      case 'tool.call':
        call(session, record, breaks)
        break
      case 'tool.call_update':
        update(session, record, breaks)
        break
      case 'permission.request':
        ask(session, record, breaks)
        break
      case 'permission.response':
        answer(session, record, breaks)
        break
      case 'avenor.error':
        if (record.kind !== degenerate) break
        session.isDegenerate = true
        session.stopReason = record.stop_reason ?? degenerate
        session.promised = { next: 'session.end', code: 'degenerate-end', text: 'the error about a degenerate stream', severity: 'error' }
        break
      case 'session.end':
        end(session, record)
    }
    session.last = tag
  }

  /** What ends those sessions that are open. */
  const endsOf = (isMeant: (session: Session) => boolean, time: number | undefined): Rec[] =>
    [...sessions.values()]
      .filter((session) => session.ended === undefined && isMeant(session))
      .flatMap((session) => [...closing(session, time), ending(session, time)])

  return {
    push(record: Rec, tag, report) {
      if ((tag === 'agent.message_chunk' || tag === 'agent.thought_chunk') && goesOn(record as AnyWire)) return
      tell = report
      push(record as AnyWire) // of known type and right shape
    },
    end(report) {
      tell = report
      for (const session of sessions.values()) {
        if (session.ended !== undefined) continue
        const open = openOf(session)
        const text = `no session.end${inSession(session.id)}${open.length === 0 ? '' : `, with open calls: ${listed(open)}`}`
        breaks('missing-end', text)
      }
      loops.end(breaks)
    },
    missing(next, tag) {
      if (next !== undefined) {
        const record = next as AnyWire
        const { session_id, run_id } = record
        const session = sessions.get(session_id)
        if (record.event === 'tool.call_update' && session?.ended === undefined && session?.calls.has(record.toolCallId) !== true) {
          const { toolCallId, title, kind } = record
          return [
            {
              event: 'tool.call',
              session_id,
              run_id,
              toolCallId,
              title: title ?? undefined,
              kind: kind ?? undefined,
              status: 'pending',
              ts: record.ts,
            },
          ]
        }
        if (record.event === 'permission.response' && lacksRequest(session, record)) return [requestOf(record)]
        if (record.event === 'session.end') {
          const known = session ?? createSession(session_id)
          return [
            ...answering(known, record),
            ...closing(known, record.ts),
            ...(lacksError(known, record) ? [degenerateError(record)] : []),
          ]
        }
        const isLast = tag === 'avenor.loop.end' && run_id !== undefined // nothing of the run may follow
        return [...(isLast ? endsOf(({ run }) => run === run_id, record.ts) : []), ...loops.missing(record)]
      }
      return [...endsOf(() => true, ts), ...loops.missing(undefined, ts)]
    },
  }
}

// ── one session ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The event before said what would come. */
function keep(session: Session, tag: string, breaks: Breaks): void {
  const { next, code, text, severity } = session.promised!
  session.promised = undefined
  if (tag === next) return
  if (code === 'degenerate-end') session.stopReason = undefined
  else if (cutsIn.has(tag)) return // trouble may come between a status and its event
  breaks(code, `${text} is followed by ${tag}, not by ${next}`, severity)
}

function status(session: Session, { phase, source }: Wire<'agent.status'>): void {
  if (session.promised?.code === 'degenerate-end') return
  session.promised = undefined
  const isOwn = source === 'avenor'
  const text = `status ${quoted(phase)}`
  const wasChoosing = session.isChoosing
  session.isChoosing = phase === 'waiting' && session.request === undefined && [...session.calls.values()].some(isOpen)
  if (session.isChoosing) return
  if (phase === 'waiting' && session.request === undefined)
    session.promised = { next: 'permission.request', code: 'waiting-asks', text, severity: isOwn ? 'error' : 'warn' }
  else if (!isOwn) return
  else if (phase === 'done') session.promised = { next: 'session.end', code: 'status-first', text, severity: 'error' }
  else if (phase === 'thinking') session.promised = { next: 'agent.thought_chunk', code: 'status-first', text, severity: 'warn' }
  else if (phase === 'working' && session.last !== 'permission.response' && !wasChoosing)
    session.promised = { next: 'tool.call', code: 'status-first', text, severity: 'warn' }
}

function call(session: Session, { toolCallId: id, status: state, kind }: Wire<'tool.call'>, breaks: Breaks): void {
  if (isOpen(session.calls.get(id))) breaks('call-once', `a second tool.call for ${quoted(id)}, which is open`)
  if (state !== undefined && state !== null && state !== 'pending')
    breaks('call-once', `tool.call for ${quoted(id)} with status ${quoted(state)}`, 'warn')
  if (session.calls.size >= mostCalls) for (const [old, past] of session.calls) if (past === false && session.calls.delete(old)) break
  session.calls.delete(id)
  session.calls.set(id, state !== 'completed' && state !== 'failed' && (kind ?? ''))
}

function update(session: Session, { toolCallId: id, status: state, kind }: Wire<'tool.call_update'>, breaks: Breaks): void {
  const before = session.calls.get(id)
  if (before === undefined) breaks('call-first', `tool.call_update for ${quoted(id)}, which was not called`)
  else if (before === false) breaks('update-once', `tool.call_update for ${quoted(id)}, which is over`)
  session.calls.set(id, state !== 'completed' && state !== 'failed' && (before ?? kind ?? ''))
}

const isOpen = (call: Call | undefined): call is string => typeof call === 'string'
const openOf = ({ calls }: Session): string[] => [...calls].filter(([, call]) => isOpen(call)).map(([id]) => id)

/** Updates for the calls that are still open, as they must stand before session.end. */
const closing = ({ id: session_id, run: run_id, calls }: Session, ts: number | undefined): Rec[] =>
  [...calls].flatMap(([toolCallId, kind]) =>
    isOpen(kind) ? [{ event: 'tool.call_update', session_id, run_id, toolCallId, kind: kind || undefined, status: 'failed', ts }] : [],
  )

const lacksError = ({ isDegenerate, ended }: Session, { stop_reason: reason }: Wire<'session.end'>): boolean =>
  reason === degenerate && !isDegenerate && ended === undefined

const degenerateError = ({ session_id, run_id, stop_reason, ts }: Wire<'session.end'>): Rec => ({
  event: 'avenor.error',
  session_id,
  run_id,
  source: 'loop',
  message: 'degenerate reasoning stream',
  kind: degenerate,
  stop_reason,
  ts,
})

const ending = ({ id: session_id, run: run_id, stopReason }: Session, ts: number | undefined): Rec => ({
  event: 'session.end',
  session_id,
  run_id,
  stop_reason: stopReason ?? 'error',
  ts,
})

const cutsIn: ReadonlySet<string> = new Set(['session.end', 'avenor.error'])
const noCalls = new Map<string, Call>()
const beginsAgain: ReadonlySet<string> = new Set(['session.start', 'agent.prompt_queued', 'agent.prompt_submitted', 'user.message_chunk'])
/** Without a session these belong to a run or to the log as a whole. */
const outside: ReadonlySet<string> = new Set([
  'avenor.error',
  'agent.channel_ready',
  'agent.report',
  'agent.reply',
  'agent.finish',
  'avenor.compaction',
  'subscriber.lagged',
])

const inSession = (id: string | undefined): string => (id === undefined ? '' : ` of ${quoted(id)}`)
const listed = (ids: string[]): string =>
  ids
    .slice(0, 8)
    .map((id) => quoted(id))
    .join(', ')
