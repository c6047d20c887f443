// `system` records and the small records beside the conversation: state, retries, limits, hooks, notes.
import { type Payload, placeOf } from '../../model/event.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Phase } from '../../model/vocabulary.ts'
import { refuse } from './decode-control.ts'
import { most, type Reader, turnOf } from './decode-state.ts'
import { decider, faultFrom, nat, real, str } from './values.ts'
import type { Wire } from './wire.ts'

// ── state ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const phaseOf = new Map<string, Phase>([
  ['requesting', 'thinking'],
  ['compacting', 'working'],
  ['running', 'working'],
  ['requires_action', 'waiting'],
  ['idle', 'idle'],
])

export function status(on: Reader, record: Wire<'system/status'>): void {
  const { status: word, permissionMode: mode } = record
  if (mode !== undefined) on.pen.emit('session.update', { by: 'agent', mode })
  if (typeof word === 'string') return on.pen.emit('status.update', { phase: phaseOf.get(word) ?? 'working', label: word })
  if (mode === undefined) on.pen.emit('status.update', { phase: on.pen.openTurns() === 0 ? 'idle' : 'working' })
}

export const sessionState = (on: Reader, record: Wire<'system/session_state_changed'>): void =>
  on.pen.emit('status.update', { phase: phaseOf.get(record.state) ?? 'working', label: record.state })

export function apiRetry(on: Reader, record: Wire<'system/api_retry'>): void {
  const { attempt, max_retries: max, retry_delay_ms: delayMs, error_status: http, error: word } = record
  const error = faultFrom(word ?? '', { word, status: http })
  on.pen.emit('retry.start', {
    scope: 'model',
    attempt: nat(attempt) ?? 0,
    max: nat(max),
    delayMs: real(delayMs),
    error,
  })
}

export function permissionDenied(on: Reader, record: Wire<'system/permission_denied'>): void {
  const { tool_name: name, tool_use_id: call, message: text, decision_reason_type: reason } = record
  const known = call === undefined ? undefined : on.session.calls.get(call)
  refuse(on, call)
  on.pen.emit(
    'permission.answer',
    { decision: 'reject', by: decider(undefined, reason, false), name, text },
    { call, agent: known?.lane ?? record.agent_id, turn: known?.turn },
  )
}

export function thinkingTokens(on: Reader, record: Wire<'system/thinking_tokens'>): void {
  const message = on.session.lanes.get(undefined)?.message
  on.pen.emit(
    'usage.update',
    { scope: 'message', cumulative: true, usage: { reasoning: nat(Math.round(record.estimated_tokens)) } },
    placeOf(undefined, message?.turn, message?.id),
  )
}

const limitState: Readonly<Record<string, 'ok' | 'warning' | 'reached'>> = {
  allowed: 'ok',
  allowed_warning: 'warning',
  rejected: 'reached',
}

/** `resetsAt` is in seconds. */
export function rateLimit(on: Reader, record: Wire<'rate_limit_event'>): void {
  const { status: word, rateLimitType: name, utilization, resetsAt } = record.rate_limit_info
  const state = Object.hasOwn(limitState, word) ? limitState[word]! : 'ok'
  const reset = real(resetsAt)
  on.pen.emit('usage.update', {
    scope: 'session',
    cumulative: true,
    limits: [
      {
        name: name ?? 'unknown',
        state,
        used: real(utilization),
        resetsAt: reset === undefined ? undefined : reset < 1e11 ? reset * 1000 : reset,
      },
    ],
  })
}

export function compactBoundary(on: Reader, record: Wire<'system/compact_boundary'>): void {
  const [live, stored] = [record.compact_metadata, record.compactMetadata]
  const trigger = live?.trigger ?? stored?.trigger
  on.pen.emit('context.trim', {
    why: 'compact',
    trigger: trigger === 'auto' || trigger === 'manual' ? trigger : undefined,
    before: nat(live?.pre_tokens ?? stored?.preTokens),
    after: nat(live?.post_tokens ?? stored?.postTokens),
  })
}

export const conversationReset = (on: Reader): void => on.pen.emit('context.trim', { why: 'clear' })

// ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function hookStarted(on: Reader, record: Wire<'system/hook_started'>, synthetic?: string): void {
  const { hooks } = on.session
  if (hooks.size >= most.asks) hooks.clear()
  hooks.add(record.hook_id)
  on.pen.emit('hook.start', { id: record.hook_id, name: record.hook_name ?? '', event: record.hook_event ?? '' }, { synthetic })
}

/** Exit code 2 is a hook's way to say no. */
export function hookResponse(on: Reader, record: Wire<'system/hook_response'>): void {
  const { hook_id: id, outcome, exit_code: code, output, stderr } = record
  if (!on.session.hooks.has(id)) hookStarted(on, record, 'implied')
  on.session.hooks.delete(id)
  const status =
    outcome === 'cancelled'
      ? 'cancelled'
      : code === 2
        ? 'denied'
        : outcome === 'error' || (typeof code === 'number' && code !== 0)
          ? 'error'
          : 'ok'
  on.pen.emit('hook.end', {
    id,
    status,
    exitCode: Number.isSafeInteger(code) ? (code as number) : undefined,
    text: output || stderr || undefined,
  })
}

// ── notes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Records whose whole message is a sentence for people: where it stands, by tag. */
const sentence: Readonly<Record<string, readonly string[]>> = {
  'system/informational': ['content'],
  'system/notification': ['text'],
  'system/local_command_output': ['content'],
  'system/local_command': ['content'],
  'system/model_fallback': ['content', 'fallback_model'],
  'system/model_refusal_fallback': ['content', 'fallback_model'],
  'system/model_refusal_no_fallback': ['content', 'original_model'],
  'system/mirror_error': ['error'],
  'system/worker_shutting_down': ['reason'],
  'system/elicitation_complete': ['mcp_server_name'],
  'system/plugin_install': ['error', 'name', 'status'],
  'system/hook_progress': ['output', 'stdout', 'stderr'],
  'system/code_change_published': ['url', 'title'],
  'system/vcs_state_changed': ['branch', 'commit'],
  prompt_suggestion: ['suggestion'],
  tool_use_summary: ['summary'],
  auth_status: ['error'],
}
const warnings: ReadonlySet<string> = new Set([
  'system/mirror_error',
  'system/model_fallback',
  'system/model_refusal_fallback',
  'system/model_refusal_no_fallback',
])

export function note(on: Reader, record: Rec): void {
  const { tag } = on
  const code = tag.startsWith('system/') ? tag.slice(7) : tag
  const text = sentence[tag]?.map((key) => str(record[key])).find((value) => value !== undefined && value !== '') ?? code
  const level =
    warnings.has(tag) || record['level'] === 'warning' || record['level'] === 'error' || typeof record['error'] === 'string'
      ? 'warn'
      : 'info'
  on.pen.emit('notice', { level, code, text })
}

export function filesPersisted(on: Reader, record: Wire<'system/files_persisted'>): void {
  on.pen.emit('file.update', {
    changes: (record.files ?? []).map(({ filename }) => ({ path: filename, change: 'update' as const })),
  })
}

export function commandsChanged(on: Reader, record: Wire<'system/commands_changed'>): void {
  const commands: NonNullable<Payload<'catalog.update'>['commands']> = []
  for (const entry of record.commands ?? []) {
    if (typeof entry === 'string') commands.push({ name: entry })
    else if (isRecord(entry) && typeof entry['name'] === 'string')
      commands.push({ name: entry['name'], description: str(entry['description']) })
  }
  on.pen.emit('catalog.update', { commands })
}

/** A heartbeat of a running call, or news of a subagent's retry. The record's own id is made up; the parent is the call. */
export function toolProgress(on: Reader, record: Wire<'tool_progress'>): void {
  const call = record.parent_tool_use_id ?? record.tool_use_id
  const known = call === undefined ? undefined : on.session.calls.get(call)
  const retry = record.subagent_retry
  if (retry) {
    const { attempt, max_retries: max, retry_delay_ms: delayMs, error_status: http, error_category: word } = retry
    const agent = call === undefined ? undefined : on.session.tasks.get(call)?.task
    return on.pen.emit(
      'retry.start',
      {
        scope: 'model',
        attempt: nat(attempt) ?? 0,
        max: nat(max),
        delayMs: real(delayMs),
        error: faultFrom(word ?? '', { word, status: http }),
      },
      { agent, call },
    )
  }
  if (known === undefined || call === undefined) return on.pen.raw(on.tag, 'unmapped')
  const seconds = real(record.elapsed_time_seconds)
  const turn = known.lane === undefined ? (known.turn ?? turnOf(on)) : undefined
  on.pen.emit(
    'tool.update',
    { state: 'running', elapsedMs: seconds === undefined ? undefined : seconds * 1000 },
    { call, agent: known.lane, turn },
  )
}
