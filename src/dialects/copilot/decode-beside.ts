// What is said beside the conversation: settings, catalogues, context, hooks, questions to the user, notes.
import type { Payload } from '../../model/event.ts'
import { codeText } from '../../model/fault.ts'
import { isRecord } from '../../base/json.ts'
import type { Decision } from '../../model/vocabulary.ts'
import { nat } from '../values.ts'
import { laneOf, most, type Reader } from './decode-state.ts'
import { changeOf } from './decode-tool.ts'
import type { Wire } from './wire.ts'

// ── settings and catalogues ──────────────────────────────────────────────────────────────────────────────────────────────

const update = ({ pen }: Reader, changed: Payload<'session.update'>): void => pen.emit('session.update', { by: 'agent', ...changed })

export function toolsUpdated(on: Reader, { data }: Wire<'session.tools_updated'>): void {
  if (!data.model) return on.pen.raw(on.tag, 'redundant')
  update(on, { model: data.model })
}
export const modelChange = (on: Reader, { data }: Wire<'session.model_change'>): void => update(on, { model: data.newModel })
export const modeChanged = (on: Reader, { data }: Wire<'session.mode_changed'>): void => update(on, { mode: data.newMode })
export const titleChanged = (on: Reader, { data }: Wire<'session.title_changed'>): void => update(on, { title: data.title })
export const contextChanged = (on: Reader, { data }: Wire<'session.context_changed'>): void => update(on, { cwd: data.cwd ?? undefined })

export function skillsLoaded({ pen }: Reader, { data }: Wire<'session.skills_loaded'>): void {
  pen.emit('catalog.update', { skills: data.skills.map(({ name, path }) => ({ name, path: path ?? undefined })) })
}

export function serversLoaded(on: Reader, { data }: Wire<'session.mcp_servers_loaded'>): void {
  on.session.servers.clear()
  for (const { name, status, error } of data.servers) setServer(on, name, status ?? 'unknown', error)
  tellServers(on)
}

/** A list replaces the one before, so that one server's news is told with all the others. */
export function serverChanged(on: Reader, { data }: Wire<'session.mcp_server_status_changed'>): void {
  setServer(on, data.serverName, data.status, data.error)
  tellServers(on)
}

function setServer({ session }: Reader, name: string, status: string, error: string | null | undefined): void {
  if (session.servers.size < most || session.servers.has(name)) session.servers.set(name, { name, status, error: error ?? undefined })
}
const tellServers = ({ pen, session }: Reader): void => pen.emit('catalog.update', { servers: [...session.servers.values()] })

export function agentsUpdated({ pen }: Reader, { data }: Wire<'session.custom_agents_updated'>): void {
  pen.emit('catalog.update', { agents: data.agents.map(({ name, description }) => ({ name, description: description ?? undefined })) })
  for (const trouble of [...(data.errors ?? []), ...(data.warnings ?? [])]) {
    const text = codeText(isRecord(trouble) ? trouble['message'] : trouble)
    if (text !== undefined) pen.emit('notice', { level: 'warn', code: 'custom_agents', text })
  }
}

export function commandsChanged({ pen }: Reader, { data }: Wire<'commands.changed'>): void {
  pen.emit('catalog.update', { commands: data.commands.map(({ name, description }) => ({ name, description: description ?? undefined })) })
}

export function skillInvoked(on: Reader, { data }: Wire<'skill.invoked'>): void {
  const { name, path, description } = data
  on.pen.emit(
    'skill.load',
    { name, level: 'loaded', path: path ?? undefined, description: description ?? undefined },
    { agent: laneOf(on) },
  )
}

// ── notes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function info({ pen }: Reader, { data }: Wire<'session.info'>): void {
  pen.emit('notice', { level: 'info', code: data.infoType ?? undefined, text: data.message })
}
export function warning({ pen }: Reader, { data }: Wire<'session.warning'>): void {
  pen.emit('notice', { level: 'warn', code: data.warningType ?? undefined, text: data.message })
}
export function notification({ pen }: Reader, { data }: Wire<'system.notification'>): void {
  const code = codeText(isRecord(data.kind) ? data.kind['type'] : data.kind)
  pen.emit('notice', { level: 'info', code, text: data.content, data: isRecord(data.kind) ? data.kind : undefined })
}
export function hookProgress({ pen }: Reader, { data }: Wire<'hook.progress'>): void {
  pen.emit('notice', { level: 'info', code: 'hook.progress', text: data.message })
}
export function intent(on: Reader, { data }: Wire<'assistant.intent'>): void {
  on.pen.emit('status.update', { phase: 'working', label: data.intent, source: 'agent' }, { agent: laneOf(on) })
}
export function taskComplete({ pen }: Reader, { data }: Wire<'session.task_complete'>): void {
  pen.emit('report', { type: 'finish', status: data.outcome ?? undefined, text: data.summary ?? undefined })
}
export function fileChanged({ pen }: Reader, { data }: Wire<'session.workspace_file_changed'>): void {
  pen.emit('file.update', { changes: [{ path: data.path, change: changeOf(data.operation) }] })
}

// ── context ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function usageInfo(on: Reader, { data }: Wire<'session.usage_info'>): void {
  const used = nat(data.currentTokens)
  if (used === undefined) return on.pen.raw(on.tag, 'unmapped')
  on.pen.emit('usage.update', { scope: 'session', cumulative: true, context: { used, limit: nat(data.tokenLimit) } }, { agent: laneOf(on) })
}

export function truncation(on: Reader, { data }: Wire<'session.truncation'>): void {
  const [before, after] = [nat(data.preTruncationTokensInMessages), nat(data.postTruncationTokensInMessages)]
  on.pen.emit('context.trim', { why: 'trim', trigger: 'auto', before, after }, { agent: laneOf(on) })
}

export function compactionStart(on: Reader): void {
  on.pen.emit('status.update', { phase: 'working', label: 'compacting', source: 'agent' }, { agent: laneOf(on) })
}

export function compactionComplete(on: Reader, { data }: Wire<'session.compaction_complete'>): void {
  const agent = laneOf(on)
  if (data.success === false)
    return on.pen.emit('notice', { level: 'warn', code: 'compaction', text: data.error ?? 'compaction failed' }, { agent })
  on.pen.emit(
    'context.trim',
    {
      why: 'compact',
      trigger: data.trigger ? (data.trigger === 'manual' ? 'manual' : 'auto') : undefined,
      before: nat(data.preCompactionTokens),
      after: nat(data.postCompactionTokens),
      text: data.summaryContent ?? undefined,
    },
    { agent },
  )
}

export const contextCleared = (on: Reader): void => on.pen.emit('context.trim', { why: 'clear' }, { agent: laneOf(on) })

export function limitsExhausted({ pen }: Reader, { data }: Wire<'session_limits_exhausted.requested'>): void {
  const used = data.maxAiCredits > 0 ? data.usedAiCredits / data.maxAiCredits : undefined
  pen.emit('usage.update', { scope: 'session', cumulative: true, limits: [{ name: 'ai-credits', state: 'reached', used }] })
}

// ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function hookStart(on: Reader, { data }: Wire<'hook.start'>): void {
  startHook(on, data.hookInvocationId, data.hookType)
}

function startHook(on: Reader, id: string, type: string, synthetic?: 'implied'): void {
  if (on.session.hooks.size < most) on.session.hooks.add(id)
  on.pen.emit('hook.start', { id, name: type, event: type }, { agent: laneOf(on), synthetic })
}

export function hookEnd(on: Reader, { data }: Wire<'hook.end'>): void {
  const { hookInvocationId: id, hookType, success, error } = data
  if (!on.session.hooks.has(id)) startHook(on, id, hookType ?? '', 'implied')
  on.session.hooks.delete(id)
  on.pen.emit('hook.end', { id, status: success ? 'ok' : 'error', text: error?.message ?? undefined }, { agent: laneOf(on) })
}

// ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Question = { id: string; text: string; choices?: readonly string[] | null | undefined; call: string | null | undefined }

function ask(on: Reader, { id, text, choices, call }: Question): void {
  if (on.pen.isAsked(id)) return on.pen.raw(on.tag, 'redundant')
  const options = (choices ?? []).map((label) => ({ label }))
  on.pen.emit('question.request', { id, questions: [{ text, options }] }, { agent: laneOf(on), call: call ?? undefined })
}

/** The agent waits for an answer: what comes when it does not is none. */
function answer(on: Reader, id: string, decision: Decision, text?: string): void {
  if (!on.pen.isAsked(id) || on.pen.openTurns() === 0) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit('question.answer', { id, decision, by: 'user', text }, { agent: laneOf(on) })
}

export const inputRequested = (on: Reader, { data }: Wire<'user_input.requested'>): void =>
  ask(on, { id: data.requestId, text: data.question, choices: data.choices, call: data.toolCallId })
export const inputCompleted = (on: Reader, { data }: Wire<'user_input.completed'>): void =>
  answer(on, data.requestId, 'allow', data.answer ?? undefined)
export const elicitationRequested = (on: Reader, { data }: Wire<'elicitation.requested'>): void =>
  ask(on, { id: data.requestId, text: data.message, call: data.toolCallId })
export const elicitationCompleted = (on: Reader, { data }: Wire<'elicitation.completed'>): void =>
  answer(on, data.requestId, data.action === 'decline' ? 'reject' : data.action === 'cancel' ? 'cancelled' : 'allow')

/** May the agent leave plan mode? Each action is a way to say yes. */
export function planRequested(on: Reader, { data }: Wire<'exit_plan_mode.requested'>): void {
  const { requestId: id, summary, planContent, actions } = data
  if (on.pen.isAsked(id)) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit(
    'permission.request',
    {
      id,
      name: 'exit_plan_mode',
      toolKind: 'mode',
      input: planContent ? { plan: planContent } : undefined,
      question: summary ?? undefined,
      options: (actions ?? []).map((action) => ({ id: action, kind: 'allow_once' as const, label: action })),
    },
    { agent: laneOf(on) },
  )
}

export function planCompleted(on: Reader, { data }: Wire<'exit_plan_mode.completed'>): void {
  const { requestId: id, approved, selectedAction, feedback } = data
  if (!on.pen.isAsked(id)) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit(
    'permission.answer',
    { id, decision: approved === false ? 'reject' : 'allow', option: selectedAction ?? undefined, by: 'user', text: feedback ?? undefined },
    { agent: laneOf(on) },
  )
}
