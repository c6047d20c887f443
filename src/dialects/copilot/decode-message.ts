// Model calls: text, thoughts, tokens, failures. Text comes in pieces and then whole; thoughts too, and some versions repeat them
// in the message. A call that is tried again stays the same message: what it had streamed is withdrawn.
import { addUsage, contextTokens } from '../../model/usage.ts'
import { nat } from '../values.ts'
import { endMessage, laneOf, type Message, messageOf, most, placeIn, type Reader, startMessage, type Streamed } from './decode-state.ts'
import { requested } from './decode-tool.ts'
import { faultFrom, finishOf, messageIn, usageOf } from './values.ts'
import type { Wire } from './wire.ts'

// ── begin and end ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function turnStart(on: Reader): void {
  const lane = laneOf(on)
  const open = on.session.messages.get(lane)
  if (open !== undefined) endMessage(on, lane, open, 'implied')
  startMessage(on, lane)
}

export function turnEnd(on: Reader): void {
  const lane = laneOf(on)
  const open = on.session.messages.get(lane)
  if (open === undefined) return on.pen.raw(on.tag, 'redundant')
  endMessage(on, lane, open)
}

// ── text and thoughts ────────────────────────────────────────────────────────────────────────────────────────────────────

export function messageDelta(on: Reader, { data }: Wire<'assistant.message_delta'>): void {
  const lane = laneOf(on)
  const message = messageOf(on, lane)
  const { block } = streamed(on, lane, message, 'text', data.messageId ?? '')
  on.pen.emit('text.delta', { text: data.deltaContent }, placeIn(message, lane, block))
}

export function reasoningDelta(on: Reader, { data }: Wire<'assistant.reasoning_delta'>): void {
  const lane = laneOf(on)
  const message = messageOf(on, lane)
  const { block } = streamed(on, lane, message, 'thought', data.reasoningId ?? '')
  on.pen.emit('thought.delta', { text: data.deltaContent }, placeIn(message, lane, block))
}

/** The block that a piece goes to. A new one begins with another id, and after a tool call, which ends what is streamed. */
function streamed(on: Reader, lane: string | undefined, message: Message, what: 'text' | 'thought', id: string): Streamed {
  const last = message[what]
  if (last?.id === id && on.pen.isStreaming(`${what}.delta`, lane)) return last
  endPieces(on, lane, message, what)
  return (message[what] = { id, block: message.next++, split: last?.id === id })
}

/** The pieces are over, and their whole was not told. */
function endPieces(on: Reader, lane: string | undefined, message: Message, what: 'text' | 'thought'): void {
  if (!on.pen.isStreaming(`${what}.delta`, lane)) return
  on.pen.emit(`${what}.end`, { streamed: true }, { ...placeIn(message, lane, message[what]?.block), synthetic: 'implied' })
}

export function reasoning(on: Reader, { data }: Wire<'assistant.reasoning'>): void {
  const lane = laneOf(on)
  const message = messageOf(on, lane)
  if (message.thoughtTold && message.said) return on.pen.raw(on.tag, 'redundant')
  if (!endThought(on, lane, message, data.content)) on.pen.raw(on.tag, 'redundant')
}

/** False when there is nothing left to tell: the pieces were told, and something has ended them. */
function endThought(on: Reader, lane: string | undefined, message: Message, text: string | undefined, signature?: string): boolean {
  const last = message.thought
  const open = on.pen.isStreaming('thought.delta', lane)
  message.thought = undefined
  message.thoughtTold = true
  if (last !== undefined && !open) return false
  const whole = last?.split === true ? undefined : text
  const redacted = whole === undefined && !open ? true : undefined
  on.pen.emit('thought.end', { text: whole, streamed: open, redacted, signature }, placeIn(message, lane, last?.block ?? message.next++))
  return true
}

function endText(on: Reader, lane: string | undefined, message: Message, text: string): boolean {
  const last = message.text
  const open = on.pen.isStreaming('text.delta', lane)
  message.text = undefined
  if (last === undefined ? text === '' : !open) return false
  const whole = text === '' || last?.split === true ? undefined : text
  on.pen.emit('text.end', { text: whole, streamed: open }, placeIn(message, lane, last?.block ?? message.next++))
  return true
}

export function assistantMessage(on: Reader, { data }: Wire<'assistant.message'>): void {
  const lane = laneOf(on)
  const message = messageOf(on, lane)
  const { content, toolRequests, model } = data
  const thought = data.reasoningText || undefined
  const signature = data.reasoningOpaque || data.encryptedContent || undefined
  const thinks = message.thought !== undefined || (!message.thoughtTold && (thought ?? signature) !== undefined)
  let told = thinks && endThought(on, lane, message, thought, signature)
  told = endText(on, lane, message, content ?? '') || told
  message.confirmed = message.next
  message.said = true
  message.model = model ?? message.model
  message.finish ??= toolRequests?.length ? 'tool_use' : 'end_turn'
  message.error = undefined
  for (const request of toolRequests ?? []) told = requested(on, request) || told
  if (!told) on.pen.raw(on.tag, 'redundant') // its calls are told when they run
}

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const usageRecord = (on: Reader, { data }: Wire<'session.usage_record'>): void => count(on, data.usage)
export const assistantUsage = (on: Reader, { data }: Wire<'assistant.usage'>): void => count(on, data)

/** The same call may be told by two records. */
function count(on: Reader, told: Wire<'assistant.usage'>['data']): void {
  const { session } = on
  const { turn } = session
  if (told.apiCallId && told.apiCallId === session.counted) return on.pen.raw(on.tag, 'redundant')
  session.counted = told.apiCallId ?? undefined
  const lane = laneOf(on)
  const message = session.messages.get(lane)
  const usage = usageOf(told)
  const [contextLimit, outputLimit] = [nat(told.maxPromptTokens), nat(told.maxOutputTokens)]
  const context = { used: contextTokens(usage), limit: contextLimit }
  turn.usage = addUsage(turn.usage, usage)
  if (lane === undefined) turn.own = addUsage(turn.own, usage)
  if (told.model && turn.models.size < most) {
    const share = turn.models.get(told.model)
    turn.models.set(told.model, { usage: addUsage(share?.usage, usage), contextLimit, outputLimit })
  }
  if (message !== undefined) {
    message.usage = addUsage(message.usage, usage)
    message.context = context
    message.model = told.model ?? message.model
    message.provider = told.modelProvider ?? undefined
    message.finish = finishOf(told.finishReason) ?? message.finish
  }
  on.pen.emit('usage.update', { scope: 'message', cumulative: false, usage, context }, { agent: lane, message: message?.id })
}

// ── trouble ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function callStart(on: Reader, { data }: Wire<'model.call_start'>): void {
  const message = on.session.messages.get(laneOf(on))
  if (message !== undefined) message.model = data.model ?? message.model
  on.pen.raw(on.tag, 'redundant')
}

/** Said before the message that it is about: only what went wrong with it is not said elsewhere. */
export function callFinished(on: Reader, { data }: Wire<'model.call_finished'>): void {
  const message = on.session.messages.get(laneOf(on))
  if (message !== undefined && data.outcome === 'cancelled') message.finish = 'cancelled'
  on.pen.raw(on.tag, 'redundant')
}

export function callFailure(on: Reader, { data }: Wire<'model.call_failure'>): void {
  const lane = laneOf(on)
  const { errorMessage, errorType: word, failureKind: kind, statusCode: status, model } = data
  const error = faultFrom(messageIn(errorMessage ?? word ?? kind ?? 'the model call failed'), { word, kind, status })
  const message = on.session.messages.get(lane)
  if (message !== undefined) message.error = error
  on.pen.emit('error', { scope: 'message', fatal: false, error, model: model ?? undefined }, { agent: lane, message: message?.id })
}

export function turnRetry(on: Reader, { data }: Wire<'assistant.turn_retry'>): void {
  const { session, pen } = on
  const lane = laneOf(on)
  const message = messageOf(on, lane)
  const place = placeIn(message, lane)
  for (const [id, call] of session.calls) {
    if (call.lane !== lane || call.running) continue
    session.calls.delete(id)
    pen.emit('tool.end', { status: 'abandoned' }, { ...place, call: id, synthetic: 'implied' })
  }
  if (message.text !== undefined) endPieces(on, lane, message, 'thought') // the text began after it
  if (message.next > message.confirmed) pen.emit('message.drop', { fromBlock: message.confirmed, why: 'stream_error' }, place)
  message.text = message.thought = message.finish = undefined
  message.thoughtTold = message.said = false
  message.confirmed = message.next
  const error = message.error ?? (data.reason ? faultFrom(data.reason, { word: data.reason }) : undefined)
  pen.emit('retry.start', { scope: 'model', attempt: ++message.retries, error }, place)
}
