// Tool calls and the permission to run them. A call is told when it runs; the input of a tool that Copilot has itself is told
// while the model writes it. The two records of a command's output say the same: one in pieces, the other all so far.
import { isRecord } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { ToolKind, ToolStatus } from '../../model/vocabulary.ts'
import { int } from '../values.ts'
import { type Call, laneOf, put, type Reader } from './decode-state.ts'
import { deciderOf, decisionOf, exitCodeIn, refuserIn } from './values.ts'
import type { Wire } from './wire.ts'

// ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function startCall(on: Reader, id: string, start: Omit<Payload<'tool.start'>, 'toolKind'>, running: boolean): Call {
  const lane = laneOf(on)
  const message = on.session.messages.get(lane) // a user's own call has none
  const toolKind = start.server === undefined ? toolKindOf(start.name) : 'other'
  const call: Call = {
    name: start.name,
    kind: toolKind,
    lane,
    whole: start.input !== undefined,
    running,
    output: undefined,
    head: '',
    length: 0,
    permitted: undefined,
  }
  put(on.session.calls, id, call)
  on.pen.emit(
    'tool.start',
    { ...start, toolKind },
    {
      agent: lane,
      message: message?.id,
      block: message === undefined ? undefined : message.next++,
      call: id,
    },
  )
  return call
}

/** Which server a tool belongs to is known when it runs: only tools of Copilot's own can be told before. */
export function callDelta(on: Reader, { data }: Wire<'assistant.tool_call_delta'>): void {
  const { toolCallId: id, toolName: name, inputDelta: text } = data
  if (!on.pen.isOpen(id)) {
    if (!name || toolKindOf(name) === 'other') return on.pen.raw(on.tag, 'redundant')
    startCall(on, id, { name }, false)
  }
  on.pen.emit('tool.delta', { of: 'input', text }, { agent: on.session.calls.get(id)?.lane, call: id })
}

type Request = NonNullable<Wire<'assistant.message'>['data']['toolRequests']>[number]

/** The message holds the whole input of a call whose pieces were told. */
export function requested(on: Reader, { toolCallId: id, arguments: input }: Request): boolean {
  const call = on.session.calls.get(id)
  if (call === undefined || call.whole || !on.pen.isOpen(id)) return false
  call.whole = true
  on.pen.emit('tool.update', { state: 'pending', input }, { agent: call.lane, call: id })
  return true
}

type Run = {
  toolCallId: string
  toolName: string
  arguments?: unknown
  toolTitle?: string | null | undefined
  mcpServerName?: string | null | undefined
}

function run(on: Reader, { toolCallId: id, toolName: name, arguments: input, toolTitle, mcpServerName }: Run, hostedBy?: 'host'): void {
  const title = toolTitle ?? undefined
  const call = on.pen.isOpen(id) ? on.session.calls.get(id) : undefined
  if (call === undefined) return void startCall(on, id, { name, title, input, server: mcpServerName ?? undefined, hostedBy }, true)
  on.pen.emit('tool.update', { state: 'running', title, input: call.whole ? undefined : input }, { agent: call.lane, call: id })
  call.whole = call.running = true
}

export const executionStart = (on: Reader, { data }: Wire<'tool.execution_start'>): void => run(on, data)
export const userRequested = (on: Reader, { data }: Wire<'tool.user_requested'>): void => run(on, data)
export const externalTool = (on: Reader, { data }: Wire<'external_tool.requested'>): void => run(on, data, 'host')

// ── output ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function shellOutput(on: Reader, { data }: Wire<'tool.shell_output'>): void {
  const call = on.session.calls.get(data.toolCallId)
  if (call === undefined || call.output === 'partial') return on.pen.raw(on.tag, 'redundant')
  call.output = 'shell'
  const stream = data.stream === 'stdout' || data.stream === 'stderr' ? data.stream : undefined
  on.pen.emit('tool.delta', { of: 'output', text: data.text, stream }, { agent: call.lane, call: data.toolCallId })
}

const headLength = 64

/** All output so far, though its documentation calls it a piece: what begins like the last one goes on with it. */
export function partialResult(on: Reader, { data }: Wire<'tool.execution_partial_result'>): void {
  const call = on.session.calls.get(data.toolCallId)
  if (call === undefined || call.output === 'shell') return on.pen.raw(on.tag, 'redundant')
  const all = data.partialOutput
  const goesOn = call.output === 'partial' && all.length >= call.length && all.startsWith(call.head)
  const text = goesOn ? all.slice(call.length) : all
  call.output = 'partial'
  call.head = all.slice(0, headLength)
  call.length = all.length
  if (text === '') return on.pen.raw(on.tag, 'redundant')
  on.pen.emit('tool.delta', { of: 'output', text }, { agent: call.lane, call: data.toolCallId })
}

export function progress(on: Reader, { data }: Wire<'tool.execution_progress'>): void {
  const content = [{ type: 'text', text: data.progressMessage }]
  on.pen.emit('tool.update', { state: 'running', content }, { agent: on.session.calls.get(data.toolCallId)?.lane, call: data.toolCallId })
}

// ── end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function executionComplete(on: Reader, { data }: Wire<'tool.execution_complete'>): void {
  const { session, pen } = on
  const { toolCallId: id, error } = data
  const call = session.calls.get(id)
  const agent = call === undefined ? laneOf(on) : call.lane
  session.calls.delete(id)
  const result = typeof data.result === 'string' ? { content: data.result } : (data.result ?? undefined)
  const content = result?.contents ?? result?.binaryResultsForLlm ?? undefined
  const text = result?.content ?? error?.message ?? undefined
  const status = statusOf(data.success, error?.code)
  const task = session.tasks.get(id)
  pen.emit(
    'tool.end',
    {
      status,
      text,
      content,
      data: result?.structuredContent ?? detailOf(result),
      error: status === 'error' ? { category: 'unknown', text: text ?? '', code: error?.code ?? undefined } : undefined,
      exitCode: int(data.shellExecution?.exitCode) ?? exitCodeOf(content) ?? (mayRun(call) && text ? exitCodeIn(text) : undefined),
      task: task !== undefined && status === 'ok' && pen.hasTask(task) ? task : undefined, // it goes on in the background
      permitted: call?.permitted ?? (status === 'denied' ? { allow: false, by: refuserIn(text ?? '') } : undefined),
    },
    { agent, call: id },
  )
  const edits = data.fileEdits ?? []
  if (edits.length > 0) pen.emit('file.update', { changes: edits.map(({ path, kind }) => ({ path, change: changeOf(kind) })) }, { agent })
}

const mayRun = (call: Call | undefined): boolean => call === undefined || call.kind === 'execute'

function statusOf(success: boolean, code: string | null | undefined): ToolStatus {
  if (success) return 'ok'
  if (code === 'denied' || code === 'rejected') return 'denied'
  return code === 'cancelled' || code === 'aborted' || code === 'interrupted' ? 'cancelled' : 'error'
}

/** The result for people, where it says more than the one for the model: a diff. */
function detailOf(result: { content?: unknown; detailedContent?: unknown } | undefined): unknown {
  const detail = result?.detailedContent ?? undefined
  return detail === undefined || detail === result?.content ? undefined : { detailedContent: detail }
}

function exitCodeOf(content: readonly unknown[] | undefined): number | undefined {
  for (const block of content ?? []) {
    const code = isRecord(block) && (block['type'] === 'shell_exit' || block['type'] === 'terminal') ? int(block['exitCode']) : undefined
    if (code !== undefined) return code
  }
  return undefined
}

export const changeOf = (kind: string | null | undefined): 'add' | 'update' | 'delete' =>
  kind === 'create' ? 'add' : kind === 'delete' ? 'delete' : 'update'

// ── permission ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const kinds: Readonly<Record<string, ToolKind>> = { shell: 'execute', write: 'edit', read: 'read', url: 'fetch' }

export function permissionRequested(on: Reader, { data }: Wire<'permission.requested'>): void {
  const { requestId: id, permissionRequest: ask } = data
  if (on.pen.isAsked(id)) return on.pen.raw(on.tag, 'redundant')
  const permission = ask.kind ?? undefined
  const call = ask.toolCallId ?? undefined
  const known = call === undefined ? undefined : on.session.calls.get(call)
  const subject = ask.fullCommandText ?? ask.fileName ?? ask.path ?? ask.url ?? undefined
  on.pen.emit(
    'permission.request',
    {
      id,
      name: known?.name ?? ask.toolName ?? undefined,
      toolKind: known?.kind ?? (permission !== undefined && Object.hasOwn(kinds, permission) ? kinds[permission] : undefined),
      permission,
      patterns: subject === undefined ? undefined : [subject],
      input: ask.args ?? undefined,
      question: ask.intention ?? undefined,
      options: [],
    },
    { agent: known === undefined ? laneOf(on) : known.lane, call },
  )
}

export function permissionCompleted(on: Reader, { data }: Wire<'permission.completed'>): void {
  const { requestId: id, result, decisionSource, toolCallId: call } = data
  const known = on.session.calls.get(call ?? '')
  const place = { agent: known === undefined ? laneOf(on) : known.lane, call: call ?? undefined }
  if (!on.pen.isAsked(id))
    on.pen.emit('permission.request', { id, name: known?.name, toolKind: known?.kind, options: [] }, { ...place, synthetic: 'implied' })
  const [decision, by] = [decisionOf(result.kind), deciderOf(result.kind, decisionSource)]
  if (known !== undefined) known.permitted = { allow: decision === 'allow', by }
  on.pen.emit(
    'permission.answer',
    {
      id,
      decision,
      by,
      scope: result.kind === 'approved-for-session' ? 'session' : result.kind === 'approved-for-location' ? 'always' : undefined,
      text: result.feedback ?? result.message ?? result.reason ?? undefined,
      stop: result.forceReject === true || result.interrupt === true ? true : undefined,
    },
    place,
  )
}
