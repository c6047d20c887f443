// Questions and answers: may a call run, and forms that a person is to fill in. A question's id is that of its request: it may come again.
import { isRecord } from '../../base/json.ts'
import type { Option, Payload } from '../../model/event.ts'
import { codeText } from '../../model/fault.ts'
import type { Decision } from '../../model/vocabulary.ts'
import { enter, type Reader, type Request } from './decode-state.ts'
import { introduce } from './decode-tool.ts'
import { at, decisionOf, optionKindOf, str, toolOf } from './words.ts'
import type { Params, Result, WireError } from './wire.ts'

const idOf = (id: unknown): string => codeText(id) ?? JSON.stringify(id ?? null)

/** Nobody will answer this question any more. */
function withdraw(on: Reader, { id, method, session, agent, call }: Request): void {
  if (id === undefined) return
  enter(on, session)
  if (!on.pen.isAsked(id)) return
  if (on.pen.openTurns() === 0) on.pen.emit('turn.start', { trigger: 'unknown' }, { synthetic: 'implied' })
  const kind = method === 'elicitation/create' ? 'question.answer' : 'permission.answer'
  on.pen.emit(kind, { id, decision: 'withdrawn', by: 'unknown' }, { agent, call, synthetic: 'implied' })
}

/** The question that had this id before was never answered; it may be one of another session. */
function giveWay(on: Reader, wireId: unknown, request: Request): void {
  const open = on.requests.find('agent', wireId)
  if (open !== undefined) withdraw(on, open)
  withdraw(on, request)
}

/** A new connection: nobody waits for the answers of the old one. */
export function reconnect(on: Reader): void {
  for (const request of on.requests.of('agent').values()) withdraw(on, request)
  on.requests.clear()
  on.pen.common({ at: on.at })
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function permissionRequest(on: Reader, wireId: unknown, params: Params<'session/request_permission'>): void {
  const { session, agent: child } = enter(on, params.sessionId)
  const { toolCall: tool } = params
  const id = idOf(wireId)
  const method = 'session/request_permission'
  giveWay(on, wireId, { method, id, session: on.current })
  const call = introduce(on, session, tool, child)
  const known = session.calls.get(call)
  const agent = known?.agent ?? child
  const { name, toolKind } = known ?? toolOf(tool, on.program)
  const options = params.options.map(({ optionId, name: label, kind }): Option => ({
    id: optionId,
    kind: optionKindOf(kind, optionId),
    label,
  }))
  on.pen.emit('permission.request', { id, name, toolKind, input: tool.rawInput, question: str(tool.title), options }, { call, agent })
  if (known !== undefined) known.asked = id
  on.requests.add('agent', wireId, { method, id, session: on.current, agent, call, options })
}

/** An answer whose question was not seen implies the question. */
export function permissionAnswer(
  on: Reader,
  request: Request | undefined,
  wireId: unknown,
  { outcome }: Result<'result/permission'>,
): void {
  const id = idOf(wireId)
  if (request === undefined && !on.pen.isAsked(id)) on.pen.emit('permission.request', { id, options: [] }, { synthetic: 'implied' })
  const { optionId: option } = outcome
  const kind =
    option === undefined ? undefined : (request?.options?.find((known) => known.id === option)?.kind ?? optionKindOf(undefined, option))
  const allows = kind?.startsWith('allow') === true
  const decision: Decision = outcome.outcome !== 'selected' || kind === undefined ? 'cancelled' : allows ? 'allow' : 'reject'
  answer(on, request, {
    id,
    decision,
    option,
    scope: kind === undefined ? undefined : kind.endsWith('always') ? 'always' : 'once',
    by: 'host',
  })
}

function answer(on: Reader, request: Request | undefined, payload: Payload<'permission.answer'> & { id: string }): void {
  const call = request?.call === undefined ? undefined : on.sessions.get(on.current)?.calls.get(request.call)
  if (call !== undefined) call.permitted = payload.decision === 'allow'
  if (on.pen.isAsked(payload.id)) on.pen.emit('permission.answer', payload, { call: request?.call, agent: request?.agent })
  else on.pen.raw(on.tag, 'redundant')
}

// ── forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function elicitation(on: Reader, wireId: unknown, params: Params<'elicitation/create'>): void {
  const session = params.sessionId ?? on.current
  if (session === undefined) return on.pen.raw(on.tag, 'unmapped') // before there is a session
  const { agent } = enter(on, session)
  const id = idOf(wireId)
  const method = 'elicitation/create'
  giveWay(on, wireId, { method, id, session: on.current })
  const properties = at(params.requestedSchema, 'properties')
  const fields = Object.entries(isRecord(properties) ? properties : {})
  const questions = fields.map(([name, field]) => questionOf(name, field, fields.length === 1 ? params.message : undefined))
  if (questions.length === 0) questions.push({ text: params.message, options: [] })
  on.pen.emit('question.request', { id, questions }, { agent, call: str(params.toolCallId) })
  on.requests.add('agent', wireId, {
    method,
    id,
    session: on.current,
    agent,
    fields: new Map(fields.map(([name], index) => [name, questions[index]!.text])),
  })
}

type Question = Payload<'question.request'>['questions'][number]

/** One field of a form. `enum` holds bare words; `oneOf` and `anyOf` name them. */
function questionOf(name: string, field: unknown, message: string | undefined): Question {
  const items = at(field, 'items')
  const many = at(field, 'type') === 'array'
  const choices = [many ? items : field].flatMap((place) => ['enum', 'oneOf', 'anyOf'].flatMap((key) => at(place, key) ?? []))
  const options = choices.map((choice) => ({
    label: codeText(choice) ?? str(at(choice, 'title')) ?? codeText(at(choice, 'const')) ?? '',
    description: str(at(choice, 'description')),
  }))
  const label = str(at(field, 'title')) ?? str(at(field, 'description')) ?? name
  return { text: message ?? label, header: message === undefined ? undefined : label, options, many: many ? true : undefined }
}

export function elicitationAnswer(on: Reader, request: Request, wireId: unknown, { action, content }: Result<'result/elicitation'>): void {
  const filled = isRecord(content) ? Object.entries(content) : []
  const answers = Object.fromEntries(filled.map(([name, value]) => [request.fields?.get(name) ?? name, spell(value)]))
  answerForm(on, request, {
    id: idOf(wireId),
    decision: decisionOf(action),
    answers: filled.length === 0 ? undefined : answers,
    by: 'user',
  })
}

const spell = (value: unknown): string => (Array.isArray(value) ? value.map(spell).join(', ') : (codeText(value) ?? JSON.stringify(value)))

function answerForm(on: Reader, { agent }: Request, payload: Payload<'question.answer'>): void {
  if (on.pen.isAsked(payload.id) && on.pen.openTurns() > 0) on.pen.emit('question.answer', payload, { agent })
  else on.pen.raw(on.tag, 'redundant')
}

// ── no answer ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The host failed to answer, or the agent has taken the question back. */
export function unanswered(on: Reader, request: Request, wireId: unknown, decision: Decision, error?: WireError): void {
  const [id, by, text] = [idOf(wireId), decision === 'withdrawn' ? 'agent' : 'host', error?.message] as const
  if (request.method === 'elicitation/create') answerForm(on, request, { id, decision, by, text })
  else answer(on, request, { id, decision, by, text })
}
