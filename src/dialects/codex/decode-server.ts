// What `codex app-server` tells its host: threads, turns, items, and what happens beside them.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { unreadableEnd } from '../../model/fault.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Phase as Status, ToolStatus } from '../../model/vocabulary.ts'
import { nat, real, str } from '../values.ts'
import {
  commandApproval,
  elicitation,
  fileApproval,
  oldCommandApproval,
  oldPatchApproval,
  permissionsApproval,
  reviewCompleted,
  reviewStarted,
  settle,
  userInput,
} from './decode-ask.ts'
import { note, plan, rateLimits, trim, trouble } from './decode-beside.ts'
import { endAnswer, rawBlock, readItem, textDelta, thoughtDelta } from './decode-item.ts'
import { echo, enter, here, most, pass, put, type Reader, type Thread, threadAt } from './decode-state.ts'
import { childOf, startTask } from './decode-task.ts'
import { contextOf, endSession, endTurn, spend, startSession, startTurn, updateSetting } from './decode-thread.ts'
import { parentIn, settingOf, usageOf } from './values.ts'
import type { Params } from './wire.ts'
import type { Item } from './wire-item.ts'
import { faultFrom, reasonOfFault, statusOf } from './words.ts'

// ── threads ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

type WireThread = Params<'thread/started'>['thread']

/** `about`: what the answer to the host's request tells beside the thread. */
export function opened(on: Reader, wire: WireThread, about: Rec = {}, how?: 'new' | 'resumed' | 'forked'): void {
  const { agentRole: agentType, agentNickname: title } = wire
  const parent = wire.parentThreadId ?? parentIn(wire.source)
  if (parent && parent !== wire.id) {
    enter(on, childOf(on, wire.id, threadAt(on, parent)))
    if (on.thread.lane === undefined || on.pen.hasTask(on.thread.lane)) return echo(on)
    return startTask(on, on.thread, { agentType: agentType ?? undefined, title: title ?? undefined, model: wire.model ?? undefined })
  }
  if (on.thread.lane !== undefined || on.pen.isStarted()) return echo(on)
  const forkedFrom = wire.forkedFromId ?? undefined
  startSession(on, {
    ...settingOf({ ...wire, ...about }),
    how: how ?? (forkedFrom === undefined ? undefined : 'forked'),
    forkedFrom,
    version: wire.cliVersion ?? undefined,
    title: wire.name ?? undefined,
    agentName: agentType ?? undefined,
  })
  if (on.thread.servers.size > 0) on.pen.emit('catalog.update', { servers: [...on.thread.servers.values()] })
}

const phases: Readonly<Record<string, Status>> = { active: 'working', idle: 'idle' }

function statusChanged(on: Reader, { status }: Params<'thread/status/changed'>): void {
  const { lane, parent } = on.thread
  if (lane !== undefined && on.pen.hasTask(lane)) return on.pen.emit('task.update', { task: lane, state: status.type }, { agent: parent })
  if (lane !== undefined || !on.pen.isStarted() || !Object.hasOwn(phases, status.type)) return echo(on)
  const waits = status.activeFlags?.some((flag) => flag.startsWith('waiting')) === true
  on.pen.emit('status.update', { phase: waits ? 'waiting' : phases[status.type]!, source: 'agent' }, here(on))
}

function tokenUsage(on: Reader, { tokenUsage: told }: Params<'thread/tokenUsage/updated'>): void {
  const total = usageOf(told.total)!
  const last = usageOf(told.last)
  spend(on, total, last)
  const context = contextOf(last, nat(told.modelContextWindow))
  endAnswer(on, last)
  on.pen.emit('usage.update', { scope: 'session', cumulative: true, usage: total, context }, here(on))
}

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The turn of a subagent names the turn that everything began with; that one belongs to another thread. */
function turnStarted(on: Reader, { turn }: Params<'turn/started'>): void {
  if (turn.rootTurnId && turn.rootTurnId !== turn.id && on.thread.lane === undefined) {
    for (const parent of on.threads.values()) {
      if (parent.turn !== turn.rootTurnId) continue
      enter(on, childOf(on, on.thread.id ?? '', parent))
      break
    }
  }
  startTurn(on, turn.id)
}

function turnCompleted(on: Reader, { turn }: Params<'turn/completed'>): void {
  const error = turn.error ? faultFrom(turn.error.message, turn.error.codexErrorInfo, turn.error.additionalDetails) : undefined
  const status = statusOf(turn.status)
  const about = { native: turn.id, error, text: answerIn(turn.items), durationMs: real(turn.durationMs) }
  if (status === 'cancelled') return endTurn(on, { ...about, reason: 'cancelled' })
  if (error !== undefined) return endTurn(on, { ...about, reason: reasonOfFault(error) })
  if (status === 'error') return endTurn(on, { ...about, reason: 'error' })
  if (status === 'ok' || turn.status === undefined || turn.status === null) return endTurn(on, { ...about, reason: 'end_turn' })
  endTurn(on, { ...about, reason: 'error', error: faultFrom(`the turn ended with the status ${quoted(turn.status)}`) })
}

/** An end of the wrong shape. */
export function unreadableTurn(on: Reader, thread: Thread | undefined, record: Rec): void {
  if (thread?.turn === undefined) return
  enter(on, thread)
  endTurn(on, { reason: 'error', error: unreadableEnd(record) })
}

/** What the turn said last. */
function answerIn(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined
  const last = (items as unknown[]).findLast((item) => isRecord(item) && item['type'] === 'agentMessage')
  return isRecord(last) ? str(last['text']) : undefined
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const toolDelta =
  (of: 'input' | 'output') =>
  (on: Reader, params: { itemId: string; delta?: string; stdin?: string }): void => {
    settle(on, params.itemId, true)
    on.pen.emit('tool.delta', { of, text: params.delta ?? params.stdin ?? '' }, here(on, { call: params.itemId }))
  }

function patchUpdated(on: Reader, { itemId: call, changes }: Params<'item/fileChange/patchUpdated'>): void {
  on.thread.patch = { item: call, changes }
  on.pen.emit('tool.update', { state: 'running', input: { changes } }, here(on, { call }))
}

function hostedCall(on: Reader, { callId: call, tool: name, arguments: input }: Params<'item/tool/call'>): void {
  if (on.pen.isOpen(call)) return echo(on)
  on.pen.emit('tool.start', { name, toolKind: toolKindOf(name), input: input ?? undefined, hostedBy: 'host' }, here(on, { call }))
}

const hookStatuses: Readonly<Record<string, ToolStatus>> = { failed: 'error', blocked: 'denied', stopped: 'cancelled' }

function hookStarted(on: Reader, { run }: Params<'hook/started'>): void {
  put(on.thread.root.hooks, run.id, true, most.asks)
  on.pen.emit('hook.start', { id: run.id, name: run.eventName ?? '', event: run.eventName ?? '' }, here(on))
}

function hookCompleted(on: Reader, { run }: Params<'hook/completed'>): void {
  if (!on.thread.root.hooks.delete(run.id)) return on.pen.raw(on.tag, 'unmapped', here(on))
  const status = Object.hasOwn(hookStatuses, run.status ?? '') ? hookStatuses[run.status!]! : 'ok'
  on.pen.emit('hook.end', { id: run.id, status }, here(on))
}

// ── beside the work ──────────────────────────────────────────────────────────────────────────────────────────────────────

function serverStatus(on: Reader, { name, status, error }: Params<'mcpServer/startupStatus/updated'>): void {
  const { root }: Thread = on.thread
  put(root.servers, name, { name, status, error: error ?? undefined }, most.servers)
  if (!on.pen.isStarted()) return pass(on, on.tag, on.thread.id === undefined ? 'unmapped' : 'redundant') // its session tells it
  on.pen.emit('catalog.update', { servers: [...root.servers.values()] }, here(on))
}

function failure(on: Reader, { error, willRetry }: Params<'notification/error'>): void {
  if (willRetry === true && !error.message.startsWith('Reconnecting')) {
    const fault = faultFrom(error.message, error.codexErrorInfo, error.additionalDetails)
    return on.pen.emit('error', { scope: 'turn', fatal: false, error: fault }, here(on))
  }
  trouble(on, error.message, error.codexErrorInfo, error.additionalDetails, willRetry === false)
}

export function item(on: Reader, params: Rec, { method }: Rec): void {
  on.tag = String(method)
  readItem(on, params['item'] as Item, method === 'item/started' ? 'started' : 'completed')
}

export const readers = {
  'thread/started': (on: Reader, { thread }: Params<'thread/started'>): void => opened(on, thread),
  'thread/closed': (on: Reader): void => (on.thread.lane === undefined && on.pen.isStarted() ? endSession(on, true) : echo(on)),
  'thread/status/changed': statusChanged,
  'thread/name/updated': (on: Reader, { threadName }: Params<'thread/name/updated'>): void =>
    on.thread.lane === undefined ? on.pen.emit('session.update', { title: threadName ?? undefined }) : echo(on),
  'thread/settings/updated': (on: Reader, { threadSettings }: Params<'thread/settings/updated'>): void =>
    updateSetting(on, settingOf(threadSettings)),
  'thread/tokenUsage/updated': tokenUsage,
  'thread/compacted': (on: Reader): void => trim(on, 'event'),
  'thread/reverted': (on: Reader): void => on.pen.emit('context.trim', { why: 'trim', trigger: 'manual' }, here(on)),
  'turn/started': turnStarted,
  'turn/completed': turnCompleted,
  'turn/diff/updated': (on: Reader, { diff }: Params<'turn/diff/updated'>): void => on.pen.emit('file.update', { diff }, here(on)),
  'turn/plan/updated': plan,
  'item/agentMessage/delta': (on: Reader, { itemId, delta }: Params<'item/agentMessage/delta'>): void => textDelta(on, itemId, delta),
  'item/plan/delta': (on: Reader, { itemId, delta }: Params<'item/plan/delta'>): void => textDelta(on, itemId, delta),
  'item/reasoning/summaryTextDelta': (on: Reader, params: Params<'item/reasoning/summaryTextDelta'>): void =>
    thoughtDelta(on, params.itemId, nat(params.summaryIndex) ?? 0, params.delta),
  'item/reasoning/textDelta': (on: Reader, params: Params<'item/reasoning/textDelta'>): void =>
    thoughtDelta(on, params.itemId, rawBlock(nat(params.contentIndex) ?? 0), params.delta),
  'item/reasoning/summaryPartAdded': echo,
  'item/commandExecution/outputDelta': toolDelta('output'),
  'item/commandExecution/terminalInteraction': toolDelta('input'),
  'item/fileChange/outputDelta': toolDelta('output'),
  'item/fileChange/patchUpdated': patchUpdated,
  'item/mcpToolCall/progress': (on: Reader, { itemId: call, message }: Params<'item/mcpToolCall/progress'>): void =>
    on.pen.emit('tool.update', { state: 'running', content: [{ type: 'text', text: message }] }, here(on, { call })),
  'item/autoApprovalReview/started': reviewStarted,
  'item/autoApprovalReview/completed': reviewCompleted,
  'hook/started': hookStarted,
  'hook/completed': hookCompleted,
  'serverRequest/resolved': echo, // how it was answered shows in the answer, or in what becomes of the call
  'mcpServer/startupStatus/updated': serverStatus,
  'account/rateLimits/updated': (on: Reader, { rateLimits: limits }: Params<'account/rateLimits/updated'>): void => rateLimits(on, limits),
  'model/rerouted': (on: Reader, { toModel }: Params<'model/rerouted'>): void => updateSetting(on, { model: toModel }),
  'notification/error': failure,
  configWarning: (on: Reader, { summary, details }: Params<'configWarning'>): void => note(on, 'warn', summary, details),
  deprecationNotice: (on: Reader, { summary, details }: Params<'deprecationNotice'>): void => note(on, 'warn', summary, details),
  warning: (on: Reader, { message }: Params<'warning'>): void => note(on, 'warn', message),
  guardianWarning: (on: Reader, { message }: Params<'guardianWarning'>): void => note(on, 'warn', message),

  'item/commandExecution/requestApproval': commandApproval,
  'item/fileChange/requestApproval': fileApproval,
  'item/permissions/requestApproval': permissionsApproval,
  'item/tool/requestUserInput': (on: Reader, { itemId, questions }: Params<'item/tool/requestUserInput'>, record: Rec): void =>
    userInput(on, String(record['id']), questions, itemId),
  'mcpServer/elicitation/request': elicitation,
  'item/tool/call': hostedCall,
  execCommandApproval: oldCommandApproval,
  applyPatchApproval: oldPatchApproval,
}
