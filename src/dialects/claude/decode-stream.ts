// `stream_event`: the raw server events of one message, told as deltas. The full record of a block comes before the
// block's stop and is not told twice; blocks that never get one may be withdrawn.
import { isRecord } from '../../base/json.ts'
import { closeMessage, laneId, openMessage, placeIn, withdraw } from './decode-lane.ts'
import { startCall } from './decode-message.ts'
import { type Lane, laneOf, most, put, type Reader, type StreamedBlock } from './decode-state.ts'
import { besideTokens, faultFrom, finishOf, nat, real, str, usageOf } from './values.ts'
import type { Wire } from './wire.ts'

type Stream = Wire<'stream_event'>

export function streamEvent(on: Reader, record: Stream): void {
  const agent = laneId(on, record)
  const { event } = record
  switch (event.type) {
    case 'message_start': {
      const id = event.message?.id ?? record.api_message_id ?? `~message-${++on.made}`
      const lane = openMessage(on, agent, id, {
        model: event.message?.model,
        usage: usageOf(event.message?.usage),
        ttftMs: real(record.ttft_ms),
        told: true,
        beside: besideTokens(event.message?.usage),
      })
      lane.streaming = true
      return
    }
    case 'content_block_start':
      return blockStart(on, record, current(on, record, agent), agent)
    case 'content_block_delta':
      return blockDelta(on, record, current(on, record, agent), agent)
    case 'message_delta':
      return messageDelta(on, record, agent)
    case 'message_stop':
      return messageStop(on, record, agent)
    case 'error': {
      const error = (event as { error?: unknown }).error
      const [type, text] = isRecord(error) ? [str(error['type']), str(error['message'])] : []
      return on.pen.emit('error', { scope: 'message', fatal: false, error: faultFrom(text ?? '', { type }) }, { agent })
    }
    default:
      on.pen.raw(`stream_event/${event.type}`, 'redundant')
  }
}

/** The lane with its message open; a stream that is read from its middle opens one. */
function current(on: Reader, record: Stream, agent: string | undefined): Lane {
  const lane = laneOf(on.session, agent)
  if (lane.message !== undefined) return lane
  return openMessage(on, agent, record.api_message_id ?? `~message-${++on.made}`, {
    model: undefined,
    usage: undefined,
  })
}

const blockTypes: Readonly<Record<string, StreamedBlock['type']>> = {
  text: 'text',
  thinking: 'thought',
  redacted_thinking: 'thought',
  tool_use: 'tool',
  server_tool_use: 'tool',
  mcp_tool_use: 'tool',
}

function blockStart(on: Reader, { event }: Stream, lane: Lane, agent: string | undefined): void {
  const index = nat(event.index) ?? lane.next
  const block = event.content_block
  const type = (block !== undefined && Object.hasOwn(blockTypes, block.type) ? blockTypes[block.type] : undefined) ?? 'other'
  const begun: StreamedBlock = { type, call: type === 'tool' ? block?.id : undefined, told: false }
  put(lane.streamed, index, begun, most.blocks)
  lane.streaming = true
  if (type === 'tool' && block?.id !== undefined && block.name !== undefined && !on.pen.isOpen(block.id)) {
    begun.told = lane.message!.calls = true
    return startCall(on, placeIn(lane, agent, index, block.id), block.id, block.name, block.type, undefined)
  }
  if (type === 'text' && block?.text) return tellText(on, begun, 'text.delta', block.text, lane, agent, index)
  on.pen.raw('stream_event/content_block_start', 'redundant')
}

function blockDelta(on: Reader, { event }: Stream, lane: Lane, agent: string | undefined): void {
  const { delta } = event
  const index = nat(event.index) ?? lane.next
  let begun = lane.streamed.get(index)
  switch (delta?.type) {
    case 'text_delta':
    case 'thinking_delta': {
      const text = delta.type === 'text_delta' ? delta.text : delta.thinking
      if (!text) break
      if (begun === undefined)
        put(
          lane.streamed,
          index,
          (begun = { type: delta.type === 'text_delta' ? 'text' : 'thought', call: undefined, told: false }),
          most.blocks,
        )
      return tellText(on, begun, delta.type === 'text_delta' ? 'text.delta' : 'thought.delta', text, lane, agent, index)
    }
    case 'input_json_delta':
      if (!delta.partial_json || begun?.call === undefined) break
      return on.pen.emit('tool.delta', { of: 'input', text: delta.partial_json }, placeIn(lane, agent, index, begun.call))
  }
  on.pen.raw('stream_event/content_block_delta', 'redundant')
}

function tellText(
  on: Reader,
  begun: StreamedBlock,
  kind: 'text.delta' | 'thought.delta',
  text: string,
  lane: Lane,
  agent: string | undefined,
  index: number,
): void {
  begun.told = true
  on.pen.emit(kind, { text }, placeIn(lane, agent, index))
}

/** The only place where a message tells its final usage and why it stopped. */
function messageDelta(on: Reader, { event }: Stream, agent: string | undefined): void {
  const message = on.session.lanes.get(agent)?.message
  const finish = finishOf(event.delta?.stop_reason)
  const usage = usageOf(event.usage)
  if (message !== undefined && usage !== undefined) {
    const { input, output, reasoning, cacheRead, cacheWrite } = message.usage ?? {}
    message.usage = {
      input: usage.input ?? input,
      output: usage.output ?? output,
      reasoning: usage.reasoning ?? reasoning,
      cacheRead: usage.cacheRead ?? cacheRead,
      cacheWrite: usage.cacheWrite ?? cacheWrite,
    }
    on.pen.spent(agent, message.usage)
  }
  if (message === undefined || finish === undefined) return on.pen.raw('stream_event/message_delta', 'redundant')
  message.finish ??= finish
  message.usageFinal = usage !== undefined
  closeMessage(on, agent, finish, { told: true })
}

/** Also closes a message that broke off or was interrupted; `abandoned_blocks` says from where on it is void. */
function messageStop(on: Reader, record: Stream, agent: string | undefined): void {
  const lane = on.session.lanes.get(agent)
  if (lane?.message === undefined) return on.pen.raw('stream_event/message_stop', 'redundant')
  const from = nat(record.abandoned_blocks?.from_block_index)
  if (from !== undefined) withdraw(on, lane, agent, from, 'stream_error')
  closeMessage(on, agent, from === undefined ? undefined : 'error', { told: true })
}
