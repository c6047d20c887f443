// The control channel, both directions. It names no session: a request belongs to the session of the call it is about, else
// to the one that spoke last. A recording of stdout alone never shows the answers; the course of the turn implies them.
import type { Payload, Place } from '../../model/event.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Decision } from '../../model/vocabulary.ts'
import { type Ask, most, put, type Reader, turnOf } from './decode-state.ts'
import { str } from './values.ts'
import type { Wire } from './wire.ts'

// ── what the agent asks ──────────────────────────────────────────────────────────────────────────────────────────────────

export function canUseTool(on: Reader, record: Wire<'control_request/can_use_tool'>): void {
  const { request, request_id: id } = record
  if (on.pen.isAsked(id)) return on.pen.raw(on.tag, 'redundant')
  const name = request.tool_name
  const call = request.tool_use_id ?? openCallNamed(on, name)
  const known = call === undefined ? undefined : on.session.calls.get(call)
  const agent = known?.lane ?? request.agent_id
  const place: Place = { call, agent, turn: known?.turn ?? (agent === undefined ? turnOf(on) : undefined) }
  const questions = name === 'AskUserQuestion' ? questionsIn(request.input) : undefined
  ask(on, id, { about: questions === undefined ? 'permission' : 'question', call, name, place })
  if (questions !== undefined) return on.pen.emit('question.request', { id, questions }, place)
  const suggestions = request.permission_suggestions ?? undefined
  on.pen.emit(
    'permission.request',
    {
      id,
      name,
      toolKind: toolKindOf(name),
      input: request.input,
      question: request.title ?? request.description,
      options: optionsFor(suggestions),
      suggestions,
      needsUser: request.requires_user_interaction,
      patterns: request.blocked_path === undefined ? undefined : [request.blocked_path],
    },
    place,
  )
}

function ask(on: Reader, id: string, question: Ask): void {
  put(on.session.asks, id, question, most.asks)
}

/** Old versions do not say which call they ask about. */
function openCallNamed({ session }: Reader, name: string): string | undefined {
  for (const [call, known] of session.calls) {
    if (known.name === name && ![...session.asks.values()].some((open) => open.call === call)) return call
  }
  return undefined
}

function optionsFor(suggestions: readonly unknown[] | undefined): Payload<'permission.request'>['options'] {
  const more = (suggestions ?? []).map((suggestion, index) => {
    const kind = isRecord(suggestion) && suggestion['destination'] === 'session' ? ('allow_session' as const) : ('allow_always' as const)
    return { id: `suggestion-${index + 1}`, kind }
  })
  return [
    { id: 'allow', kind: 'allow_once' },
    ...more,
    { id: 'deny', kind: 'reject_once', needsText: true },
    { id: 'interrupt', kind: 'cancel' },
  ]
}

function questionsIn(input: unknown): Payload<'question.request'>['questions'] | undefined {
  if (!isRecord(input) || !Array.isArray(input['questions'])) return undefined
  const questions: Payload<'question.request'>['questions'] = []
  for (const entry of input['questions'] as unknown[]) {
    if (!isRecord(entry) || typeof entry['question'] !== 'string') return undefined
    const options = Array.isArray(entry['options']) ? (entry['options'] as unknown[]) : []
    questions.push({
      text: entry['question'],
      header: str(entry['header']),
      options: options.filter(isRecord).map((option) => ({ label: str(option['label']) ?? '', description: str(option['description']) })),
      many: entry['multiSelect'] === true,
    })
  }
  return questions.length === 0 ? undefined : questions
}

export function hookCallback(on: Reader, record: Wire<'control_request/hook_callback'>): void {
  const { request, request_id: id } = record
  const event = (isRecord(request.input) ? str(request.input['hook_event_name']) : undefined) ?? ''
  const call = request.tool_use_id !== undefined && on.session.calls.has(request.tool_use_id) ? request.tool_use_id : undefined
  const place: Place = { call, agent: call === undefined ? undefined : on.session.calls.get(call)?.lane }
  ask(on, id, { about: 'hook', call, name: event, place })
  on.pen.emit('hook.start', { id, name: request.callback_id, event, needsAnswer: true }, place)
}

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function controlResponse(on: Reader, record: Wire<'control_response'>): void {
  const { request_id: id, subtype, response, error } = record.response
  const open = on.session.asks.get(id)
  const answer = isRecord(response) ? response : {}
  if (open === undefined) return on.pen.raw(on.tag, 'unmapped') // also a host's own words, recorded without the questions
  on.session.asks.delete(id)
  if (open.about === 'hook') return hookEnd(on, id, open, answer, subtype === 'error' ? (str(error) ?? '') : undefined)
  if (subtype === 'error') return decide(on, id, open, { decision: 'cancelled', text: str(error) })
  decide(on, id, open, answerOf(answer))
}

type Answer = {
  decision: Decision
  text?: string | undefined
  input?: unknown
  stop?: boolean | undefined
  scope?: 'once' | 'session' | 'always' | undefined
  option?: string | undefined
}

function answerOf(answer: Rec): Answer {
  if (answer['behavior'] !== 'allow') {
    const stop = answer['interrupt'] === true
    return {
      decision: 'reject',
      text: str(answer['message']),
      stop: stop ? true : undefined,
      option: stop ? 'interrupt' : 'deny',
    }
  }
  const updates: unknown = answer['updatedPermissions']
  const lasting = Array.isArray(updates) && updates.length > 0
  const scope = !lasting
    ? 'once'
    : (updates as unknown[]).every((update) => isRecord(update) && update['destination'] === 'session')
      ? 'session'
      : 'always'
  return { decision: 'allow', input: answer['updatedInput'], scope, option: lasting ? undefined : 'allow' }
}

function decide(
  on: Reader,
  id: string,
  open: Ask,
  { decision, text, input, stop, scope, option }: Answer,
  by: Payload<'permission.answer'>['by'] = 'host',
  synthetic?: string,
): void {
  const place = { ...open.place, synthetic }
  if (decision === 'reject') refuse(on, open.call)
  if (open.about === 'permission') return on.pen.emit('permission.answer', { id, decision, by, text, input, stop, scope, option }, place)
  const answers = isRecord(input) && isRecord(input['answers']) ? textsOf(input['answers']) : undefined
  on.pen.emit('question.answer', { id, decision, by, answers, text }, place)
}

/** Versions without tool_result_meta tell a refused call like any failed one. */
export function refuse({ session }: Reader, call: string | undefined): void {
  const known = call === undefined ? undefined : session.calls.get(call)
  if (known !== undefined) known.refused = true
}

/** Several choices come as a list. */
function textsOf(answers: Rec): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [question, answer] of Object.entries(answers)) {
    if (typeof answer === 'string') texts[question] = answer
    else if (Array.isArray(answer)) texts[question] = (answer as unknown[]).filter((part) => typeof part === 'string').join(', ')
  }
  return texts
}

function hookEnd(on: Reader, id: string, open: Ask, answer: Rec, error: string | undefined, synthetic?: string): void {
  const output = isRecord(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {}
  const denied = output['permissionDecision'] === 'deny' || answer['decision'] === 'block' || answer['continue'] === false
  const text = error ?? str(output['permissionDecisionReason']) ?? str(answer['reason']) ?? str(answer['stopReason'])
  on.pen.emit('hook.end', { id, status: error !== undefined ? 'error' : denied ? 'denied' : 'ok', text }, { ...open.place, synthetic })
}

export function cancelRequest(on: Reader, record: Wire<'control_cancel_request'>): void {
  const id = record.request_id
  const open = on.session.asks.get(id)
  if (open === undefined) return on.pen.raw(on.tag, 'unmapped')
  on.session.asks.delete(id)
  if (open.about === 'hook') return on.pen.emit('hook.end', { id, status: 'cancelled' }, open.place)
  decide(on, id, open, { decision: 'withdrawn' }, 'agent')
}

// ── answers that the stream does not show ────────────────────────────────────────────────────────────────────────────────

/**
 * A call has its result, so whoever was asked about it has answered. `allow` undefined: the result does not say how. `unmade`: the call
 * was cancelled, perhaps before anybody answered.
 */
export function settle(on: Reader, call: string, name: string | undefined, allow: boolean | undefined, unmade: boolean): void {
  if (on.session.asks.size === 0) return // every result comes here, few streams ask
  for (const [id, open] of on.session.asks) {
    if (open.call !== call && !(open.call === undefined && open.name === name)) continue
    if (open.about === 'hook') {
      on.session.asks.delete(id)
      on.pen.emit('hook.end', { id, status: allow === false ? 'denied' : 'ok' }, { ...open.place, synthetic: 'implied' })
    } else if (allow !== undefined) {
      on.session.asks.delete(id)
      decide(on, id, open, { decision: allow ? 'allow' : 'reject' }, 'unknown', 'implied')
    } else if (unmade) open.unmade = true
  }
}

/**
 * The turn is over: nothing is waited for any more. That a call was allowed follows only where it has failed in a turn that went on after
 * it and that lists its refusals; where it may never have been made, nobody knows.
 */
export function settleAll(on: Reader, denied: readonly { call?: string | undefined }[] | undefined, isCancelled: boolean): void {
  const { asks, calls } = on.session
  for (const [id, open] of asks) {
    asks.delete(id)
    if (open.about === 'hook') {
      on.pen.emit('hook.end', { id, status: 'ok' }, { ...open.place, synthetic: 'implied' })
      continue
    }
    const isRefused = open.call !== undefined && denied?.some(({ call }) => call === open.call) === true
    const isUnsure = open.call === undefined || calls.has(open.call) || denied === undefined || isCancelled || open.unmade === true
    decide(on, id, open, { decision: isRefused ? 'reject' : isUnsure ? 'withdrawn' : 'allow' }, 'unknown', 'implied')
  }
}

// ── what the host asks ───────────────────────────────────────────────────────────────────────────────────────────────────

export const interrupt = (on: Reader, record: Wire<'control_request/interrupt'>): void =>
  on.pen.emit('cancel.request', { target: 'turn', by: 'host', id: record.request_id })

export const stopTask = (on: Reader, record: Wire<'control_request/stop_task'>): void =>
  on.pen.emit('cancel.request', { target: 'task', by: 'host', id: record.request_id, task: record.request.task_id })

export const setModel = (on: Reader, record: Wire<'control_request/set_model'>): void =>
  on.pen.emit('session.update', { by: 'host', model: record.request.model ?? undefined })

export const setMode = (on: Reader, record: Wire<'control_request/set_permission_mode'>): void =>
  on.pen.emit('session.update', { by: 'host', mode: record.request.mode })
