// Everything beside the conversation that Claude has a record for: tasks, state, retries, limits, notes.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Fault } from '../../model/event.ts'
import { syntheticOf, wireId } from '../contract.ts'
import { callId, laneOf, nameSession, write, type Writer } from './encode-state.ts'
import { contextParts } from './encode-block.ts'
import { closeMessage } from './encode-message.ts'
import { isClaudeCode, loseProgram } from './encode-turn.ts'
import { faultFrom } from './values.ts'

type Written = { subtype: string } & Rec
const system = (on: Writer, event: Event, record: Written): void => write(on, { type: 'system', ...record }, syntheticOf(event), event)

// ── tasks ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function taskStart(on: Writer, event: EventOf<'task.start'>): void {
  const { session } = on
  laneOf(session, event.task)
  if (event.agent !== undefined && event.call === undefined) on.sink.lost(event, 'agent') // only its call could tell whose task it is
  if (event.call !== undefined && !session.parents.has(event.task)) session.parents.set(event.task, event.call)
  const isAgent = event.type === 'agent'
  system(on, event, {
    subtype: 'task_started',
    task_id: wireId(event.task),
    ...(event.call === undefined ? {} : { tool_use_id: callId(event) }),
    description: event.title ?? '',
    ...(event.model === undefined ? {} : { model: event.model }),
    ...(event.agentType === undefined ? {} : { subagent_type: event.agentType }),
    is_backgrounded: event.background === true,
    ...(event.depth === undefined ? {} : { spawn_depth: event.depth }),
    task_type: isAgent ? 'local_agent' : 'local_bash',
    ...(event.prompt === undefined ? {} : { prompt: event.prompt }),
  })
}

export function taskUpdate(on: Writer, event: EventOf<'task.update'>): void {
  const task_id = wireId(event.task)
  if (event.state !== undefined || event.background !== undefined) {
    const patch = {
      ...(event.state === undefined ? {} : { status: event.state }),
      ...(event.background === undefined ? {} : { is_backgrounded: event.background }),
    }
    return system(on, event, { subtype: 'task_updated', task_id, patch })
  }
  const usage = { total_tokens: event.tokens ?? 0, tool_uses: event.toolCalls ?? 0, duration_ms: 0 }
  const last = event.lastTool === undefined ? {} : { last_tool_name: event.lastTool }
  system(on, event, {
    subtype: 'task_progress',
    task_id,
    ...caller(on, event.task),
    description: event.label ?? '',
    usage,
    ...last,
  })
}

const caller = (on: Writer, task: string): Rec => {
  const call = on.session.parents.get(task)
  return call === undefined ? {} : { tool_use_id: wireId(call) }
}

export function taskEnd(on: Writer, event: EventOf<'task.end'>): void {
  closeMessage(on, event.task, undefined, undefined)
  const status = event.status === 'ok' ? 'completed' : event.status === 'error' || event.status === 'denied' ? 'failed' : 'stopped'
  const usage = event.tokens === undefined ? {} : { usage: { total_tokens: event.tokens, tool_uses: 0, duration_ms: 0 } }
  system(on, event, {
    subtype: 'task_notification',
    task_id: wireId(event.task),
    ...caller(on, event.task),
    status,
    output_file: event.file ?? '',
    summary: event.text ?? event.error?.text ?? '',
    ...usage,
  })
}

// ── state ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const stateOf: Readonly<Record<string, string>> = {
  working: 'running',
  thinking: 'running',
  waiting: 'requires_action',
  idle: 'idle',
}

export function statusUpdate(on: Writer, event: EventOf<'status.update'>): void {
  const { label, phase } = event
  if (label === 'requesting' || label === 'compacting') return system(on, event, { subtype: 'status', status: label })
  const state = stateOf[phase]
  if (state === undefined || state === on.session.state) return on.sink.lost(event)
  on.session.state = state
  system(on, event, { subtype: 'session_state_changed', state })
}

/** A change of mode has a record; the rest is told by the next init. */
export function sessionUpdate(on: Writer, event: EventOf<'session.update'>): void {
  const { setting } = on.session
  const isNamed = nameSession(on, event.native)
  for (const key of ['model', 'cwd', 'mode', 'program', 'version'] as const) if (event[key] !== undefined) setting[key] = event[key]
  const program = isClaudeCode(on) ? (event.program ?? event.version) : undefined
  const isTold = (event.model ?? event.cwd ?? event.mode ?? program) !== undefined
  if (!isTold && !isNamed) return on.sink.lost(event)
  loseProgram(on, event)
  if (!isTold) return
  if (event.mode !== undefined && on.session.inits > 0) {
    flushMode(on)
    on.session.mode = event
    if (event.origin === undefined) flushMode(on)
    return
  }
  if (event.model === undefined) on.session.untold.push(event) // messages name the model
}

/** A new mode is a status of its own, unless it is told by an init: then other events of the same record follow. */
export function flushMode(on: Writer, next?: Event): void {
  const { mode } = on.session
  if (mode === undefined) return
  on.session.mode = undefined
  const isInit = (next?.kind === 'turn.start' || next?.kind === 'catalog.update') && next.origin?.record === mode.origin?.record
  if (!isInit) system(on, mode, { subtype: 'status', status: null, permissionMode: mode.mode })
}

export function retryStart(on: Writer, event: EventOf<'retry.start'>): void {
  if (event.scope === 'run') return on.sink.lost(event)
  const { error } = event
  const word = error === undefined ? 'unknown' : errorWord(error)
  if (error === undefined) on.sink.added('system/api_retry.error')
  else loseError(on, event, error, word)
  if (event.max === undefined) on.sink.added('system/api_retry.max_retries')
  if (event.delayMs === undefined) on.sink.added('system/api_retry.retry_delay_ms')
  system(on, event, {
    subtype: 'api_retry',
    attempt: event.attempt,
    max_retries: event.max ?? event.attempt,
    retry_delay_ms: event.delayMs ?? 0,
    error_status: error?.http ?? null,
    error: word,
  })
}

/** Read from Claude, text and code are the word itself. */
const errorWord = ({ text, code, category }: Fault): string =>
  text === 'unknown' || (text === code && text !== '') ? text : (wordOf[category] ?? 'unknown')

/** There is no place for more than the status and the word. */
function loseError({ sink }: Writer, event: Event, error: Fault, word: string): void {
  const told = faultFrom(word, { word, status: error.http ?? null })
  if (error.text !== '' && told.text !== error.text) sink.lost(event, 'error.text')
  if (error.code !== undefined && told.code !== error.code) sink.lost(event, 'error.code')
  if (told.category !== error.category) sink.lost(event, 'error.category', 'approx')
}

const wordOf: Readonly<Record<string, string>> = {
  auth: 'authentication_failed',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  billing: 'billing_error',
  invalid: 'invalid_request',
  context: 'invalid_request',
  provider: 'server_error',
}

export function usageUpdate(on: Writer, event: EventOf<'usage.update'>): void {
  if (event.agent === undefined && event.context !== undefined && contextParts(event.ext) !== undefined) {
    if (on.session.context !== undefined) on.sink.lost(on.session.context)
    on.session.context = event
    return
  }
  for (const { name, state, used, resetsAt } of event.limits ?? []) {
    const info: Rec = { status: state === 'ok' ? 'allowed' : state === 'warning' ? 'allowed_warning' : 'rejected' }
    if (resetsAt !== undefined) info['resetsAt'] = Math.round(resetsAt / 1000)
    write(
      on,
      {
        type: 'rate_limit_event',
        rate_limit_info: { ...info, rateLimitType: name, ...(used === undefined ? {} : { utilization: used }) },
      },
      syntheticOf(event),
      event,
    )
  }
  const thinking = event.scope === 'message' ? event.usage?.reasoning : undefined
  if (thinking !== undefined) return system(on, event, { subtype: 'thinking_tokens', estimated_tokens: thinking })
  if (event.limits === undefined || event.limits.length === 0) return on.sink.lost(event)
  if (event.usage !== undefined || event.cost !== undefined || event.context !== undefined) on.sink.lost(event, 'usage')
}

export function contextTrim(on: Writer, event: EventOf<'context.trim'>): void {
  if (event.why === 'clear') return write(on, { type: 'conversation_reset' }, syntheticOf(event), event)
  const after = event.after === undefined ? {} : { post_tokens: event.after }
  system(on, event, {
    subtype: 'compact_boundary',
    compact_metadata: {
      trigger: event.trigger ?? 'auto',
      ...(event.before === undefined ? {} : { pre_tokens: event.before }),
      ...after,
    },
  })
}

// ── notes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function notice(on: Writer, event: EventOf<'notice'>): void {
  if (event.code === 'prompt_suggestion') return write(on, { type: 'prompt_suggestion', suggestion: event.text }, syntheticOf(event), event)
  system(on, event, {
    subtype: 'informational',
    content: event.text,
    level: event.level === 'warn' ? 'warning' : 'info',
  })
}

/** A fatal failure is told by the turn's result; others are notes. */
export function error(on: Writer, event: EventOf<'error'>): void {
  const { turn, openTurns, results } = on.session
  if (event.fatal) {
    const isOver = openTurns === 0 && results > 0 // no result is to come that could tell it
    if (isOver || (turn.fault !== undefined && turn.fault.text !== event.error.text)) on.sink.lost(event)
    turn.fault ??= event.error
  } else system(on, event, { subtype: 'informational', content: event.error.text, level: 'warning' })
}

export function commands(on: Writer, event: EventOf<'catalog.update'>): void {
  system(on, event, {
    subtype: 'commands_changed',
    commands: (event.commands ?? []).map(({ name, description }) => ({ name, description: description ?? '' })),
  })
}

/** A heartbeat: its own id is made up, the call is its parent. */
export function toolProgress(on: Writer, event: EventOf<'tool.update'>, call: string): void {
  const known = on.session.calls.get(call)
  if (known === undefined) return on.sink.lost(event)
  write(
    on,
    {
      type: 'tool_progress',
      tool_use_id: `${call}-heartbeat-0`,
      tool_name: known.name,
      parent_tool_use_id: call,
      elapsed_time_seconds: (event.elapsedMs ?? 0) / 1000,
      heartbeat: true,
    },
    syntheticOf(event),
    event,
  )
}
