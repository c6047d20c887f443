// The transcript file on disk. It has no init and no result: a prompt with a new `promptId` starts a turn, and the next one,
// a turn_duration or the end of the file ends it.
import { isRecord } from '../../base/json.ts'
import type { Payload, Usage } from '../../model/event.ts'
import { addUsage } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { toolEntry } from './decode-init.ts'
import { closeMessage, endTask, laneId } from './decode-lane.ts'
import { most, type Reader, startTurn, type Transcript } from './decode-state.ts'
import { faultFrom, nat, real, str, usageOfModel, usd } from './values.ts'
import type { Wire } from './wire.ts'

export const transcriptOf = (on: Reader): Transcript =>
  (on.session.transcript ??= { prompt: undefined, tools: new Set(), agents: new Set(), reason: undefined })

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Before a prompt is told: it may be the first of a new turn. */
export function enterTurn(on: Reader, record: Wire<'user'>, by: Payload<'prompt.submit'>['by']): void {
  const transcript = transcriptOf(on)
  const id = str((record as { promptId?: unknown }).promptId) ?? (by === 'user' ? str(record.uuid) : transcript.prompt)
  if (on.session.init === undefined) {
    on.session.init = {}
    on.pen.emit('session.start', settingOf(record), { synthetic: 'implied' })
  }
  if (id === transcript.prompt && on.pen.openTurns() > 0) return
  if (by === 'system' && on.pen.openTurns() > 0 && id === undefined) return
  transcript.prompt = id
  leaveTurn(on)
  startTurn(on, by === 'task' || on.session.woken ? 'task' : by === 'user' ? 'prompt' : 'unknown', { synthetic: 'implied' }, id)
}

function settingOf({ sessionId: native, version, cwd, forkedFrom: other }: Wire<'user'>): Payload<'session.start'> {
  const forkedFrom = isRecord(other) ? str(other['sessionId']) : undefined
  const how = forkedFrom === undefined ? undefined : 'forked'
  return { how, forkedFrom, native, program: 'claude-code', version: str(version), cwd: str(cwd) }
}

/** Ends the open turn with what the records show of its end. */
export function leaveTurn(on: Reader, reason?: Reason, durationMs?: number): void {
  const transcript = transcriptOf(on)
  if (on.pen.openTurns() === 0) return
  const last = on.session.lanes.get(undefined)?.message?.finish
  closeMessage(on, undefined)
  const told = reason ?? transcript.reason ?? (on.session.fault === undefined ? last : 'error')
  const error = on.session.fault
  transcript.reason = on.session.fault = undefined
  on.pen.emit(
    'turn.end',
    { reason: told === undefined || told === 'tool_use' ? 'unknown' : told, error, durationMs },
    { synthetic: durationMs === undefined ? 'implied' : undefined },
  )
}

export function turnDuration(on: Reader, record: Wire<'system/turn_duration'>): void {
  if (on.pen.openTurns() === 0) return on.pen.raw(on.tag, 'redundant')
  leaveTurn(on, undefined, real(record.durationMs) ?? 0)
}

/** The file is read to its end: what is visibly over ends well, the rest is left to the pen. */
export function endTranscript(on: Reader): void {
  const { lanes, transcript } = on.session
  if (transcript === undefined) return
  const main = lanes.get(undefined)?.message?.finish
  const over = transcript.reason !== undefined || on.session.fault !== undefined || (main !== undefined && main !== 'tool_use')
  let last: Reason | undefined
  for (const [lane, { message }] of lanes) {
    if (lane === undefined || message?.finish === undefined || message.finish === 'tool_use' || !on.pen.hasTask(lane)) continue
    last = message.finish
    endTask(on, { task: lane, status: last === 'end_turn' ? 'ok' : 'error' }, 'implied')
  }
  if (over) leaveTurn(on)
  else if (last !== undefined && !lanes.has(undefined)) leaveTurn(on, last) // a subagent's own file
}

// ── records of its own ───────────────────────────────────────────────────────────────────────────────────────────────────

export function queueOperation(on: Reader, record: Wire<'queue-operation'>): void {
  transcriptOf(on)
  if (record.operation !== 'enqueue') return on.pen.raw(on.tag, 'redundant')
  const text = str(record.content)
  const task = text?.startsWith('<task-notification>') === true
  on.session.woken ||= task
  on.pen.emit('prompt.submit', { text, by: task ? 'task' : 'user', state: 'queued' })
}

export function attachment(on: Reader, record: Wire<'attachment'>): void {
  const transcript = transcriptOf(on)
  const { attachment: body } = record
  const agent = laneId(on, record)
  switch (body.type) {
    case 'skill_listing':
      for (const name of body.names ?? []) on.pen.emit('skill.load', { name, level: 'listed' }, { agent })
      if (body.names?.length) return
      break
    case 'deferred_tools_delta':
      return on.pen.emit('catalog.update', { tools: apply(transcript.tools, body.addedNames, body.removedNames).map(toolEntry) }, { agent })
    case 'agent_listing_delta':
      return on.pen.emit(
        'catalog.update',
        { agents: apply(transcript.agents, body.addedTypes, body.removedTypes).map((name) => ({ name })) },
        { agent },
      )
    case 'model':
      if (body.identity?.modelId === undefined) break
      return on.pen.emit('session.update', { by: 'agent', model: body.identity.modelId }, { agent })
    case 'environment':
      if (body.snapshot?.workingDirectory === undefined) break
      return on.pen.emit('session.update', { by: 'agent', cwd: body.snapshot.workingDirectory }, { agent })
    case 'max_turns_reached':
      if (agent === undefined) transcript.reason = 'max_turns'
      return on.pen.emit(
        'notice',
        { level: 'warn', code: body.type, text: `the limit of ${body.maxTurns ?? '?'} turns was reached` },
        { agent },
      )
    case 'plan_mode':
    case 'plan_mode_exit':
      return on.pen.emit('notice', { level: 'info', code: body.type, text: body.type.replaceAll('_', ' ') }, { agent })
    default:
      if (body.type.startsWith('hook_')) return hook(on, record, agent)
  }
  on.pen.raw(`attachment/${body.type}`, 'unmapped')
}

/** Only the end of a hook is written down. */
function hook(on: Reader, record: Wire<'attachment'>, agent: string | undefined): void {
  const { attachment: body } = record
  const id = str(record.uuid) ?? `~hook-${++on.made}`
  const call = body.toolUseID
  on.pen.emit('hook.start', { id, name: body.hookName ?? '', event: body.hookEvent ?? '' }, { agent, call, synthetic: 'implied' })
  const status = body.type.includes('blocking')
    ? 'denied'
    : body.type.includes('error')
      ? 'error'
      : body.type.includes('cancelled')
        ? 'cancelled'
        : 'ok'
  on.pen.emit(
    'hook.end',
    {
      id,
      status,
      exitCode: Number.isSafeInteger(body.exitCode) ? (body.exitCode as number) : undefined,
      text: str(body.content),
    },
    { agent, call },
  )
}

/** The list after a delta. */
function apply(names: Set<string>, added: readonly string[] | null | undefined, removed: readonly string[] | null | undefined): string[] {
  for (const name of removed ?? []) names.delete(name)
  for (const name of added ?? []) if (names.size < most.names) names.add(name)
  return [...names]
}

export const mode = (on: Reader, record: Wire<'mode'>): void => on.pen.emit('session.update', { by: 'agent', mode: record.mode })
export const permissionMode = (on: Reader, record: Wire<'permission-mode'>): void =>
  on.pen.emit('session.update', { by: 'agent', mode: record.permissionMode })

export function title(on: Reader, record: { summary?: string; customTitle?: string | undefined; aiTitle?: string | undefined }): void {
  const text = record.summary ?? record.customTitle ?? record.aiTitle
  if (text === undefined) return on.pen.raw(on.tag, 'unmapped')
  on.pen.emit('session.update', { by: 'agent', title: text })
}

export function costState(on: Reader, record: Wire<'cost-state'>): void {
  const dollars = real(record.totalCostUSD)
  let usage: Usage | undefined
  for (const entry of Object.values(record.modelUsage ?? {})) usage = addUsage(usage, usageOfModel(entry))
  on.pen.emit('usage.update', {
    scope: 'session',
    cumulative: true,
    usage,
    cost: dollars === undefined ? undefined : { usd: usd(dollars), by: 'source' },
  })
}

export function apiError(on: Reader, record: Wire<'system/api_error'>): void {
  const error: unknown = record.error
  const status = isRecord(error) ? nat(error['status']) : undefined
  const text = (isRecord(error) ? str(error['message']) : str(error)) ?? ''
  const agent = laneId(on, record)
  on.pen.emit(
    'retry.start',
    {
      scope: 'model',
      attempt: nat(record.retryAttempt) ?? 0,
      max: nat(record.maxRetries),
      delayMs: real(record.retryInMs),
      error: faultFrom(text, { status }),
    },
    { agent },
  )
}
