// The events of a rollout file: turns, tokens, and how calls ended. What `response_item`s say as well is passed over.
import { isRecord, type Rec } from '../../base/json.ts'
import { int, nat, real, str } from '../values.ts'
import { note, plan, rateLimits, trim, trouble } from './decode-beside.ts'
import { echo, here, most, put, type Reader } from './decode-state.ts'
import { agentStates, childOf, startTask } from './decode-task.ts'
import { contextOf, endTurn, spend, startTurn, updateSetting } from './decode-thread.ts'
import { limitsOf, millisOf, settingOf, usageOf } from './values.ts'
import type { Told } from './wire.ts'
import type { Item } from './wire-item.ts'
import { faultFrom, reasonOfFault, statusOf } from './words.ts'

// ── turns and tokens ─────────────────────────────────────────────────────────────────────────────────────────────────────

function started(on: Reader, { turn_id: native }: Told<'event_msg/task_started'>): void {
  on.thread.untold = false
  startTurn(on, native ?? undefined)
}

function completed(on: Reader, told: Told<'event_msg/task_complete'>): void {
  const error = told.error ? faultFrom(told.error.message, told.error.codex_error_info) : undefined
  const text = told.last_agent_message ?? undefined
  const reason = error === undefined ? 'end_turn' : reasonOfFault(error)
  endTurn(on, { native: told.turn_id ?? undefined, reason, error, text, durationMs: real(told.duration_ms) })
}

function aborted(on: Reader, { turn_id: native, reason: why, duration_ms: durationMs }: Told<'event_msg/turn_aborted'>): void {
  endTurn(on, { native: native ?? undefined, reason: why === 'budget_limited' ? 'budget' : 'cancelled', durationMs: real(durationMs) })
}

/** Mostly after a `token_usage_record` that told the sum already; the context's limit and the rate limits stand only here. */
function tokenCount(on: Reader, { info, rate_limits: told }: Told<'event_msg/token_count'>): void {
  const total = usageOf(info?.total_token_usage)
  const last = usageOf(info?.last_token_usage)
  const news = total !== undefined && spend(on, total, last)
  const context = contextOf(last, nat(info?.model_context_window))
  if (context === undefined && !news) return rateLimits(on, told)
  on.pen.emit(
    'usage.update',
    { scope: 'session', cumulative: true, usage: news ? total : undefined, context, limits: limitsOf(told) },
    here(on),
  )
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type CallEnd = Told<'event_msg/exec_command_end'>

/** How a call ended, before its answer comes; or how a command ended that went on after it. */
function callEnd(on: Reader, call: string, told: Omit<CallEnd, 'call_id' | 'type'>, output?: string | null): void {
  const exitCode = int(told.exit_code)
  const durationMs = millisOf(told.duration)
  const status = statusOf(told.status) ?? (told.success === false ? 'error' : undefined)
  if (on.pen.isOpen(call)) {
    put(on.thread.results, call, { status, exitCode, durationMs }, most.results)
    return echo(on)
  }
  const task = told.process_id
  if (!task || !on.pen.hasTask(task)) return echo(on)
  on.pen.emit('task.end', { task, status: status ?? (exitCode === 0 ? 'ok' : 'error'), text: output ?? undefined }, here(on))
}

const ended = (on: Reader, told: CallEnd): void => callEnd(on, told.call_id, told)

/** Items that repeat a response. */
const repeats: ReadonlySet<string> = new Set([
  'UserMessage',
  'HookPrompt',
  'AgentMessage',
  'Plan',
  'Reasoning',
  'WebSearch',
  'ImageView',
  'ImageGeneration',
])

/** Items that say what no response says. */
const items: Readonly<Record<string, (on: Reader, item: Item) => void>> = {
  CommandExecution: (on, item) => callEnd(on, item.id, item, item.aggregated_output),
  FileChange: (on, item) => callEnd(on, item.id, item),
  McpToolCall: (on, item) => callEnd(on, item.id, item),
  DynamicToolCall: (on, item) => callEnd(on, item.id, item),
  CollabAgentToolCall: collab,
  ContextCompaction: (on) => trim(on, 'event'),
}

function collab(on: Reader, item: Item): void {
  if (item.tool?.toLowerCase().startsWith('spawn') === true)
    for (const id of item.receiver_thread_ids ?? []) spawned(on, id, item.prompt, item.model, item.id)
  agentStates(on, item.agents_states)
  echo(on)
}

function spawned(on: Reader, id: string, prompt?: string | null, model?: string | null, call?: string): void {
  startTask(on, childOf(on, id, on.thread), { prompt: prompt ?? undefined, model: model || undefined }, call)
}

function spawnEnd(on: Reader, { new_thread_id: id, prompt, model, call_id: call }: Told<'event_msg/collab_agent_spawn_end'>): void {
  if (id) spawned(on, id, prompt, model, call)
  echo(on)
}

function itemCompleted(on: Reader, { item }: Told<'event_msg/item_completed'>): void {
  const read = Object.hasOwn(items, item.type) ? items[item.type] : undefined
  if (read === undefined) return on.pen.raw(on.tag, repeats.has(item.type) ? 'redundant' : 'unmapped', here(on))
  read(on, item as unknown as Item) // its shape is that of its type, or what is missing is absent
}

// ── beside the work ──────────────────────────────────────────────────────────────────────────────────────────────────────

const review = (on: Reader, told: Rec): void => note(on, 'info', str(told['user_facing_hint']) ?? '', told['review_output'])

export const readers = {
  'event_msg/task_started': started,
  'event_msg/turn_started': started,
  'event_msg/task_complete': completed,
  'event_msg/turn_complete': completed,
  'event_msg/turn_aborted': aborted,
  'event_msg/token_count': tokenCount,
  'event_msg/thread_settings_applied': (on: Reader, { thread_settings: told }: Told<'event_msg/thread_settings_applied'>): void =>
    updateSetting(on, settingOf(told)),
  'event_msg/thread_name_updated': (on: Reader, { thread_name: title }: Told<'event_msg/thread_name_updated'>): void =>
    on.pen.emit('session.update', { title: title ?? undefined }, here(on)),
  'event_msg/item_started': echo,
  'event_msg/item_completed': itemCompleted,
  'event_msg/exec_command_end': ended,
  'event_msg/patch_apply_end': ended,
  'event_msg/mcp_tool_call_end': ended,
  'event_msg/collab_agent_spawn_end': spawnEnd,
  'event_msg/collab_waiting_end': (on: Reader, { statuses }: Told<'event_msg/collab_waiting_end'>): void => {
    agentStates(on, statuses)
    echo(on)
  },
  'event_msg/collab_close_end': (on: Reader, { receiver_thread_id: id, status }: Told<'event_msg/collab_close_end'>): void => {
    if (id) agentStates(on, { [id]: statusOf(isRecord(status) ? Object.keys(status)[0] : status) === undefined ? 'shutdown' : status })
    echo(on)
  },
  'event_msg/plan_update': plan,
  'event_msg/turn_diff': (on: Reader, { unified_diff: diff }: Told<'event_msg/turn_diff'>): void =>
    on.pen.emit('file.update', { diff }, here(on)),
  'event_msg/context_compacted': (on: Reader): void => trim(on, 'event'),
  'event_msg/thread_rolled_back': (on: Reader): void => on.pen.emit('context.trim', { why: 'trim', trigger: 'manual' }, here(on)),
  'event_msg/error': (on: Reader, { message, codex_error_info: info }: Told<'event_msg/error'>): void => trouble(on, message, info),
  'event_msg/stream_error': (on: Reader, told: Told<'event_msg/stream_error'>): void =>
    trouble(on, told.message, told.codex_error_info, told.additional_details),
  'event_msg/warning': (on: Reader, { message }: Told<'event_msg/warning'>): void => note(on, 'warn', message),
  'event_msg/guardian_warning': (on: Reader, { message }: Told<'event_msg/guardian_warning'>): void => note(on, 'warn', message),
  'event_msg/background_event': (on: Reader, { message }: Told<'event_msg/background_event'>): void => note(on, 'warn', message),
  'event_msg/deprecation_notice': (on: Reader, { summary, details }: Told<'event_msg/deprecation_notice'>): void =>
    note(on, 'warn', summary, details),
  'event_msg/entered_review_mode': review,
  'event_msg/exited_review_mode': review,
}
