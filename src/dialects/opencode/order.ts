// The order of opencode's records, session by session; a subagent's session is judged like any other.
// The surprise: a run has no end record, so its last words must be ones that can be the last. And whoever connects to a server
// may come in the middle, so what was never seen to begin is not missed.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Order, Report } from '../contract.ts'
import { createForgetter } from '../forget.ts'
import { createCourse, endOf, failed, goesOn, stepFinished, stepStarted } from './course.ts'
import { faultOfError, finishOf, isRefused } from './decode-fields.ts'
import { makeRoom } from './decode-state.ts'
import { partOfRun, partOfServer } from './tag.ts'
import type { PartOf, PartType, Properties, Wire } from './wire.ts'

export const rules = {
  'step-pair': 'A step that has started finishes before the step of another message starts, unless an error comes between.',
  'in-step': 'Text and reasoning of the model belong to the message whose step has started last.',
  'part-open': 'A delta adds to a part that was told before and has not ended.',
  'call-order': 'A call is pending, then running, then completed or error, and stays so; a run tells it once, when it has ended.',
  'ask-pair': 'A question is asked once, and an answer names a question that is open.',
  'retry-count': 'Retries count from 1, one by one.',
  'missing-end': 'A run ends with a last step, an error or a refused permission; a busy session becomes idle, and all its calls end.',
} as const

type Call = { rank: number; part: PartOf<'tool'> }
type Session = ReturnType<typeof createSession>

const mostSessions = 4096

const createSession = (id: string | undefined) => ({
  id,
  run: false,
  busy: false,
  course: createCourse(),
  /** The message whose step is open, and the one whose step has started last. */
  step: undefined as string | undefined,
  begun: undefined as string | undefined,
  userMessages: new Set<string>(),
  /** Parts of the message; true while they may grow. */
  parts: new Map<string, boolean>(),
  calls: new Map<string, Call>(),
  asked: new Set<string>(),
  attempt: 0,
})

export function order(): Order {
  const sessions = new Map<string | undefined, Session>()
  const forgetOne = createForgetter(sessions, ({ busy, run }) => !busy && !run)
  let at: number | undefined
  let tell: Report // of the record that is being judged
  const breaks = (code: keyof typeof rules, text: string): void => tell({ code, severity: 'error', text })

  function sessionOf(id: string | undefined): Session {
    let session = sessions.get(id)
    if (session !== undefined) return session
    if (sessions.size >= mostSessions) forgetOne()
    sessions.set(id, (session = createSession(id)))
    return session
  }

  // ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function stepStart(session: Session, message = ''): void {
    const { step } = session
    if (step !== undefined && step !== message) breaks('step-pair', `the step of ${quoted(message)} starts inside that of ${quoted(step)}`)
    if (message !== session.begun) {
      session.parts.clear()
      for (const [id, { rank }] of session.calls) if (rank === ended) session.calls.delete(id)
    }
    session.step = session.begun = message
    session.busy = !session.run
    stepStarted(session.course)
  }

  function stepFinish(session: Session, { messageID: message = '', reason }: PartOf<'step-finish'>): void {
    const seen = session.begun !== undefined || session.run
    if (seen && session.step !== message) breaks('step-pair', `a step of ${quoted(message)} finishes and has not started`)
    session.step = undefined
    stepFinished(session.course, finishOf(reason))
  }

  function spoken(session: Session, { id, messageID: message, synthetic, time }: PartOf<'text'>, tag: string): void {
    if (synthetic === true && session.run) return goesOn(session.course)
    if (message === undefined || synthetic === true || session.userMessages.has(message)) return
    const seen = session.begun !== undefined || session.run
    if (seen && session.begun !== message) breaks('in-step', `${tag} of ${quoted(message)}, whose step has not started`)
    if (id === undefined || session.run) return
    makeRoom(session.parts)
    session.parts.set(id, typeof time?.end !== 'number')
  }

  function tool(session: Session, part: PartOf<'tool'>): void {
    const { status, time } = part.state
    const id = part.callID ?? part.id ?? ''
    const rank = ranks[status]
    const before = session.calls.get(id)?.rank ?? 0
    if (isRefused(part)) session.course.refused = true
    if (before === ended && (time?.compacted ?? undefined) !== undefined) return
    if (before === ended) breaks('call-order', `call ${quoted(id)} is ${status} and was over`)
    else if (rank < before) breaks('call-order', `call ${quoted(id)} is ${status} and was running`)
    else if (session.run && rank !== ended) breaks('call-order', `call ${quoted(id)} is ${status} in a run`)
    makeRoom(session.calls)
    session.calls.set(id, { rank, part: { ...part, state: { status: 'error' } } })
  }

  function part(session: Session, type: PartType, told: object, tag: string): void {
    if (type === 'step-start') stepStart(session, (told as PartOf<'step-start'>).messageID)
    else if (type === 'step-finish') stepFinish(session, told as PartOf<'step-finish'>)
    else if (type === 'text' || type === 'reasoning') spoken(session, told as PartOf<'text'>, tag)
    else if (type === 'tool') tool(session, told as PartOf<'tool'>)
  }

  function delta({ begun, parts }: Session, { partID, messageID, field }: Properties<'message.part.delta'>): void {
    const isOpen = parts.get(partID)
    if (isOpen === true || field !== 'text') return
    if (isOpen === false) breaks('part-open', `a delta for ${quoted(partID)}, which has ended`)
    else if (messageID !== undefined && messageID === begun) breaks('part-open', `a delta for ${quoted(partID)}, which was not told`)
  }

  // ── sessions ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function fail(session: Session, error: unknown): void {
    session.step = undefined
    failed(session.course, faultOfError(error))
  }

  function status(session: Session, { type, attempt }: Properties<'session.status'>['status']): void {
    if (type === 'idle') return rest(session)
    session.busy = true
    if (type !== 'retry' || typeof attempt !== 'number') return
    if (attempt !== 1 && attempt !== session.attempt + 1) breaks('retry-count', `attempt ${attempt} after ${session.attempt || 'none'}`)
    session.attempt = attempt
  }

  function rest(session: Session): void {
    session.busy = false
    session.step = undefined
    session.attempt = 0
  }

  function message(session: Session, { id, role, time }: Properties<'message.updated'>['info']): void {
    if (role !== 'assistant') {
      makeRoom(session.userMessages)
      session.userMessages.add(id)
    } else if (session.step === id && typeof time?.completed === 'number') session.step = undefined
  }

  function ask({ asked }: Session, id: string): void {
    if (asked.has(id)) breaks('ask-pair', `${quoted(id)} is asked again while it is open`)
    makeRoom(asked)
    asked.add(id)
  }

  function answer({ asked }: Session, id: string | undefined): void {
    if (id === undefined || !asked.delete(id)) breaks('ask-pair', `an answer to ${quoted(id ?? '')}, which is not open`)
  }

  function serve(record: Rec, tag: string): void {
    const told = record['properties'] as Properties<'message.part.updated/text'> & Partial<Properties<'session.updated'>>
    if (typeof told.time === 'number') at = told.time
    const id = told.sessionID ?? told.part?.sessionID ?? (told.info as { sessionID?: string } | undefined)?.sessionID ?? told.info?.id
    if (id === undefined) return
    const session = sessionOf(id)
    const type = partOfServer(tag)
    if (type !== undefined) return part(session, type, told.part, tag)
    switch (tag) {
      case 'message.part.delta':
        return delta(session, (record as Wire<typeof tag>).properties)
      case 'message.updated':
        return message(session, (record as Wire<typeof tag>).properties.info)
      case 'session.status':
        return status(session, (record as Wire<typeof tag>).properties.status)
      case 'session.idle':
        return rest(session)
      case 'session.deleted':
        return void sessions.delete(id)
      case 'session.error':
        return fail(session, (record as Wire<typeof tag>).properties.error)
      case 'permission.asked':
      case 'permission.updated':
      case 'question.asked':
        return ask(session, (record as Wire<typeof tag>).properties.id)
      case 'question.replied':
      case 'question.rejected':
        return answer(session, (record as Wire<typeof tag>).properties.requestID)
      case 'permission.replied': {
        const { requestID, permissionID } = (record as Wire<typeof tag>).properties
        return answer(session, requestID ?? permissionID)
      }
    }
  }

  function run(record: Rec, tag: string): void {
    const { sessionID, timestamp } = record as Wire<'text'>
    if (timestamp !== undefined) at = timestamp
    const session = sessionOf(sessionID)
    session.run = true
    const type = partOfRun(tag)
    if (type === undefined) fail(session, (record as Wire<'error'>).error)
    else part(session, type, (record as Wire<'text'>).part, tag)
  }

  return {
    push(record, tag, report) {
      tell = report
      if (tag.includes('.')) serve(record, tag)
      else run(record, tag)
    },
    end(report) {
      tell = report
      for (const session of sessions.values()) {
        const { id = '', run: isRun, course, busy } = session
        const open = openCalls(session)
        if (isRun && endOf(course) === undefined) breaks('missing-end', `the run of ${quoted(id)} ends in the middle`)
        else if (!isRun && busy)
          breaks('missing-end', `${quoted(id)} does not become idle${open.length === 0 ? '' : `, with ${named(open)}`}`)
        else if (!isRun && open.length > 0) breaks('missing-end', `${quoted(id)} is idle with ${named(open)}`)
      }
    },
    missing(next) {
      if (next !== undefined) return []
      return [...sessions.values()].toReversed().flatMap((session) => (session.run ? runEnd(session, at) : serverEnd(session, at)))
    },
  }
}

// ── what a stream that was cut lacks ─────────────────────────────────────────────────────────────────────────────────────

const aborted = 'Tool execution aborted' // in the program's own words, so that the call counts as cancelled

const runEnd = ({ id: sessionID, course }: Session, timestamp: number | undefined): Rec[] =>
  endOf(course) !== undefined
    ? []
    : [{ type: 'error', timestamp, sessionID, error: { name: 'UnknownError', data: { message: 'the stream ended early' } } }]

function serverEnd(session: Session, time: number | undefined): Rec[] {
  const { id: sessionID, busy } = session
  const calls = openCalls(session).map(([, { part }]) => {
    const state = { status: 'error', error: aborted, time: { end: time } }
    return { type: 'message.part.updated', properties: { sessionID, part: { ...part, state }, time } }
  })
  const idle = [
    { type: 'session.status', properties: { sessionID, status: { type: 'idle' } } },
    { type: 'session.idle', properties: { sessionID } },
  ]
  return busy ? [...calls, ...idle] : calls
}

const ended = 2
const ranks = { pending: 0, running: 1, completed: ended, error: ended } as const

const openCalls = ({ calls, run }: Session): [string, Call][] => (run ? [] : [...calls].filter(([, { rank }]) => rank !== ended))
const named = (calls: [string, Call][]): string =>
  `open calls: ${calls
    .slice(0, 8)
    .map(([id]) => quoted(id))
    .join(', ')}`
