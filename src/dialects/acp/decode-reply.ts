// Answers. They name no method: the request that waits under their id tells what they are, else their look must do.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Fault, Usage } from '../../model/event.ts'
import { unreadableEnd } from '../../model/fault.ts'
import { addUsage, usageSince } from '../../model/usage.ts'
import { elicitationAnswer, permissionAnswer, unanswered } from './decode-ask.ts'
import { sessionClosed, sessionOpened } from './decode-session.ts'
import { enter, type Reader, type Request, type Session, since, terminalOf } from './decode-state.ts'
import { settleCalls } from './decode-tool.ts'
import { failureOf, noTrouble } from './decode-trouble.ts'
import { sessionIn, type Side } from './message.ts'
import { at, cancelledCode, faultFrom, isBadRequest, reasonOf, reasonOfFault, str, usageFrom, usd } from './words.ts'
import type { Message, Result, WireError } from './wire.ts'

export function reply(on: Reader, message: Message, side: Side | undefined): void {
  const { id } = message
  const result = message.result as never // what the tag's check has let pass
  const { request, from } = on.requests.take(side, id, on.tag)
  enter(on, request?.session ?? sessionIn(message) ?? on.current)
  if (on.tag === 'error') return failure(on, request ?? (from === 'host' ? hosts : undefined), message)
  switch (on.tag) {
    case 'result/prompt':
      if (request === undefined || request.method === 'session/prompt') return turnEnd(on, request, result)
      break
    case 'result/session':
      if (request === undefined || opensSession(request)) return sessionOpened(on, request, result)
      break
    case 'result/permission':
      if (request === undefined || request.method === 'session/request_permission') return permissionAnswer(on, request, id, result)
      break
    case 'result/elicitation':
      if (request?.method === 'elicitation/create') return elicitationAnswer(on, request, id, result)
      break
    case 'result/terminal':
      if (request?.terminal !== undefined) return terminalSaid(on, request.terminal, result)
      break
    case 'result/initialize': {
      const { agentInfo }: Result<'result/initialize'> = result
      on.program = str(agentInfo?.name)
      on.version = str(agentInfo?.version)
      return on.pen.raw(on.tag, 'unmapped')
    }
  }
  plain(on, request, message)
}

/** An answer of the wrong shape: what waited for it waits no more. */
export function unreadable(on: Reader, message: Rec, side: Side | undefined): void {
  const { request } = on.requests.take(side, message['id'], on.tag)
  if (request?.method !== 'session/prompt') return
  enter(on, request.session)
  turnFailed(on, request, unreadableEnd(message))
}

/** Some request of the agent's, which was not seen. */
const hosts: Request = { method: 'extension' }

const opensSession = ({ method }: Request): boolean => /^session\/(new|load|resume|fork)$/.test(method)

/** Most say only that it was done. */
function plain(on: Reader, request: Request | undefined, message: Message): void {
  const { id, result } = message
  switch (request?.method) {
    case 'session/prompt':
      return turnFailed(on, request, unreadableEnd(message))
    case 'session/load':
    case 'session/resume':
      return sessionOpened(on, request, {})
    case 'session/close':
      return sessionClosed(on, request)
    case 'session/request_permission':
    case 'elicitation/create':
      return unanswered(on, request, id, 'cancelled')
    case 'fs/write_text_file':
      if (request.path === undefined) break
      return on.pen.emit('file.update', { changes: [{ path: request.path, change: 'update' }] }, { agent: request.agent })
  }
  const isEmpty = !(Array.isArray(result) || isRecord(result)) || Object.keys(result).length === 0
  on.pen.raw(on.tag, isEmpty ? 'redundant' : 'unmapped')
}

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function turnEnd(on: Reader, request: Request | undefined, { stopReason, usage, _meta: meta }: Result<'result/prompt'>): void {
  if (request?.agent !== undefined) return on.pen.raw(on.tag, 'redundant', { agent: request.agent })
  const { session } = enter(on, on.current)
  const said = reasonOf(stopReason)
  const error = said === 'cancelled' ? undefined : failureOf(on, session)
  const told = closeTurn(on, session, said === 'cancelled')
  const reason = (session.reason = error === undefined ? said : reasonOfFault(error))
  on.pen.emit('turn.end', {
    reason,
    error,
    ...ofTurn(on, session, tokens(usage, at(meta, 'quota'))),
    ...told,
    durationMs: since(on, request?.begun),
  })
}

/** What ends with a turn, and what the turn cost: agents tell the sum of a session. */
function closeTurn(on: Reader, session: Session, cancelled: boolean): { cost?: { usd: number; by: 'source' } } {
  settleCalls(on, session, cancelled)
  session.prompts = Math.max(0, session.prompts - 1)
  session.trouble = noTrouble()
  const { cost, spent } = session
  if (cost !== undefined) session.spent = cost
  return cost === undefined || spent === undefined ? {} : { cost: { usd: usd(Math.max(0, cost - spent)), by: 'source' } }
}

/** Copilot tells all that its process used in the session so far, at the end of each turn. */
function ofTurn(on: Reader, session: Session, told: ReturnType<typeof tokens>): ReturnType<typeof tokens> {
  const { usage } = told
  if (usage === undefined || on.program === undefined || !/copilot/i.test(on.program)) return told
  const before = session.tokens
  session.tokens = usage
  return { ...told, usage: isMore(before ?? {}, usage) ? usage : usageSince(usage, before) }
}

/** Where an agent tells the shares of its models, those hold subagents and side calls too; the turn's own tokens do not. */
function tokens(wire: unknown, quota: unknown) {
  const main = usageFrom(wire) ?? usageFrom(at(quota, 'token_count'))
  const shares = at(quota, 'model_usage')
  const byModel = (Array.isArray(shares) ? shares : []).flatMap((share: unknown) => {
    const [model, usage] = [str(at(share, 'model')), usageFrom(at(share, 'token_count'))]
    return model === undefined || usage === undefined ? [] : [{ model, usage }]
  })
  if (byModel.length === 0) return { usage: main }
  const all = byModel.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {})
  return isMore(all, main) ? { usage: all, own: main, byModel } : { usage: main, byModel }
}

const isMore = (all: Usage, main: Usage | undefined): boolean =>
  (['input', 'output', 'cacheRead', 'cacheWrite'] as const).some((bucket) => (all[bucket] ?? 0) > (main?.[bucket] ?? 0))

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function failure(on: Reader, request: Request | undefined, { id, error: wire }: Message): void {
  const error = faultFrom(wire!) // the check of this tag asks for it
  const method =
    request?.method ?? (on.pen.openTurns() > 0 || (on.pen.isStarted() && !isBadRequest(wire!.code)) ? 'session/prompt' : undefined)
  switch (method) {
    case 'session/prompt':
      return turnFailed(on, request, error, wire)
    case 'session/load':
      on.pen.emit('error', { scope: 'session', fatal: true, error, data: wire!.data })
      return on.pen.emit('session.end', { reason: 'error', error })
    case 'initialize':
    case 'session/new':
    case 'session/resume':
    case 'session/fork':
      on.fault = error // the host may log in and try again
      return on.pen.emit('notice', { level: 'warn', code: error.code, text: error.text, data: wire!.data })
    case 'session/request_permission':
    case 'elicitation/create':
      return unanswered(on, request!, id, 'cancelled', wire)
  }
  // What a host could not do for the agent is the agent's business: the tool that asked for it will tell.
  if (method === undefined || /^(fs|terminal|mcp|extension)\b/.test(method) || !on.pen.isStarted()) return on.pen.raw(on.tag, 'unmapped')
  on.pen.emit('error', { scope: 'session', fatal: false, error, source: method, data: wire!.data })
}

function turnFailed(on: Reader, request: Request | undefined, error: Fault, wire?: WireError): void {
  if (request?.agent !== undefined) return on.pen.emit('error', { scope: 'task', fatal: false, error }, { agent: request.agent })
  const { session } = enter(on, on.current)
  const cancelled = wire?.code === cancelledCode
  const known = session.trouble.told
  const told = closeTurn(on, session, cancelled)
  session.reason = cancelled ? 'cancelled' : reasonOfFault(known ?? error)
  if (!cancelled && known === undefined) on.pen.emit('error', { scope: 'turn', fatal: true, error, data: wire?.data })
  on.pen.emit('turn.end', { reason: session.reason, error: known ?? error, ...told, durationMs: since(on, request?.begun) })
}

// ── terminals ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** All output so far, each time: what is new of it is told. */
function terminalSaid(on: Reader, id: string, { output, exitStatus, exitCode }: Result<'result/terminal'>): void {
  const { session } = enter(on, on.current)
  const terminal = terminalOf(session, id)
  const code = exitStatus?.exitCode ?? exitCode
  if (typeof code === 'number' && Number.isSafeInteger(code)) terminal.exitCode = code
  const call = terminal.call === undefined ? undefined : session.calls.get(terminal.call)
  const more = output?.slice(terminal.told) ?? ''
  terminal.told = Math.max(terminal.told, output?.length ?? 0)
  if (call === undefined || more === '') return on.pen.raw(on.tag, output === undefined ? 'redundant' : 'unmapped')
  call.streamed = true
  on.pen.emit('tool.delta', { of: 'output', text: more }, { call: terminal.call, agent: call.agent })
}
