// Calls of tools. A call begins with `tool_call`, or with the question whether it may run; `tool_call` again is an update. What it came
// to is spread over its status, its content, the raw output, `_meta`, and the terminal that it shows.
import { isRecord } from '../../base/json.ts'
import type { Payload, Place } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { ToolStatus } from '../../model/vocabulary.ts'
import { exitCodeOf, outputOf, pathsOf } from './content.ts'
import { addCall, type Call, calledAs, type Reader, type Session, since, tellHeld, terminalOf } from './decode-state.ts'
import { endTask, laneOf, teamwork, threads } from './decode-task.ts'
import { at, str, toolOf } from './words.ts'
import type { Tool } from './wire.ts'

export function toolCall(on: Reader, session: Session, tool: Tool, child: string | undefined): void {
  const call = calledAs(session, tool.toolCallId)
  const isNew = !on.pen.isOpen(call)
  if (isNew && isFinal(tool.status) && session.used.has(tool.toolCallId)) return on.pen.raw(on.tag, 'redundant', { call })
  if (isNew) begin(on, session, tool, child)
  else goOn(on, session, call, tool)
  if (isFinal(tool.status)) end(on, session, calledAs(session, tool.toolCallId), tool)
}

export function toolUpdate(on: Reader, session: Session, tool: Tool, child: string | undefined): void {
  const call = calledAs(session, tool.toolCallId)
  if (!on.pen.isOpen(call)) {
    if (session.used.has(tool.toolCallId)) return on.pen.raw(on.tag, 'redundant', { call })
    begin(on, session, tool, child, 'implied')
  } else if (isFinal(tool.status)) {
    const { toolCallId, status, rawInput, locations } = tool
    if (rawInput !== undefined) goOn(on, session, call, { toolCallId, status, rawInput, locations })
  } else return goOn(on, session, call, tool)
  if (isFinal(tool.status)) end(on, session, calledAs(session, tool.toolCallId), tool)
}

/** Tells the call if it is not known yet; its id in our events. */
export function introduce(on: Reader, session: Session, tool: Tool, child: string | undefined): string {
  const call = calledAs(session, tool.toolCallId)
  return on.pen.isOpen(call) || session.used.has(tool.toolCallId) ? call : begin(on, session, tool, child)
}

function begin(on: Reader, session: Session, tool: Tool, child: string | undefined, synthetic?: 'implied'): string {
  const agent = laneOf(on, session, tool._meta, child)
  const { name, toolKind, server } = toolOf(tool, on.program)
  const input = isYetToCome(tool) ? undefined : tool.rawInput
  const call = addCall(session, tool.toolCallId, {
    name,
    toolKind,
    agent,
    begun: on.t,
    permitted: undefined,
    streamed: false,
    background: false,
    asked: undefined,
    hasInput: input !== undefined,
    terminal: undefined,
    data: undefined,
  })
  const title = str(tool.title)
  on.pen.emit('tool.start', { name, toolKind, title, input, server, paths: pathsOf(tool.locations) }, { call, agent, synthetic })
  show(session, call, tool)
  if (tool.content?.length && !isFinal(tool.status))
    on.pen.emit('tool.update', { state: stateOf(tool.status), content: tool.content as unknown[] }, { call, agent })
  threads(on, call, tool.rawInput)
  return call
}

/** While a model still writes the input of a call, agents tell an empty one, or where it will run. */
const isYetToCome = ({ status, rawInput }: Tool): boolean =>
  status === 'pending' && isRecord(rawInput) && Object.keys(rawInput).every((key) => key === 'cwd')

/** Remembers the terminal that the call shows. */
function show(session: Session, call: string, { content }: Tool): void {
  const id = content?.find(({ type }) => type === 'terminal')?.terminalId
  const known = session.calls.get(call)
  if (id === undefined || known === undefined) return
  known.terminal = id
  terminalOf(session, id).call = call
}

// ── while it runs ────────────────────────────────────────────────────────────────────────────────────────────────────────

function goOn(on: Reader, session: Session, call: string, tool: Tool): void {
  const known = session.calls.get(call)
  const place = { call, agent: known?.agent }
  show(session, call, tool)
  const output = terminalOutput(tool)
  if (output !== undefined) {
    if (known !== undefined) known.streamed = true
    on.pen.emit('tool.delta', { of: 'output', text: output }, place)
  }
  const response = at(at(tool._meta, 'claudeCode'), 'toolResponse')
  if (response !== undefined && known !== undefined) {
    if (isRecord(response)) known.data = response
    known.background = at(response, 'isAsync') === true
    teamwork(on, call, response)
  }
  const told = {
    title: str(tool.title),
    input: wholeInput(on, session, call, tool),
    content: tool.content?.length ? (tool.content as unknown[]) : undefined,
    paths: pathsOf(tool.locations),
  }
  if ((tool.status ?? 'pending') !== 'pending' || Object.values(told).some((value) => value !== undefined))
    on.pen.emit('tool.update', { state: stateOf(tool.status), ...told }, place)
  else if (output === undefined) on.pen.raw(on.tag, 'redundant', place)
  threads(on, call, tool.rawInput)
}

/** Claude tells the input again and again as it grows: it is whole when something else is told. */
function wholeInput(on: Reader, session: Session, call: string, { toolCallId: id, status, rawInput: input }: Tool): unknown {
  const known = session.calls.get(call)
  const grows = known?.hasInput === false && (status ?? 'pending') === 'pending'
  if (input === undefined && session.held?.id === id) tellHeld(on, session)
  if (input !== undefined) session.held = grows ? { id, call, input } : undefined
  if (grows) return undefined
  if (known !== undefined && input !== undefined) known.hasInput = true
  return input
}

const stateOf = (status: string | null | undefined): 'pending' | 'running' => (status === 'pending' ? 'pending' : 'running')

/** Codex and others tell what a command prints beside the protocol, as Zed reads it. */
function terminalOutput({ _meta: meta }: Tool): string | undefined {
  return str(at(at(meta, 'terminal_output_delta'), 'data')) ?? str(at(at(meta, 'terminal_output'), 'data'))
}

// ── how it ended ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const isFinal = (status: string | null | undefined): boolean => status === 'completed' || status === 'failed'

function end(on: Reader, session: Session, call: string, tool: Tool): void {
  const known = session.calls.get(call)
  const place = { call, agent: known?.agent }
  if (session.held?.call === call) tellHeld(on, session)
  const printed = terminalOutput(tool)
  if (printed !== undefined && known?.streamed === true) on.pen.emit('tool.delta', { of: 'output', text: printed }, place)
  const text = outputOf(tool) ?? (known?.streamed === true ? undefined : printed)
  const name = str(tool.name)
  const isCommand = (known ?? toolOf(tool, on.program)).toolKind === 'execute'
  const exitCode =
    exitCodeOf(tool, isCommand ? text : undefined) ??
    (known?.terminal === undefined ? undefined : session.terminals.get(known.terminal)?.exitCode)
  finish(on, session, call, {
    status: statusOf(tool, known, session.prompts > 0, text),
    name: name === known?.name ? undefined : name,
    title: str(tool.title),
    text,
    content: tool.content?.length ? (tool.content as unknown[]) : undefined,
    data: isRecord(tool.rawOutput) || Array.isArray(tool.rawOutput) ? tool.rawOutput : known?.data,
    error: tool.status === 'failed' && text !== undefined ? faultOf(text) : undefined,
    exitCode,
  })
}

function finish(on: Reader, session: Session, call: string, payload: Payload<'tool.end'>, synthetic?: 'implied'): void {
  const known = session.calls.get(call)
  session.calls.delete(call)
  if (!on.pen.isOpen(call)) return // the end of its lane has ended it
  if (known?.terminal !== undefined) session.terminals.delete(known.terminal)
  if (known?.background !== true) endTask(on, call, payload.status, payload.text)
  const place: Place = { call, agent: known?.agent, synthetic }
  if (known?.asked !== undefined) settle(on, known.asked, payload.status, place)
  on.pen.emit('tool.end', { ...payload, durationMs: since(on, known?.begun) }, place)
}

/** A call that ran was allowed, also where the host is not heard. */
function settle(on: Reader, id: string, status: ToolStatus, place: Place): void {
  if ((status !== 'ok' && status !== 'denied') || !on.pen.isAsked(id)) return
  on.pen.emit(
    'permission.answer',
    { id, decision: status === 'ok' ? 'allow' : 'reject', by: 'unknown' },
    { ...place, synthetic: 'implied' },
  )
}

function statusOf({ status, _meta: meta }: Tool, known: Call | undefined, isLive: boolean, text = ''): ToolStatus {
  if (status === 'completed') return 'ok'
  const kind = at(at(meta, 'claudeCode'), 'nonExecutionKind')
  if (known?.permitted === false) return 'denied'
  if (kind !== undefined) return wasStopped(kind, known, isLive, text) ? 'cancelled' : 'denied'
  return /\b(?:rejected permission|denied by policy)\b/.test(text.slice(0, 200)) ? 'denied' : 'error'
}

/** Claude says of a call that is stopped while it runs that the user rejected it: but the answer was yes, or there was no question. */
const wasStopped = (kind: unknown, known: Call | undefined, isLive: boolean, text: string): boolean =>
  kind === 'interrupted' ||
  kind === 'cancelled' ||
  text.includes('this call was stopped while running') ||
  (kind === 'user-rejected' && (known?.permitted === true || (isLive && known?.asked === undefined)))

/** The turn is over: what was refused or cancelled gets no word of its own from many agents. Other calls may still end. */
export function settleCalls(on: Reader, session: Session, cancelled: boolean): void {
  for (const [call, { permitted }] of session.calls)
    if (permitted === false || cancelled) finish(on, session, call, { status: permitted === false ? 'denied' : 'cancelled' }, 'implied')
}
