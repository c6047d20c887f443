// Rollout files: the model's words and calls (`response_item`), and what the file says of its session. An answer to a call comes
// as text; how the command behind it ended may stand in an event before it.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { str } from '../values.ts'
import { trim } from './decode-beside.ts'
import { rawBlock, think } from './decode-item.ts'
import { echo, enter, here, most, put, type Reader, type Result, threadAt } from './decode-state.ts'
import { childOf, startTask } from './decode-task.ts'
import { closeUntold, contextOf, leaveThread, spend, startSession, startTurn, updateSetting } from './decode-thread.ts'
import { inputOf, otherBlocks, parentIn, settingOf, textIn, usageOf } from './values.ts'
import type { Told } from './wire.ts'
import { exitCodeIn, processIn, soundsLike } from './words.ts'

// ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function sessionMeta(on: Reader, meta: Told<'session_meta'>): void {
  const forkedFrom = meta.forked_from_id ?? undefined
  const parent = meta.parent_thread_id ?? parentIn(meta.source)
  const root = parent === undefined ? undefined : (meta.session_id ?? parent)
  // A forked file begins with a copy of the one that it came from.
  if (meta.id === on.current.forkedFrom) return echo(on)
  leaveThread(on)
  on.current = root === undefined || root === meta.id ? threadAt(on, meta.id) : childOf(on, meta.id, threadAt(on, root))
  enter(on, on.current)
  const setting = { ...settingOf(meta), version: meta.cli_version ?? undefined }
  const { lane } = on.thread
  startSession(on, lane !== undefined || forkedFrom === undefined ? setting : { ...setting, how: 'forked', forkedFrom })
  on.thread.forkedFrom = forkedFrom
  if (lane !== undefined) startTask(on, on.thread, { agentType: meta.agent_role ?? undefined, title: meta.agent_nickname ?? undefined })
}

function tokenRecord(on: Reader, { thread_token_usage: total, usage: last }: Told<'token_usage_record'>): void {
  const usage = usageOf(total)!
  if (!spend(on, usage, usageOf(last))) return echo(on)
  on.pen.emit('usage.update', { scope: 'session', cumulative: true, usage, context: contextOf(usageOf(last), undefined) }, here(on))
}

// ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function message(on: Reader, told: Told<'response_item/message'>): void {
  const { thread } = on
  if (told.role !== 'assistant') return prompt(on, told)
  thread.trimmed = undefined
  thread.answered = true
  const id = told.id ?? undefined
  const texts = told.content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  texts.forEach((text, block) =>
    on.pen.emit('text.end', { text, streamed: false }, here(on, { message: id, block: texts.length === 1 ? undefined : block })),
  )
  if (texts.length === 0) on.pen.raw(on.tag, 'unmapped', here(on))
}

/** What the program itself puts before the model under the user's name. */
const ownOpenings = [
  '<environment_context>',
  '<user_instructions>',
  '<permissions instructions>',
  '<skill>',
  '<turn_aborted>',
  '<user_shell_command>',
  '<subagent_notification>',
  '<hook_prompt',
  '# AGENTS.md instructions',
]

function prompt(on: Reader, told: Told<'response_item/message'>): void {
  const { role, content, internal_chat_message_metadata_passthrough: metadata } = told
  const text = textIn(content)
  const kinds = metadata?.content_item_kinds
  const own =
    role !== 'user' || (kinds ? !kinds.some((kind) => kind.startsWith('user.')) : ownOpenings.some((opening) => text?.startsWith(opening)))
  const by = own ? 'system' : on.thread.lane === undefined ? 'user' : 'agent'
  if (!own && on.thread.untold) {
    closeUntold(on)
    startTurn(on, undefined, 'implied')
    on.thread.answered = false
  }
  if (own && text?.startsWith('<skill>') === true) skill(on, text)
  on.pen.emit('prompt.submit', { text, content: otherBlocks(content), by, state: 'seen' }, here(on))
}

/** The user named a skill: its text goes to the model, with its name and place before it. */
function skill(on: Reader, text: string): void {
  const head = text.slice(0, 2000)
  const name = /<name>([^<]*)<\/name>/.exec(head)?.[1]
  if (name !== undefined) on.pen.emit('skill.load', { name, level: 'loaded', path: /<path>([^<]*)<\/path>/.exec(head)?.[1] }, here(on))
}

function reasoning(on: Reader, { id, summary, content }: Told<'response_item/reasoning'>): void {
  const texts = (parts: readonly { text?: string | undefined }[] | null | undefined): string[] =>
    (parts ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  think(on, id ?? '', [
    ...texts(summary).map((text, index) => [index, text] as const),
    ...texts(content).map((text, index) => [rawBlock(index), text] as const),
  ])
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function start(on: Reader, call: string, tool: Omit<Payload<'tool.start'>, 'toolKind'>): void {
  const { thread } = on
  const toolKind = toolKindOf(tool.name)
  thread.answered = false
  thread.trimmed = undefined
  put(thread.calls, call, toolKind === 'execute' || toolKind === 'edit', most.open)
  if (on.pen.isOpen(call)) return on.pen.emit('tool.update', { state: 'running', input: tool.input }, here(on, { call }))
  on.pen.emit('tool.start', { toolKind, ...tool }, here(on, { call }))
}

function functionCall(on: Reader, { call_id: call, name, namespace, arguments: input }: Told<'response_item/function_call'>): void {
  start(on, call, { name, server: serverIn(namespace ?? name), input: inputOf(input) })
}

/** `mcp__echo`, `mcp__echo__say` */
const serverIn = (name: string): string | undefined => (name.startsWith('mcp__') ? name.split('__', 2)[1] : undefined)

function shellCall(on: Reader, { call_id: call, id, action }: Told<'response_item/local_shell_call'>): void {
  const { type: _type, ...input } = isRecord(action) ? action : {}
  start(on, call ?? id ?? '', { name: 'local_shell', input })
}

function output(on: Reader, { call_id: call, output: told }: Told<'response_item/function_call_output'>): void {
  const { thread } = on
  const text = typeof told === 'string' ? told : Array.isArray(told) ? textIn(told) : (str(told.content) ?? textIn(told.content))
  const runs = thread.calls.get(call) === true
  const result: Result = thread.results.get(call) ?? {}
  thread.calls.delete(call)
  thread.results.delete(call)
  const exitCode = result.exitCode ?? (runs && text !== undefined ? exitCodeIn(text) : undefined)
  const failed = isRecord(told) && told['success'] === false
  const byCode = exitCode === undefined ? undefined : exitCode === 0 ? 'ok' : 'error'
  const inWords = text === undefined ? undefined : soundsLike(text)
  const task = runs && text !== undefined ? processIn(text) : undefined
  if (task !== undefined && !on.pen.hasTask(task))
    on.pen.emit('task.start', { task, type: 'command', background: true }, here(on, { call }))
  on.pen.emit(
    'tool.end',
    {
      status: result.status ?? (failed ? 'error' : (byCode ?? inWords ?? 'ok')),
      text,
      content: Array.isArray(told) ? otherBlocks(told) : undefined,
      exitCode,
      durationMs: result.durationMs,
      task,
    },
    here(on, { call }),
  )
}

/** Tools of the provider are told with their result, in one record. */
function hosted(
  on: Reader,
  call: string,
  name: string,
  input: unknown,
  end: Omit<Payload<'tool.end'>, 'status'>,
  status?: string | null,
): void {
  on.pen.emit('tool.start', { name, toolKind: toolKindOf(name), input, hostedBy: 'provider' }, here(on, { call }))
  on.pen.emit('tool.end', { status: status === 'failed' ? 'error' : 'ok', ...end }, here(on, { call }))
}

const made = (on: Reader): string => `~call-${on.origin.record}`

export const readers = {
  session_meta: sessionMeta,
  turn_context: (on: Reader, told: Rec): void => updateSetting(on, settingOf(told)),
  world_state: echo,
  compacted: (on: Reader, { message: text }: Told<'compacted'>): void => trim(on, 'file', text || undefined),
  token_usage_record: tokenRecord,
  inter_agent_communication: (on: Reader, { content }: Told<'inter_agent_communication'>): void =>
    on.pen.emit('prompt.submit', { text: str(content) ?? textIn(content), by: 'agent', state: 'seen' }, here(on)),
  'response_item/agent_message': (on: Reader, { content }: Told<'response_item/agent_message'>): void =>
    on.pen.emit('prompt.submit', { text: str(content) ?? textIn(content), by: 'agent', state: 'seen' }, here(on)),
  'response_item/message': message,
  'response_item/reasoning': reasoning,
  'response_item/function_call': functionCall,
  'response_item/function_call_output': output,
  'response_item/custom_tool_call': (on: Reader, { call_id: call, name, input }: Told<'response_item/custom_tool_call'>): void =>
    start(on, call, { name, input }),
  'response_item/custom_tool_call_output': output,
  'response_item/local_shell_call': shellCall,
  'response_item/tool_search_call': (on: Reader, { call_id: call, arguments: input }: Told<'response_item/tool_search_call'>): void =>
    start(on, call ?? made(on), { name: 'tool_search', input: inputOf(input) }),
  'response_item/tool_search_output': (on: Reader, { call_id: call, tools }: Told<'response_item/tool_search_output'>): void =>
    call && on.pen.isOpen(call) ? on.pen.emit('tool.end', { status: 'ok', data: tools }, here(on, { call })) : echo(on),
  'response_item/web_search_call': (on: Reader, { id, status, action }: Told<'response_item/web_search_call'>): void =>
    hosted(on, id || made(on), 'web_search', action ?? undefined, {}, status),
  'response_item/image_generation_call': (on: Reader, told: Told<'response_item/image_generation_call'>): void =>
    hosted(
      on,
      told.id || made(on),
      'image_generation',
      told.revised_prompt ? { prompt: told.revised_prompt } : undefined,
      { data: told.result ?? undefined },
      told.status,
    ),
}

/** The file is read to its end: a turn that only its prompt told is over, and so is the session of a subagent's own file. */
export function endFile(on: Reader): void {
  closeUntold(on)
  const { thread } = on
  if (thread.lane === undefined || thread.turn !== undefined || thread.lastReason === undefined || on.pen.openTurns() === 0) return
  on.pen.emit('turn.end', { reason: thread.lastReason, error: thread.lastError, usage: thread.root.lanesSpent }, { synthetic: 'implied' })
}
