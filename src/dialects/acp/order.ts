// The order of the protocol: requests and their answers, per connection, and what a session may be told. The surprise: a stream may
// hold one side alone. Then there is no request to an answer, and only what that side can know is judged.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Order, Report } from '../contract.ts'
import { isResponse, messageOf, otherSide, sessionIn, type Side, sideOf } from './message.ts'
import { closing, introducing, type Frame } from './order-repair.ts'
import { type Breaks, createSessions } from './order-session.ts'
import { createRequests, type Requests } from './requests.ts'
import { at, str } from './words.ts'
import type { Message, Tool } from './wire.ts'

export const rules = {
  'init-first': 'The first request of a host is initialize.',
  'unknown-request': 'A response answers a request that is open, once.',
  'id-reuse': 'A request has an id of its own as long as it is open.',
  'missing-end': 'Every session/prompt gets its response.',
  'one-prompt': 'A session answers one session/prompt at a time, unless the agent says that it queues them.',
  'unknown-session': 'A host names sessions that the agent has named before.',
  'call-first':
    'A tool_call, or the question whether it may run, stands before its updates; one that failed at once may be told by its end alone.',
  'end-once': 'A call is completed or failed once.',
  'known-option': 'The chosen optionId is one of the options that were offered.',
  'cancel-answer': 'After session/cancel, questions that are open are answered with the outcome cancelled.',
} as const

/** `id` as it stood on the wire; `options` of a question. */
type Asked = { method: string; id: unknown; session: string | undefined; options: readonly string[] | undefined }

/** What a host comes by a session with. */
const opens = /^session\/(new|load|resume|fork)$/

/** An id may be a number past 2^53, which is kept as an object that is no text. */
const spelled = (id: unknown): string => quoted(typeof id === 'string' ? id : JSON.stringify(id ?? null))

export function order(): Order {
  const requests: Requests<Asked> = createRequests<Asked>()
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })
  const sessions = createSessions(breaks)
  let frame: Frame // how the last record was written
  let begun: 'not' | 'seen' | 'amid' = 'not'
  let queues = false
  let isAsked = false // a prompt of the host is heard, or how it came by a session

  /** A log of sluice gives back the agent's side, and of a host only what it has no word for: then answers to prompts have no requests. */
  const isMissed = (): boolean => requests.isHeard('host') && requests.isHeard('agent') && (isAsked || !sessions.isSpoken())

  /** Prompts without an answer: by their requests, or, where the agent alone is heard, by what it said since. */
  function openPrompts(): { id: unknown; session: string | undefined }[] {
    if (!requests.isHeard('agent')) return []
    const asked = [...requests.of('host').values()].filter(({ method }) => method === 'session/prompt')
    return requests.isHeard('host') ? asked : sessions.talking().map((session) => ({ id: null, session }))
  }

  function unanswered(): void {
    for (const { id, session } of openPrompts())
      breaks('missing-end', `no answer to session/prompt${id === null ? '' : ` ${spelled(id)}`} of ${quoted(session)}`)
  }

  // ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  function ask(message: Message, tag: string, side: Side | undefined): void {
    const { id } = message
    const params = message.params ?? {}
    const session = str(params['sessionId'])
    if (side === 'host') {
      if (!requests.isHeard('host')) sessions.hush()
      begin(tag, id !== undefined)
      if (session !== undefined) nameSession(session, tag)
    }
    if (side !== undefined) requests.hear(side)
    if (id === undefined) return
    const options = tag === 'session/request_permission' ? (params['options'] as Rec[]).map(({ optionId }) => String(optionId)) : undefined
    if (tag === 'session/prompt') isAsked = true
    if (tag === 'session/prompt' && !queues && openPrompts().some((open) => open.session === session))
      breaks('one-prompt', `session/prompt ${spelled(id)} while another one of ${quoted(session)} is open`, 'warn')
    const isNew = requests.add(side, id, { method: tag, id, session, options })
    if (!isNew && side !== undefined && requests.isHeard(otherSide(side)))
      breaks('id-reuse', `${tag} with id ${spelled(id)}, which is open`)
  }

  /** Another initialize is another connection. */
  function begin(tag: string, isRequest: boolean): void {
    if (tag === 'initialize') {
      unanswered()
      requests.clear()
      begun = 'seen'
    } else if (begun === 'not' && isRequest) {
      breaks('init-first', `${tag} before initialize`)
      begun = 'amid'
    }
  }

  function nameSession(session: string, tag: string): void {
    if (/^session\/(load|resume|fork|delete)$/.test(tag)) sessions.know(session) // of an earlier connection
    else if (begun === 'seen' && requests.isHeard('agent') && !sessions.isKnown(session))
      breaks('unknown-session', `${tag} of ${quoted(session)}, which the agent has not named`)
    if (tag === 'session/cancel') sessions.cancel(session)
  }

  // ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function answer(message: Message, tag: string, side: Side | undefined): void {
    const { id, result } = message
    const { request } = requests.take(side, id, tag)
    if (tag === 'result/initialize') queues = at(at(at(at(result, 'agentCapabilities'), '_meta'), 'claudeCode'), 'promptQueueing') === true
    if (tag === 'result/session') sessions.know(str(at(result, 'sessionId')))
    const listed = at(result, 'sessions')
    if (Array.isArray(listed)) for (const entry of listed) sessions.know(str(at(entry, 'sessionId')))
    if (request === undefined) {
      if (isMissed()) breaks('unknown-request', `a response to ${spelled(id)}, which is not open`)
      else if (tag === 'result/prompt' || tag === 'error' || tag === 'result/session') sessions.listen(sessionIn(message as Rec))
      return
    }
    if (tag === 'result/session' && opens.test(request.method)) isAsked = true
    if (request.method === 'session/prompt') sessions.end(request.session)
    else if (tag === 'result/permission') choose(request, at(result, 'outcome'))
  }

  function choose({ session, options = [] }: Asked, outcome: unknown): void {
    const option = str(at(outcome, 'optionId'))
    if (at(outcome, 'outcome') !== 'selected') return
    if (option === undefined || !options.includes(option)) breaks('known-option', `option ${quoted(option)} was not offered`)
    else if (sessions.isCancelled(session)) breaks('cancel-answer', `option ${quoted(option)} after session/cancel`, 'warn')
  }

  return {
    push(record: Rec, tag, report) {
      tell = report
      const message = messageOf(record) as Message // of known type and right shape
      frame = { isTraffic: record !== (message as Rec), t: record['t'] }
      if (tag.startsWith('session/update')) {
        requests.hear('agent')
        return sessions.update(message.params as { sessionId: string; update: Rec }, tag, !requests.isHeard('host'))
      }
      const side = sideOf(record, tag)
      if (isResponse(tag)) return answer(message, tag, side)
      ask(message, tag, side)
      if (tag === 'session/request_permission')
        sessions.question(message.params as { sessionId: string; toolCall: Tool }, !requests.isHeard('host'))
    },
    end(report) {
      tell = report
      unanswered()
    },
    missing(next, tag) {
      if (next === undefined || tag === 'initialize') return openPrompts().map((open) => closing(open, frame))
      if (tag !== 'session/update/tool_call_update') return []
      const { sessionId, update } = messageOf(next)['params'] as { sessionId: string; update: Tool }
      return update.status === 'failed' || sessions.hasCall(sessionId, update.toolCallId) ? [] : [introducing(sessionId, update, next)]
    },
  }
}
