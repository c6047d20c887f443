// What a message is made of: text, thoughts, other content, calls. Deltas of the main lane stand in the raw stream; a
// subagent has none, its deltas are joined.
import { isRecord } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { syntheticOf } from '../contract.ts'
import { block, closeBlock, openBlock, stream } from './encode-block.ts'
import { openMessage, writeCall } from './encode-message.ts'
import { callId, type HeldCall, laneOf, type WriteMessage, type Writer } from './encode-state.ts'

export function delta(on: Writer, event: EventOf<'text.delta' | 'thought.delta'>): void {
  const message = openMessage(on, event)
  const type = event.kind === 'text.delta' ? 'text' : 'thinking'
  if (event.agent === undefined) {
    openBlock(on, message, type, empty[type])
    const piece = type === 'text' ? { type: 'text_delta', text: event.text } : { type: 'thinking_delta', thinking: event.text }
    stream(on, message, { type: 'content_block_delta', index: message.block!.index, delta: piece }, syntheticOf(event))
  }
  message.joined[type] += event.text
}

const empty = { text: { type: 'text', text: '' }, thinking: { type: 'thinking', thinking: '', signature: '' } }

/** The block's whole text. Undefined: it was cut off, and is written already. */
function wholeOf(message: WriteMessage, type: 'text' | 'thinking', told: string | undefined): string | undefined {
  if (!message.cut[type]) return told ?? message.joined[type]
  message.cut[type] = false
  return message.joined[type] === '' ? undefined : message.joined[type]
}

export function textEnd(on: Writer, event: EventOf<'text.end'>): void {
  const message = openMessage(on, event)
  const text = wholeOf(message, 'text', event.text)
  if (event.agent === undefined) on.session.turn.text = event.text ?? text
  if (text !== undefined) block(on, event, message, 'text', { type: 'text', text }, empty.text)
}

export function thoughtEnd(on: Writer, event: EventOf<'thought.end'>): void {
  const message = openMessage(on, event)
  if (event.redacted === true) {
    return block(on, event, message, 'thinking', { type: 'redacted_thinking', data: event.signature ?? '' }, empty.thinking)
  }
  const thinking = wholeOf(message, 'thinking', event.text)
  if (thinking !== undefined)
    block(on, event, message, 'thinking', { type: 'thinking', thinking, signature: event.signature ?? '' }, empty.thinking)
}

export function contentEnd(on: Writer, event: EventOf<'content.end'>): void {
  const { data } = event
  const content =
    isRecord(data) && data['type'] === event.type
      ? data
      : typeof data === 'string'
        ? { type: event.type, source: { type: 'base64', media_type: event.mime ?? 'application/octet-stream', data } }
        : event.uri === undefined
          ? undefined
          : { type: event.type, source: { type: 'url', url: event.uri } }
  if (content === undefined) return on.sink.lost(event)
  block(on, event, openMessage(on, event), 'other', content, { type: event.type })
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function toolStart(on: Writer, event: EventOf<'tool.start'>): void {
  const { session } = on
  const call = callId(event)
  session.calls.set(call, {
    name: event.name,
    lane: event.agent,
    input: event.input,
    paths: event.paths,
    kind: event.toolKind,
    at: event.at,
  })
  if (event.hostedBy === 'provider') {
    if (/^web_?search/i.test(event.name)) session.turn.served.web_search_requests++
    if (/^web_?fetch/i.test(event.name)) session.turn.served.web_fetch_requests++
  }
  openMessage(on, event)
  const { held } = laneOf(session, event.agent)
  const now: HeldCall = { event, json: '', streamed: false }
  if (event.input === undefined) held.set(call, now)
  else {
    if (held.size > 0) held.delete(call)
    writeCall(on, call, now, undefined)
  }
}

export function toolDelta(on: Writer, event: EventOf<'tool.delta'>): void {
  const call = callId(event)
  const lane = laneOf(on.session, event.agent)
  const held = lane.held.get(call)
  if (event.of === 'output' && event.stream !== undefined && isPrinted(on, call, event.stream, event.text)) return
  if (event.of !== 'input' || held === undefined) return on.sink.lost(event)
  held.json += event.text
  const { message } = lane
  if (event.agent !== undefined || message === undefined) return
  if (message.block?.type !== 'tool_use' || !held.streamed) {
    closeBlock(on, message)
    openBlock(on, message, 'tool_use', { type: 'tool_use', id: call, name: held.event.name, input: {} })
    held.streamed = true
  }
  stream(
    on,
    message,
    {
      type: 'content_block_delta',
      index: message.block!.index,
      delta: { type: 'input_json_delta', partial_json: event.text },
    },
    syntheticOf(event),
  )
}

const longestPrinted = 2 ** 20 // letters

/** The result tells it, with both streams apart. */
function isPrinted(on: Writer, id: string, stream: 'stdout' | 'stderr', text: string): boolean {
  const call = on.session.calls.get(id)
  if (call === undefined || call.kind !== 'execute') return false
  call.printed ??= { stdout: '', stderr: '' }
  if (call.printed[stream].length + text.length > longestPrinted) return false
  call.printed[stream] += text
  return true
}
