// Single records of the assistant's side: one full block, or one event of the raw stream around it. Inside a bracket
// (message_start … message_stop) the full record of a block stands between its start and its stop.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { syntheticOf } from '../contract.ts'
import { agentId, idOf, type OpenBlock, parentOf, stamp, uuidOf, type WriteMessage, type Writer } from './encode-state.ts'
import { usageKeys, usual } from './encode-usage.ts'

// ── the raw stream ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function stream(on: Writer, message: WriteMessage, event: Rec, synthetic?: string, abandoned?: Rec): void {
  const record = {
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    api_message_id: message.id,
    abandoned_blocks: abandoned,
    session_id: idOf(on),
    uuid: uuidOf(on),
  }
  on.sink.write(record, synthetic)
}

function openStream(on: Writer, message: WriteMessage): void {
  if (message.streaming) return
  message.streaming = true
  stream(on, message, { type: 'message_start', message: head(on, message, []) })
}

export function openBlock(on: Writer, message: WriteMessage, type: OpenBlock['type'], start: Rec): void {
  openStream(on, message)
  if (message.block?.type === type) return
  closeBlock(on, message)
  message.block = { index: message.blocks++, type }
  stream(on, message, { type: 'content_block_start', index: message.block.index, content_block: start })
}

const isJoined = (type: OpenBlock['type']): type is 'text' | 'thinking' => type === 'text' || type === 'thinking'

/** A block of text that another one cuts off gets its full record first; its own end has nothing left to say then. */
export function closeBlock(on: Writer, message: WriteMessage, synthetic?: string): void {
  if (message.block === undefined) return
  const { index, type } = message.block
  if (isJoined(type) && message.joined[type] !== '') {
    const text = message.joined[type]
    message.cut[type] = true
    full(on, message, type === 'text' ? { type, text } : { type, thinking: text, signature: '' }, undefined, synthetic)
    message.joined[type] = ''
  }
  message.block = undefined
  stream(on, message, { type: 'content_block_stop', index }, synthetic)
}

// ── full blocks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The inner message of an assistant record, as far as it is known when its first block comes. */
function head(on: Writer, message: WriteMessage, content: Rec[]): Rec {
  return {
    model: message.model ?? on.session.setting.model ?? 'unknown',
    id: message.id,
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: message.usage === undefined ? noUsage : usageKeys(message.usage, besideMessage(message)),
  }
}

const noUsage = usageKeys({})

/** See the decoder's `besideTokens`. */
function besideMessage({ start }: WriteMessage): Rec | undefined {
  const kept = start?.ext?.['claude']
  const beside = isRecord(kept) && isRecord(kept['message']) ? kept['message']['usage'] : undefined
  return isRecord(beside) ? { ...usual(start), ...beside } : usual(start)
}

function full(on: Writer, message: WriteMessage, content: Rec, event: Event | undefined, synthetic: string | undefined): void {
  const agent = event?.agent
  const record = {
    type: 'assistant',
    message: head(on, message, [content]),
    parent_tool_use_id: parentOf(on, agent),
    agent_id: agentId(agent),
    timestamp: stamp(event?.at),
    context_usage: agent === undefined ? contextUsage(on) : undefined,
    session_id: idOf(on),
    uuid: uuidOf(on, event),
  }
  if (message.usage === undefined) on.sink.hold(record, synthetic, message)
  else on.sink.write(record, synthetic)
}

/** As /context tells it; see the decoder's `contextUsage`. */
function contextUsage({ session }: Writer): Rec | undefined {
  if (session.context === undefined) return undefined
  const { context, ext } = session.context
  session.context = undefined
  return { ...contextParts(ext), total_tokens: context?.used, raw_max_tokens: context?.limit }
}

/** What Claude's own context is made of. */
export function contextParts(ext: Event['ext']): Rec | undefined {
  const parts = (ext?.['claude'] as Rec | undefined)?.['context_usage']
  return isRecord(parts) ? parts : undefined
}

/** Inside a bracket a full block stands between its start and its stop. */
export function block(on: Writer, event: Event, message: WriteMessage, type: OpenBlock['type'], content: Rec, start: Rec): void {
  if (message.streaming) openBlock(on, message, type, start)
  else message.blocks++
  full(on, message, content, event, syntheticOf(event))
  if (isJoined(type)) message.joined[type] = ''
  closeBlock(on, message)
}
