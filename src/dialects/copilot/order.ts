// The order of Copilot's records. A run's stdout ends with `result`, a session file with `session.shutdown`, after which it may go
// on when the session is resumed. Output of background commands may come at any time, so only starts and ends are judged.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Order, Report } from '../contract.ts'
import type { Wire } from './wire.ts'

export const rules = {
  'missing-end': 'A run ends with result, a session file with session.shutdown.',
  'end-last': 'After result or session.shutdown only another run, or the same session resumed, may follow.',
  'end-once': 'A session ends once.',
  'start-first': 'session.start is the first record of its file.',
  'model-call': 'Each assistant.turn_start is followed by its assistant.turn_end before the next one of the same agent.',
  'call-pair': 'A call is started by tool.execution_start and then completed by one tool.execution_complete.',
  'open-call': 'A call is completed before its session ends.',
  'request-pair': 'A permission.requested is answered by one permission.completed.',
  'subagent-pair': 'A subagent ends after its subagent.started, once.',
} as const

type Code = keyof typeof rules
type Breaks = (code: Code, text: string, severity?: 'error' | 'warn') => void

/** What a record must have for its order to be judged. */
type Envelope = { agentId?: string | null | undefined; timestamp?: string | undefined; ephemeral?: unknown; data: Rec }

const createSession = () => ({
  native: undefined as string | undefined,
  /** Records came that no file has. */
  live: false,
  records: 0,
  /** Per agent, the model call that is open. */
  modelCalls: new Map<string, string>(),
  /** What is open, by id. */
  calls: new Set<string>(),
  requests: new Set<string>(),
  subagents: new Set<string>(),
  ended: undefined as string | undefined,
  strayed: false,
})
type Session = ReturnType<typeof createSession>

export function order(): Order {
  let session: Session | undefined
  let count = 0
  let timestamp: string | undefined
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })

  function begin(): Session {
    count++
    return (session = createSession())
  }

  /** The session that the record belongs to; undefined when it stands after the end and begins nothing. */
  function sessionOf(tag: string): Session | undefined {
    if (session === undefined) return begin()
    const { ended } = session
    if (ended === undefined) return session
    if (tag === ended) {
      breaks('end-once', `a second ${tag}`)
      return undefined
    }
    if (opens.has(tag) || tag.startsWith('session.')) return begin()
    if (!session.strayed) breaks('end-last', `${tag} after ${ended}`)
    session.strayed = true
    return undefined
  }

  function end(open: Session, tag: string): void {
    if (open.calls.size > 0) breaks('open-call', `${tag} with open calls: ${listed(open.calls)}`, 'warn')
    session = { ...createSession(), ended: tag, native: open.native }
  }

  return {
    push(record: Rec, tag, report) {
      tell = report
      const envelope = record as Envelope // of known type and right shape
      timestamp = envelope.timestamp ?? timestamp
      const open = sessionOf(tag)
      if (open === undefined) return
      open.records++
      if (envelope.ephemeral === true) open.live = true
      if (tag === 'result') open.native = (record as Wire<'result'>).sessionId
      if (tag === 'result' || tag === 'session.shutdown') end(open, tag)
      else judge(open, envelope, tag, breaks)
    },
    end(report) {
      tell = report
      if (session === undefined || session.ended !== undefined) return
      const lacks = session.live ? 'no result' : 'no session.shutdown'
      breaks('missing-end', session.calls.size === 0 ? lacks : `${lacks}, with open calls: ${listed(session.calls)}`)
    },
    missing(next, tag) {
      if (session === undefined || session.ended !== undefined) return []
      if (next !== undefined) return tag === 'result' || tag === 'session.shutdown' ? closing(session, timestamp) : []
      const sessionId = session.native ?? `session-${count}`
      return [
        ...closing(session, timestamp),
        session.live
          ? { type: 'result', timestamp, sessionId, exitCode: 1 }
          : { type: 'session.shutdown', timestamp, data: { shutdownType: 'error', errorReason: 'the file was cut' } },
      ]
    },
  }
}

/** What may begin a run when no session.start or other word about the session stands first. */
const opens: ReadonlySet<string> = new Set(['user.message', '*'])

// ── one session ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function judge(session: Session, { agentId, data }: Envelope, tag: string, breaks: Breaks): void {
  const agent = agentId || text(data['parentToolCallId'])
  const call = text(data['toolCallId'])
  const request = text(data['requestId'])
  switch (tag) {
    case 'session.start':
      if (session.records > 1 && session.native !== undefined) breaks('start-first', 'a second session.start')
      session.native = text(data['sessionId'])
      return
    case 'assistant.turn_start':
    case 'assistant.turn_end':
      return modelCall(session, agent, tag, text(data['turnId']), breaks)
    case 'tool.execution_start':
      if (session.calls.has(call)) breaks('call-pair', `a second tool.execution_start for ${quoted(call)}, which is running`)
      return void session.calls.add(call)
    case 'tool.execution_complete':
      if (!session.calls.delete(call)) breaks('call-pair', `tool.execution_complete for ${quoted(call)}, which is not running`)
      return
    case 'permission.requested':
      if (session.requests.has(request)) breaks('request-pair', `permission ${quoted(request)} is asked for twice`)
      return void session.requests.add(request)
    case 'permission.completed':
      if (!session.requests.delete(request)) breaks('request-pair', `permission ${quoted(request)} is answered, but is not open`)
      return
    case 'subagent.started':
      return void session.subagents.add(agentId || call)
    case 'subagent.completed':
    case 'subagent.failed':
      if (!session.subagents.delete(agentId || call))
        breaks('subagent-pair', `subagent ${quoted(agentId || call)} ends, but is not running`)
  }
}

/** Older versions do not say that a model call is a subagent's: while one runs, the main agent's are not judged. */
function modelCall(session: Session, agent: string, tag: string, turn: string, breaks: Breaks): void {
  const open = session.modelCalls.get(agent)
  if (tag === 'assistant.turn_start') session.modelCalls.set(agent, turn)
  else session.modelCalls.delete(agent)
  if (agent === '' && session.subagents.size > 0) return
  if (tag === 'assistant.turn_start') {
    if (open !== undefined) breaks('model-call', `model call ${quoted(turn)} starts inside ${quoted(open)}`)
  } else if (open === undefined) breaks('model-call', `model call ${quoted(turn)} ends, but did not start`)
  else if (open !== turn) breaks('model-call', `model call ${quoted(turn)} ends inside ${quoted(open)}`)
}

/** Ends of the calls that are still open, as they must stand before the session's. */
const closing = ({ calls }: Session, timestamp: string | undefined): Rec[] =>
  [...calls].map((toolCallId) => ({
    type: 'tool.execution_complete',
    timestamp,
    data: { toolCallId, success: false, error: { message: 'the call was not completed', code: 'failure' } },
  }))

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const listed = (ids: ReadonlySet<string>): string =>
  [...ids]
    .slice(0, 8)
    .map((id) => quoted(id))
    .join(', ')
