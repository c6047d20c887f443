// What the app-server asks its host, and the answers. Requests and answers pair by JSON-RPC id. A recording of the agent alone never
// shows the answers: what becomes of the call implies them.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Payload, Place } from '../../model/event.ts'
import type { ToolKind } from '../../model/vocabulary.ts'
import { str } from '../values.ts'
import { type Ask, echo, here, most, put, type Reader } from './decode-state.ts'
import type { Params, Wire } from './wire.ts'
import { decidedBy, optionsOf } from './words.ts'

type Subject = { name: string; toolKind: ToolKind; input: unknown; question: string | undefined; call: string | undefined }

function open(on: Reader, id: string, about: Ask['about'], place: Place, names?: Ask['names']): void {
  put(on.asks, id, { about, thread: on.thread, names, place }, most.asks)
}

function permission(on: Reader, id: string, subject: Subject, decisions?: readonly unknown[] | null): void {
  if (on.pen.isAsked(id)) return echo(on)
  const { call, ...rest } = subject
  const place = here(on, { call })
  const suggestions = decisions?.filter((decision) => isRecord(decision))
  open(on, id, 'permission', place)
  on.pen.emit(
    'permission.request',
    { id, ...rest, options: optionsOf(decisions), suggestions: suggestions?.length === 0 ? undefined : suggestions },
    place,
  )
}

// ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function commandApproval(on: Reader, params: Params<'item/commandExecution/requestApproval'>, record: Rec): void {
  const { itemId: call, command, cwd, reason, availableDecisions } = params
  const question = reason ?? undefined
  const url = addressIn((params as Rec)['networkApprovalContext'])
  const subject: Subject =
    url === undefined
      ? { name: 'commandExecution', toolKind: 'execute', input: { command: command ?? undefined, cwd: cwd ?? undefined }, question, call }
      : { name: 'network', toolKind: 'fetch', input: { url, command: command ?? undefined }, question, call }
  permission(on, idOf(record), subject, availableDecisions)
}

/** Not the command is in question but the host that it wants to reach. */
function addressIn(context: unknown): string | undefined {
  const { host, protocol } = isRecord(context) ? context : {}
  return typeof host === 'string' ? `${str(protocol) ?? 'https'}://${host}` : undefined
}

export function fileApproval(on: Reader, params: Params<'item/fileChange/requestApproval'>, record: Rec): void {
  const { itemId: call, reason, grantRoot } = params
  const { patch } = on.thread
  const changes = patch?.item === call ? patch.changes : undefined
  const input = { ...(changes !== undefined && { changes }), ...(grantRoot && { grantRoot }) }
  const subject: Subject = { name: 'fileChange', toolKind: 'edit', input, question: reason ?? undefined, call }
  permission(on, idOf(record), subject)
}

export function permissionsApproval(on: Reader, params: Params<'item/permissions/requestApproval'>, record: Rec): void {
  const { itemId: call, reason, permissions } = params
  const subject: Subject = { name: 'permissions', toolKind: 'other', input: permissions, question: reason ?? undefined, call }
  permission(on, idOf(record), subject, ['accept', 'decline'])
}

const oldDecisions = ['approved', 'approved_for_session', 'denied', 'abort']

export function oldCommandApproval(on: Reader, params: Params<'execCommandApproval'>, record: Rec): void {
  const { callId: call, command, cwd, reason } = params
  const subject: Subject = {
    name: 'exec_command',
    toolKind: 'execute',
    input: { command, cwd: cwd ?? undefined },
    question: reason ?? undefined,
    call,
  }
  permission(on, idOf(record), subject, oldDecisions)
}

export function oldPatchApproval(on: Reader, params: Params<'applyPatchApproval'>, record: Rec): void {
  const { callId: call, fileChanges, reason } = params
  const subject: Subject = { name: 'apply_patch', toolKind: 'edit', input: fileChanges, question: reason ?? undefined, call }
  permission(on, idOf(record), subject, oldDecisions)
}

type Question = Params<'item/tool/requestUserInput'>['questions'][number]

export function userInput(on: Reader, id: string, questions: readonly Question[], call: string | undefined): void {
  if (on.pen.isAsked(id)) return echo(on)
  const place = here(on, { call })
  open(on, id, 'question', place, new Map(questions.map((question) => [question.id ?? '', question.question])))
  const asked = questions.map(({ question: text, header, options }) => ({
    text,
    header: header ?? undefined,
    options: (options ?? []).map(({ label, description }) => ({ label, description: description ?? undefined })),
  }))
  on.pen.emit('question.request', { id, questions: asked }, place)
}

/** The fields of a form that a server wants filled in, each with the question that asks for it. */
export function formFields({ message, requestedSchema: schema }: Rec): { name: string; field: Rec; text: string }[] {
  const { properties } = isRecord(schema) ? schema : {}
  const fields = isRecord(properties) ? Object.entries(properties) : []
  const about = str(message) ?? ''
  return fields.map(([name, told]) => {
    const field = isRecord(told) ? told : {}
    return { name, field, text: fields.length === 1 ? about : `${about} (${str(field['title']) ?? name})` }
  })
}

/** A server asks something by way of the agent. A form without fields asks for leave alone, mostly to call a tool of the server. */
export function elicitation(on: Reader, params: Params<'mcpServer/elicitation/request'>, record: Rec): void {
  const id = idOf(record)
  if (on.pen.isAsked(id)) return echo(on)
  const told: Rec = params
  const inner = isRecord(params.request) ? params.request : {}
  const server = params.serverName ?? ''
  const message = params.message ?? str(inner['message']) ?? ''
  const fields = formFields(told)
  if (fields.length === 0 && isRecord(told['requestedSchema'])) {
    const [call, { tool }] = [...on.thread.serverCalls].findLast(
      ([, one]) => one.server === server && message.includes(`"${one.tool}"`),
    ) ?? [undefined, { tool: 'elicitation' }]
    const input: unknown = isRecord(told['_meta']) ? told['_meta']['tool_params'] : undefined
    const name = `${server}_${tool}`.replaceAll(/[^\w-]/g, '_')
    return permission(on, id, { name, toolKind: 'other', input, question: message, call }, ['accept', 'decline', 'cancel'])
  }
  const place = here(on)
  open(on, id, 'question', place)
  const questions =
    fields.length === 0
      ? [{ text: message, options: [] }]
      : fields.map(({ field, text }) => ({ text, options: choicesOf(field).map((label) => ({ label })) }))
  on.pen.emit('question.request', { id, questions: questions.map((one) => ({ ...one, header: server || undefined })) }, place)
}

function choicesOf({ type, enum: words }: Rec): string[] {
  if (type === 'boolean') return ['yes', 'no']
  return Array.isArray(words) ? (words as unknown[]).filter((word) => typeof word === 'string') : []
}

/** A model may judge in the user's place. */
export function reviewStarted(on: Reader, { reviewId, targetItemId, action }: Params<'item/autoApprovalReview/started'>): void {
  const name = (isRecord(action) ? str(action['type']) : undefined) ?? 'review'
  permission(on, reviewId, { name, toolKind: 'other', input: action, question: undefined, call: targetItemId ?? undefined }, [])
}

const verdicts = { approved: 'allow', denied: 'reject', timedOut: 'expired', aborted: 'withdrawn' } as const

export function reviewCompleted(on: Reader, { reviewId, review }: Params<'item/autoApprovalReview/completed'>): void {
  const ask = askOf(on, reviewId)
  if (ask === undefined) return on.pen.raw(on.tag, 'unmapped', here(on))
  const decision = Object.hasOwn(verdicts, review.status) ? verdicts[review.status as keyof typeof verdicts] : 'reject'
  answer(on, reviewId, ask, { decision, by: 'agent', text: review.rationale ?? undefined })
}

/** The question, unless its session has ended meanwhile. */
export function askOf(on: Reader, id: string): Ask | undefined {
  const ask = on.asks.get(id)
  if (ask === undefined || on.pen.isAsked(id, ask.thread.session)) return ask
  on.asks.delete(id)
  return undefined
}

const idOf = (record: Rec): string => String((record as { id: string | number }).id)

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function answer(on: Reader, id: string, ask: Ask, told: Omit<Payload<'permission.answer'>, 'id'>, synthetic?: string): void {
  on.asks.delete(id)
  const place = { ...ask.place, synthetic }
  if (ask.about === 'permission') return on.pen.emit('permission.answer', { id, ...told }, place)
  const { decision, by, text, input } = told
  on.pen.emit('question.answer', { id, decision, by, text, answers: isRecord(input) ? answersOf(input, ask) : undefined }, place)
}

/** The host's answer to what the agent asked. */
export function answered(on: Reader, id: string, ask: Ask, result: unknown): void {
  const told = isRecord(result) ? result : {}
  if ('decision' in told) {
    const { decision, id: option, scope, stop } = decidedBy(told['decision'])
    return answer(on, id, ask, { decision, option, scope, stop, by: 'host' })
  }
  if ('answers' in told) return answer(on, id, ask, { decision: 'allow', by: 'host', input: told['answers'] })
  if ('action' in told) {
    const decision = told['action'] === 'accept' ? 'allow' : told['action'] === 'cancel' ? 'cancelled' : 'reject'
    return answer(on, id, ask, { decision, by: 'host', input: ask.about === 'question' ? told['content'] : undefined })
  }
  const granted = isRecord(told['permissions']) && Object.keys(told['permissions']).length > 0
  const scope = told['scope'] === 'session' ? 'session' : 'once'
  answer(on, id, ask, { decision: granted ? 'allow' : 'reject', scope: granted ? scope : undefined, by: 'host' })
}

export const refused = (on: Reader, id: string, ask: Ask, error: Wire<'response/error'>['error']): void =>
  answer(on, id, ask, { decision: 'cancelled', by: 'host', text: error.message })

/** Each answer is `{answers: […]}`, or what a form of a server asked for. */
function answersOf(answers: Rec, { names }: Ask): Record<string, string> {
  const texts: [string, string][] = Object.entries(answers).map(([id, told]) => {
    const list: unknown = isRecord(told) ? told['answers'] : told
    const text = Array.isArray(list)
      ? (list as unknown[]).filter((part) => typeof part === 'string').join(', ')
      : (str(list) ?? String(list))
    return [names?.get(id) ?? id, text]
  })
  return Object.fromEntries(texts)
}

// ── answers that the stream does not show ────────────────────────────────────────────────────────────────────────────────

/** The call goes on or is over, so whoever was asked about it has answered. */
export function settle(on: Reader, call: string, allow: boolean): void {
  if (on.asks.size === 0) return
  for (const [id, ask] of on.asks) {
    if (ask.place.call !== call || ask.thread !== on.thread || ask.about !== 'permission' || askOf(on, id) === undefined) continue
    answer(on, id, ask, { decision: allow ? 'allow' : 'reject', by: 'unknown' }, 'implied')
  }
}

/** The turn is over: nothing is waited for any more, and a call that nobody allowed is not made. */
export function settleAll(on: Reader): void {
  if (on.asks.size === 0) return
  for (const [id, ask] of on.asks) {
    if (ask.thread !== on.thread || askOf(on, id) === undefined) continue
    answer(on, id, ask, { decision: 'withdrawn', by: 'unknown' }, 'implied')
    const { call } = ask.place
    if (ask.about === 'permission' && call !== undefined && on.pen.isOpen(call))
      on.pen.emit('tool.end', { status: 'cancelled' }, { ...ask.place, synthetic: 'implied' })
  }
}
