// Calls, how they ended, and the question whether one may run.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { type Sink, syntheticOf, wireId } from '../contract.ts'
import { exitCodeOf, outputOf } from './content.ts'
import { textBlock, toolContentOf } from './encode-content.ts'
import type { Put, Session, Write } from './encode-state.ts'
import { toolOf, wireKindOf, wireOptionOf } from './words.ts'

const mostIds = 1024

/** `speak` is told of what only a turn may hold. */
export function createTools(sink: Sink, put: Put, write: Write, speak: (event: Event) => void) {
  const asked = new Set<unknown>() // ids of the last questions

  /** Subagents are told as Claude's agent does: by the call that started them, or by their own id where there was none. */
  function laneOf({ tasks, quiet }: Session, { agent }: Event): Rec | undefined {
    if (agent === undefined) return undefined
    quiet.delete(agent)
    return { claudeCode: { parentToolUseId: wireId(tasks.get(agent) ?? agent) } }
  }

  function task({ tasks, quiet }: Session, event: EventOf<'task.start'>): void {
    tasks.set(event.task, event.call!)
    quiet.set(event.task, event)
  }

  /** Content in the protocol's form; what has none is lost. */
  function contentOf(event: EventOf<'tool.update' | 'tool.end'>): Rec[] | undefined {
    const parts = event.content?.map(toolContentOf)
    if (parts?.includes(undefined) === true) sink.lost(event, 'content')
    return parts?.filter((part) => part !== undefined)
  }

  function tell(session: Session, event: EventOf<'tool.start' | 'tool.end'>, synthetic: string | undefined): void {
    const { call = '', name = '', toolKind = 'other', title } = event
    const started = event.kind === 'tool.start' ? event : undefined
    const toolCallId = wireId(call)
    const kind = wireKindOf(toolKind)
    const told = { toolCallId, title: title ?? name, name: name === '' ? undefined : name, kind, rawInput: started?.input }
    const read = toolOf(told)
    if (read.name !== name) sink.lost(event, 'name', 'approx')
    if (read.toolKind !== toolKind) sink.lost(event, 'toolKind', 'approx')
    session.calls.set(call, { name, toolKind })
    speak(event)
    const locations = started?.paths?.map((path) => ({ path }))
    put(session, event, { sessionUpdate: 'tool_call', ...told, status: 'pending', locations, _meta: laneOf(session, event) }, synthetic)
  }

  function start(session: Session, event: EventOf<'tool.start'>): void {
    if (event.call === undefined || session.calls.has(event.call)) return sink.lost(event)
    tell(session, event, syntheticOf(event))
  }

  function update(session: Session, event: EventOf<'tool.update'>): void {
    const { call, state, title, input: rawInput, paths } = event
    if (call === undefined || !session.calls.has(call)) return sink.lost(event)
    put(session, event, {
      sessionUpdate: 'tool_call_update',
      toolCallId: wireId(call),
      status: state === 'pending' ? 'pending' : 'in_progress',
      title,
      rawInput,
      content: contentOf(event),
      locations: paths?.map((path) => ({ path })),
      _meta: laneOf(session, event),
    })
  }

  function end(session: Session, event: EventOf<'tool.end'>): void {
    const { call, name, title } = event
    if (call === undefined) return sink.lost(event)
    if (!session.calls.has(call)) tell(session, event, 'required')
    const _meta = laneOf(session, event)
    const isCommand = session.calls.get(call)?.toolKind === 'execute'
    session.calls.delete(call)
    put(session, event, { sessionUpdate: 'tool_call_update', toolCallId: wireId(call), title, name, ...answerOf(event, isCommand), _meta })
  }

  /** The exit code must be read as it was told: it decides what became of the call. */
  function answerOf(event: EventOf<'tool.end'>, isCommand: boolean): Rec {
    const { exitCode, data } = event
    const text = event.text ?? event.error?.text
    const status = toolFailed(event) ? 'failed' : 'completed'
    const own = contentOf(event)
    const content = own ?? (text === undefined ? undefined : [{ type: 'content', content: textBlock(text) }])
    const reads = (rawOutput: unknown): boolean =>
      exitCodeOf({ status, rawOutput }, isCommand ? outputOf({ toolCallId: '', content, rawOutput }) : undefined) === exitCode
    const rawOutput = isRecord(data) || Array.isArray(data) ? data : undefined
    if (data !== undefined && (rawOutput === undefined || !reads(rawOutput))) sink.lost(event, 'data')
    if (rawOutput !== undefined && reads(rawOutput)) return { status, content, rawOutput }
    return { status, content, rawOutput: exitCode === undefined ? text : { output: text, exitCode } }
  }

  // ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────

  function request(session: Session, event: EventOf<'permission.request'>): void {
    const { name, toolKind = 'other', question, input: rawInput } = event
    const call = event.call !== undefined && session.calls.has(event.call) ? event.call : callOf(session, event)
    if (call === undefined) return sink.lost(event)
    const known = session.calls.get(call)
    const toolCall = {
      toolCallId: wireId(call),
      title: question ?? name ?? known?.name ?? '',
      name: name ?? known?.name,
      kind: wireKindOf(known?.toolKind ?? toolKind),
      status: 'pending',
      rawInput,
    }
    const params = { sessionId: session.id, toolCall, options: optionsOf(event) }
    speak(event)
    write(session, { jsonrpc: '2.0', id: idOf(event), method: 'session/request_permission', params }, syntheticOf(event))
  }

  /** Some sources ask about a tool, not about a call: the call of it that is open is meant. */
  function callOf({ calls }: Session, event: EventOf<'permission.request'>): string | undefined {
    const isMeant = (known: { name: string }): boolean => known.name.toLowerCase() === event.name?.toLowerCase()
    const call = [...calls].findLast(([, known]) => isMeant(known))?.[0]
    if (call !== undefined) sink.added('session/request_permission.toolCallId')
    return call
  }

  function optionsOf({ options }: EventOf<'permission.request'>): Rec[] {
    if (options.length > 0) return options.map(({ id, kind, label }) => ({ optionId: id, name: label ?? id, kind: wireOptionOf(kind) }))
    sink.added('session/request_permission.options')
    return [
      { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ]
  }

  /** The source's own id, unless another question had it just now. */
  function idOf(event: EventOf<'permission.request'>): string | number {
    const told = wireId(event.id)
    let id: string | number = /^\d{1,15}$/.test(told) ? Number(told) : told
    for (let again = 2; asked.has(id); again++) id = `${told}-${again}`
    if (String(id) !== told) sink.added('session/request_permission.id')
    asked.add(id)
    if (asked.size > mostIds) asked.delete(asked.values().next().value)
    return id
  }

  return { start, update, end, request, task }
}
