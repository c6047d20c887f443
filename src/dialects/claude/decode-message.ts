// `assistant` and `user` records: the conversation. One record mostly holds one content block; all of them are told.
import { type Payload, placeOf } from '../../model/event.ts'
import { isRecord } from '../../base/json.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { closeMessage, laneId, openMessage, placeIn } from './decode-lane.ts'
import { type Lane, laneOf, most, newestTurn, put, type Reader, type StreamedBlock } from './decode-state.ts'
import { taskNote } from './decode-task.ts'
import { besideExt, toolEnd } from './decode-tool.ts'
import { enterTurn, leaveTurn } from './decode-transcript.ts'
import { besideTokens, faultFrom, finishOf, nat, soundsInterrupted, str, usageOf } from './values.ts'
import type { Wire } from './wire.ts'

type Block = Wire<'assistant'>['message']['content'][number]

// ── assistant ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function assistant(on: Reader, record: Wire<'assistant'>): void {
  const agent = laneId(on, record)
  const { message } = record
  const made = message.model === '<synthetic>' // words of the program itself, not of a model
  refuse(on, agent, record.refused_message_id)
  const usage = made ? undefined : usageOf(message.usage)
  const lane = openMessage(on, agent, message.id || idFor(on, agent), {
    model: made ? undefined : message.model,
    usage,
    beside: made ? undefined : besideTokens(message.usage),
  })
  const open = lane.message!
  if (!made) {
    if (usage !== undefined) on.pen.spent(agent, (open.usage = usage))
    open.usageFinal = typeof message.stop_reason === 'string' || record.sessionId !== undefined
  }
  const failed =
    record.is_api_error_message === true ||
    record.isApiErrorMessage === true ||
    typeof record.error === 'string' ||
    (made && message.stop_reason === 'stop_sequence')
  const finish = finishOf(message.stop_reason)
  if (finish !== undefined) open.finish = failed && finish !== 'refusal' ? 'error' : finish
  if (record.aborted === true) open.finish = 'cancelled'
  contextUsage(on, agent, record.context_usage)
  for (const block of message.content) tell(on, lane, agent, block)
  if (failed) failure(on, record, agent)
  else if (message.content.length === 0) on.pen.raw(on.tag, 'redundant')
}

/** What /context found: the sums are ours, what they are made of is kept. */
function contextUsage({ pen }: Reader, agent: string | undefined, told: unknown): void {
  if (!isRecord(told)) return
  const { total_tokens: total, raw_max_tokens: most, ...parts } = told
  const used = nat(total)
  if (used === undefined) return
  pen.emit(
    'usage.update',
    { scope: 'session', cumulative: true, context: { used, limit: nat(most) } },
    { agent, ext: { claude: { context_usage: parts } } },
  )
}

/** A record without message id goes on with the one before, until a result or prompt stands between. */
function idFor(on: Reader, agent: string | undefined): string {
  const lane = laneOf(on.session, agent)
  return lane.message === undefined || lane.answered ? `~message-${++on.made}` : lane.message.id
}

/** A later record says that the model refused; its own records did not. */
function refuse(on: Reader, agent: string | undefined, refused: string | undefined): void {
  const message = on.session.lanes.get(agent)?.message
  if (refused !== undefined && message?.id === refused) message.finish = 'refusal'
}

function failure(on: Reader, record: Wire<'assistant'>, agent: string | undefined): void {
  const text = record.message.content.find((block) => block.type === 'text')?.text ?? record.error ?? ''
  const error = faultFrom(text, {
    word: record.error,
    type: record.api_error_type ?? str(record.apiErrorType),
    code: record.api_error ?? str(record.apiError),
    status: record.api_error_status ?? nat(record.apiErrorStatus),
  })
  if (agent === undefined) on.session.fault = error
  on.pen.emit('error', { scope: agent === undefined ? 'turn' : 'task', fatal: agent === undefined, error }, { agent })
}

/** The number of a full block in its message, and whether its deltas were told before. */
function place(lane: Lane, type: StreamedBlock['type'], call?: string): { index: number; begun: StreamedBlock | undefined } {
  if (lane.streamed.size > 0)
    for (const [index, begun] of lane.streamed) {
      if (begun.type !== type || begun.call !== call) continue
      lane.streamed.delete(index)
      lane.next = Math.max(lane.next, index + 1)
      return { index, begun }
    }
  return { index: lane.next++, begun: undefined }
}

function tell(on: Reader, lane: Lane, agent: string | undefined, block: Block): void {
  const { pen } = on
  switch (block.type) {
    case 'text': {
      const { index, begun } = place(lane, 'text')
      const streamed = begun?.told === true
      if (streamed && !pen.isStreaming('text.delta', agent)) return pen.raw(on.tag, 'redundant') // something cut it off
      return pen.emit('text.end', { text: block.text, streamed }, placeIn(lane, agent, index))
    }
    case 'thinking': {
      const { index, begun } = place(lane, 'thought')
      const streamed = begun?.told === true
      if (streamed && !pen.isStreaming('thought.delta', agent)) return pen.raw(on.tag, 'redundant')
      return pen.emit('thought.end', { text: block.thinking, streamed, signature: block.signature }, placeIn(lane, agent, index))
    }
    case 'redacted_thinking': {
      const { index } = place(lane, 'thought')
      return pen.emit(
        'thought.end',
        { streamed: false, redacted: true, signature: str((block as { data?: unknown }).data) },
        placeIn(lane, agent, index),
      )
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      if (block.id !== undefined && block.name !== undefined) return callTool(on, lane, agent, block, block.id, block.name)
      break
    default:
      if (block.tool_use_id !== undefined && block.type.endsWith('_result')) return toolEnd(on, { agent, block, call: block.tool_use_id })
  }
  const { index } = place(lane, 'other')
  pen.emit('content.end', contentOf(block), placeIn(lane, agent, index))
}

function callTool(on: Reader, lane: Lane, agent: string | undefined, block: Block, call: string, name: string): void {
  const { index, begun } = place(lane, 'tool', call)
  const where = placeIn(lane, agent, index, call)
  lane.message!.calls = true
  if (begun !== undefined || on.pen.isOpen(call)) {
    const { title, paths } = about(block.input)
    return on.pen.emit('tool.update', { state: 'pending', input: block.input, title, paths }, where)
  }
  startCall(on, where, call, name, block.type, block.input)
}

export function startCall(on: Reader, where: ReturnType<typeof placeIn>, call: string, name: string, type: string, input: unknown): void {
  put(on.session.calls, call, { name, lane: where.agent, turn: where.turn, refused: false }, most.calls)
  const server = name.startsWith('mcp__') ? name.slice(5, endOfServer(name)) : undefined
  const hostedBy = type === 'tool_use' ? undefined : 'provider'
  const { title, paths } = about(input)
  on.pen.emit('tool.start', { name, toolKind: toolKindOf(name), server, hostedBy, input, title, paths }, where)
}

/** `mcp__server__tool` */
function endOfServer(name: string): number {
  const end = name.indexOf('__', 5)
  return end === -1 ? name.length : end
}

/** What an input says of its call: a title for people, and the file it is about. */
function about(input: unknown): { title: string | undefined; paths: string[] | undefined } {
  if (!isRecord(input)) return { title: undefined, paths: undefined }
  const path = str(input['file_path']) ?? str(input['notebook_path']) ?? str(input['path'])
  return { title: str(input['description']), paths: path === undefined ? undefined : [path] }
}

function contentOf(block: Block): Payload<'content.end'> {
  const source = block.source
  if (!isRecord(source)) return { type: block.type, data: block }
  return { type: block.type, mime: str(source['media_type']), uri: str(source['url']), data: source['data'] }
}

// ── user ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function user(on: Reader, record: Wire<'user'>): void {
  const agent = laneId(on, record)
  const { content } = record.message
  laneOf(on.session, agent).answered = true
  refuse(on, agent, record.refused_message_id)
  if (typeof content === 'string') return prompt(on, record, agent, content, undefined)
  let results = 0
  for (const block of content) if (isResult(block)) results++
  const told = record.tool_use_result ?? record.toolUseResult
  const structure = results === 1 ? told : undefined
  let ext = results === 1 || told === undefined ? undefined : besideExt(told)
  for (const block of content)
    if (isResult(block)) {
      toolEnd(on, { agent, block, call: block.tool_use_id!, record, structure, ext })
      ext = undefined
    }
  if (content.length > results || content.length === 0) prompt(on, record, agent, textIn(content), content)
}

const isResult = (block: Block): boolean => block.tool_use_id !== undefined && block.type === 'tool_result'

const textIn = (content: readonly Block[]): string | undefined => {
  let text: string | undefined
  for (const block of content) if (block.type === 'text') text = text === undefined ? block.text : `${text}\n${block.text}`
  return text
}

function prompt(
  on: Reader,
  record: Wire<'user'>,
  agent: string | undefined,
  text: string | undefined,
  content: readonly Block[] | undefined,
): void {
  const id = str(record.uuid)
  const by = speaker(record, agent, text ?? '', content === undefined)
  const state = on.origin.from === 'host' || (id === undefined && record.sessionId === undefined) ? 'sent' : 'seen'
  if (record.sessionId !== undefined && agent === undefined) enterTurn(on, record, by)
  const others =
    content?.some((block) => block.type !== 'text') === true ? content.filter((block) => block.type !== 'tool_result') : undefined
  if (by === 'task' && text !== undefined) taskNote(on, text)
  if (by === 'system' && text?.startsWith('Output token limit hit') === true) ranOut(on, agent)
  on.pen.emit('prompt.submit', { text, content: others, by, state, id }, placeOf(agent, agent === undefined ? newestTurn(on) : undefined))
  if (record.sessionId === undefined || agent !== undefined || text === undefined || !soundsInterrupted(text)) return
  closeMessage(on, undefined, 'cancelled')
  leaveTurn(on, 'cancelled')
}

/** The program asks the model to go on after it hit its limit: only this says why the message stopped. */
function ranOut(on: Reader, agent: string | undefined): void {
  const message = on.session.lanes.get(agent)?.message
  if (message !== undefined) message.finish ??= 'max_tokens'
}

/** Who put these words into the conversation. `bare`: the content is a string, which only hosts and the program itself write. */
function speaker(record: Wire<'user'>, agent: string | undefined, text: string, bare: boolean): Payload<'prompt.submit'>['by'] {
  if (agent !== undefined) return 'agent'
  const kind = record.origin?.kind
  if (kind === 'task-notification') return 'task'
  if (kind === 'peer' || kind === 'channel' || kind === 'coordinator') return 'agent'
  if (text.startsWith('Stop hook feedback')) return 'hook'
  const own = record.isSynthetic === true || record.isMeta === true || (record as { isCompactSummary?: unknown }).isCompactSummary === true
  if (own || soundsInterrupted(text) || text.startsWith('<local-command-') || text.startsWith('<command-name>')) return 'system'
  if (bare && record.sessionId === undefined && record.uuid !== undefined && record.isReplay !== true) return 'system'
  return 'user'
}
