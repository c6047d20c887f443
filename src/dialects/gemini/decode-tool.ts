// Tool calls, from the events on stdout and from a chat file. The surprise: a chat file tells a subagent's whole work inside the
// call that started it, so its lane begins and ends there.
import { timeOfIso } from '../../base/time.ts'
import { isRecord, parseJson } from '../../base/json.ts'
import type { Payload, Place } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { ToolStatus } from '../../model/vocabulary.ts'
import { str } from '../values.ts'
import { type Reader, remember } from './decode-state.ts'
import { endingOf, pathsOf, serverOf, toolStatusOf } from './values.ts'
import type { ToolCall, Wire } from './wire.ts'

// ── on stdout ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function toolUse(on: Reader, { type, tool_id: id, tool_name: name, parameters }: Wire<'tool_use'>): void {
  on.stop = undefined
  if (on.pen.isOpen(id)) return on.pen.raw(type, 'redundant', { call: id })
  startTool(on, id, name, parameters)
}

export function toolResult(on: Reader, { type, tool_id: id, status: word, output, error }: Wire<'tool_result'>): void {
  const known = on.calls.get(id)
  if (known?.over === true) return on.pen.raw(type, 'redundant', { call: id })
  const name = known?.name ?? ''
  const text = str(output) ?? error?.message
  const status = toolStatusOf(word) ?? (error ? 'error' : 'ok')
  if (error?.type === 'stop_execution') on.stop = { reason: 'blocked', error: faultOf(error.message ?? '', { code: error.type }) }
  remember(on, id, name, true)
  on.pen.emit(
    'tool.end',
    {
      ...endingOf(toolKindOf(name), status, error?.message ?? text ?? '', error?.type),
      text,
      data: typeof output === 'string' ? undefined : (output ?? undefined),
    },
    { call: id },
  )
}

export function startTool(on: Reader, id: string, name: string, input: unknown, place: Place = {}, title?: string): void {
  remember(on, id, name, false)
  on.pen.emit(
    'tool.start',
    { name, toolKind: toolKindOf(name), title, input, server: serverOf(name), paths: pathsOf(input) },
    { ...place, call: id },
  )
}

// ── in a chat file ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A call as a message lists it. False: it says nothing new. */
export function listedCall(on: Reader, call: ToolCall, place: Place): boolean {
  const { id, name } = call
  const known = on.calls.get(id)
  if (known?.over === true) return false
  const status = toolStatusOf(call.status)
  if (!on.pen.isOpen(id)) startTool(on, id, name, call.args, place, titleOf(call))
  else if (status === undefined) return false
  if (status !== undefined) endCall(on, call, status)
  return true
}

/** What the call is about, for people; of a call that failed early it is the tool's own description. */
const titleOf = ({ status, description, displayName }: ToolCall): string | undefined =>
  (status === 'error' ? undefined : description) || displayName || undefined

/** What a tool answered, as the model is told it. False: the call's own record has told it. */
export function functionResponse(on: Reader, answer: unknown): boolean {
  const id = isRecord(answer) ? str(answer['id']) : undefined
  if (id === undefined || on.calls.get(id)?.over === true) return false
  const name = on.calls.get(id)?.name ?? str((answer as { name?: unknown }).name) ?? ''
  const part = { functionResponse: answer }
  endCall(on, { id, name, result: [part] }, answerOf(part).failed ? 'error' : 'ok')
  return true
}

function endCall(on: Reader, call: ToolCall, status: ToolStatus): void {
  const { id, name, resultDisplay: shown } = call
  const { text, content } = answersOf(call.result)
  const ending = endingOf(toolKindOf(name), status, text ?? str(shown) ?? '')
  const data = typeof shown === 'string' ? undefined : (shown ?? undefined)
  if (call.agentId && isRecord(shown) && shown['isSubagentProgress'] === true) subagent(on, call, call.agentId, shown, status)
  const unknown = on.pen.isOpen(id) ? {} : { name, toolKind: toolKindOf(name) }
  remember(on, id, name, true)
  on.pen.emit('tool.end', { ...ending, ...unknown, text: text ?? str(shown), content, data }, { call: id, at: timeOfIso(call.timestamp) })
}

type Answer = { text: string | undefined; failed: boolean }

function answerOf(part: unknown): Answer {
  if (typeof part === 'string') return { text: part, failed: false }
  if (!isRecord(part)) return { text: undefined, failed: false }
  const answer = isRecord(part['functionResponse']) ? part['functionResponse']['response'] : undefined
  if (!isRecord(answer)) return { text: str(part['text']), failed: false }
  const text = str(answer['output'])
  return text === undefined ? { text: str(answer['error']), failed: 'error' in answer } : { text, failed: false }
}

/** The text of a result, and the parts of it that are no text. */
function answersOf(result: unknown): { text: string | undefined; content: unknown[] | undefined } {
  const parts: unknown[] = Array.isArray(result) ? result : [result ?? undefined]
  let text: string | undefined
  let content: unknown[] | undefined
  for (const part of parts) {
    const piece = answerOf(part).text
    if (piece !== undefined) text = text === undefined ? piece : `${text}\n${piece}`
    else if (part !== undefined) (content ??= []).push(part)
  }
  return { text, content }
}

// ── subagents ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function subagent(on: Reader, call: ToolCall, task: string, progress: { [key: string]: unknown }, status: ToolStatus): void {
  const { pen } = on
  if (pen.hasTask(task)) return
  const args = isRecord(call.args) ? call.args : {}
  const agentType = str(progress['agentName']) ?? str(args['agent_name'])
  pen.emit('task.start', { task, type: 'agent', agentType, prompt: str(args['prompt']), background: false }, { call: call.id })
  const activity: unknown[] = Array.isArray(progress['recentActivity']) ? progress['recentActivity'] : []
  for (const step of activity) if (isRecord(step)) laneStep(on, task, step)
  pen.emit('task.end', { task, status: taskStatus(progress, status), text: str(progress['result']) })
}

/** A subagent that used up its turns or its time has not done its task, though its call went well. */
function taskStatus({ terminateReason: why, state }: { [key: string]: unknown }, status: ToolStatus): ToolStatus {
  if (why === 'ABORTED' || state === 'cancelled') return 'cancelled'
  return (why === undefined || why === 'GOAL') && state !== 'error' ? status : 'error'
}

function laneStep({ pen }: Reader, agent: string, step: { [key: string]: unknown }): void {
  const { id, type, status, content } = step
  if (typeof content !== 'string') return
  if (type === 'thought') return pen.emit('thought.end', { text: content, streamed: false }, { agent })
  if (type !== 'tool_call' || typeof id !== 'string' || pen.isOpen(id)) return
  const place = { agent, call: id }
  const input = inputOf(step['args'])
  const title = str(step['description']) ?? str(step['displayName'])
  pen.emit('tool.start', { name: content, toolKind: toolKindOf(content), title, input, paths: pathsOf(input) }, place)
  pen.emit('tool.end', { status: laneStatuses[str(status) ?? ''] ?? 'abandoned' }, place)
}

const laneStatuses: Readonly<Record<string, Payload<'tool.end'>['status']>> = {
  __proto__: null as never,
  completed: 'ok',
  error: 'error',
  cancelled: 'cancelled',
}

/** Arguments of a subagent's call are the text of their JSON. */
function inputOf(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? undefined
  try {
    return parseJson(args)
  } catch {
    return args
  }
}
