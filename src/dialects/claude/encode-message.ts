// Messages: when one begins and ends. A source without message ids gets one per run of blocks, and a message id that a lane
// has left never comes again.
import { isRecord } from '../../base/json.ts'
import type { Event, EventOf, Usage } from '../../model/event.ts'
import { addUsage } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { syntheticOf, wireId } from '../contract.ts'
import { block, closeBlock, stream } from './encode-block.ts'
import { type HeldCall, laneOf, type WriteLane, type WriteMessage, type Writer } from './encode-state.ts'
import { usageKeys } from './encode-usage.ts'

// ── begin and end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function messageStart(on: Writer, event: EventOf<'message.start'>): void {
  closeMessage(on, event.agent, undefined, undefined)
  openMessage(on, event, event.usage, event.model).start = event
}

/** The message that the event's content goes to. Sources without message ids get one per run of blocks. */
export function openMessage(on: Writer, event: Event, usage?: Usage, model?: string): WriteMessage {
  const lane = laneOf(on.session, event.agent)
  const open = lane.message
  if (open !== undefined && (event.message === undefined ? !open.answered : open.source === event.message)) return open
  closeMessage(on, event.agent, undefined, undefined)
  const { calling } = lane
  if (calling !== undefined && event.kind === 'tool.start' && event.message === undefined) {
    lane.past.delete(calling.id)
    return (lane.message = calling)
  }
  lane.calling = undefined
  if (event.agent === undefined) on.session.turn.steps++
  return (lane.message = {
    start: undefined,
    source: event.message,
    id: idFor(on, lane, event.message),
    model,
    usage,
    blocks: 0,
    streaming: false,
    block: undefined,
    joined: { text: '', thinking: '' },
    cut: { text: false, thinking: false },
    answered: false,
  })
}

function idFor(on: Writer, lane: WriteLane, source: string | undefined): string {
  const plain = source === undefined ? `msg_${++on.made}` : wireId(source)
  let id = plain
  for (let again = 2; lane.past.has(id); again++) id = `${plain}-${again}`
  return id
}

/** Ends the lane's message: closes its bracket, if one is open, with why it stopped and what it used. */
export function closeMessage(
  on: Writer,
  agent: string | undefined,
  finish: Reason | undefined,
  usage: Usage | undefined,
  synthetic?: string,
): void {
  const lane = on.session.lanes.get(agent)
  if (lane === undefined) return
  if (lane.held.size > 0) for (const call of lane.held.keys()) release(on, agent, call, undefined)
  const { message } = lane
  if (message === undefined) return
  lane.message = undefined
  on.sink.settle(message, usage, stopOf(finish))
  message.usage ??= usage
  lane.past.add(message.id)
  if (lane.past.size > 8192) lane.past.delete(lane.past.values().next().value!)
  if (!message.streaming) return
  closeBlock(on, message, synthetic)
  const delta = { stop_reason: stopOf(finish), stop_sequence: null }
  const used = usage === undefined ? { output_tokens: 0 } : usageKeys(usage)
  stream(on, message, { type: 'message_delta', delta, usage: used }, synthetic)
  stream(on, message, { type: 'message_stop' }, synthetic)
}

const stopOf = (finish: Reason | undefined): string | null =>
  finish === 'end_turn' || finish === 'tool_use' || finish === 'max_tokens' || finish === 'stop_sequence' || finish === 'refusal'
    ? finish
    : null

export function messageEnd(on: Writer, event: EventOf<'message.end'>): void {
  const { session } = on
  const { agent, usage } = event
  const { turn } = session
  const model = event.model ?? session.setting.model
  if (usage !== undefined && agent === undefined) turn.usage = addUsage(turn.usage, usage)
  if (event.cost !== undefined) turn.usd = (turn.usd ?? 0) + event.cost.usd
  if (model !== undefined && usage !== undefined) {
    const before = turn.byModel.get(model)
    turn.byModel.set(model, {
      usage: addUsage(before?.usage, usage),
      usd: (before?.usd ?? 0) + (event.cost?.usd ?? 0),
      searches: 0,
      contextLimit: event.context?.limit ?? before?.contextLimit,
      outputLimit: before?.outputLimit,
    })
  }
  const open = session.lanes.get(agent)?.message
  if (event.synthetic === undefined) announceSums(on, event, open?.streaming === true)
  if (event.model !== undefined && open !== undefined && event.model !== (open.model ?? session.setting.model))
    on.sink.lost(event, 'model', 'approx')
  if (open !== undefined && (event.message === undefined || open.source === undefined || open.source === event.message))
    closeMessage(on, agent, event.finish, usage, syntheticOf(event))
  const lane = session.lanes.get(agent)
  if (lane !== undefined && open !== undefined && lane.message === undefined && event.finish === 'tool_use')
    lane.calling = { ...open, streaming: false }
}

/** A whole message stands in records that were written before its end: what the end tells counts in the result's sums alone. */
function announceSums({ sink }: Writer, event: EventOf<'message.end'>, streamed: boolean): void {
  if (event.cost !== undefined) sink.lost(event, 'cost', 'approx')
  if (event.context !== undefined) sink.lost(event, 'context', 'approx')
  if (streamed) {
    if (event.finish !== undefined && stopOf(event.finish) === null) sink.lost(event, 'finish')
    return
  }
  if (event.usage !== undefined) sink.lost(event, 'usage', 'approx')
  if (event.finish !== undefined) sink.lost(event, 'finish', 'approx')
}

/** Text that was streamed and does not count; without a bracket it was never told as deltas, so nothing can be taken back. */
export function messageDrop(on: Writer, event: EventOf<'message.drop'>): void {
  const lane = laneOf(on.session, event.agent)
  const { message } = lane
  if (message === undefined || !message.streaming) return on.sink.lost(event)
  message.joined = { text: '', thinking: '' }
  closeBlock(on, message)
  const abandoned = { api_message_id: message.id, from_block_index: event.fromBlock }
  stream(on, message, { type: 'message_stop' }, syntheticOf(event), abandoned)
  message.streaming = false
  for (const call of lane.held.keys()) on.session.calls.delete(call)
  lane.held.clear()
}

/** What was said and called so far is written before something else speaks; the raw stream of the message is over then. */
export function settleMessage(on: Writer, agent: string | undefined): void {
  const lane = on.session.lanes.get(agent)
  if (lane?.message?.streaming === true) closeMessage(on, agent, 'tool_use', undefined)
  else if (lane !== undefined && lane.held.size > 0) for (const call of lane.held.keys()) release(on, agent, call, undefined)
  if (lane?.message !== undefined) lane.message.answered = true
}

// ── calls whose input comes in pieces ───────────────────────────────────────────────────────────────────────────────────

/** The input is whole, or will not become so any more. */
export function release(on: Writer, agent: string | undefined, call: string, input: unknown, told?: EventOf<'tool.update'>): boolean {
  const lane = laneOf(on.session, agent)
  const held = lane.held.get(call)
  if (held === undefined) return false
  lane.held.delete(call)
  writeCall(on, call, held, input, told)
  return true
}

/** `told`: what brought the input, if the call itself did not. */
export function writeCall(on: Writer, call: string, held: HeldCall, input: unknown, told?: EventOf<'tool.update'>): void {
  const { event } = held
  const known = input ?? event.input ?? parsed(held.json)
  const whole = isRecord(known) ? known : known === undefined ? {} : { input: known }
  const open = on.session.calls.get(call)
  if (open !== undefined) open.input = whole
  const content = { type: 'tool_use', id: call, name: event.name, input: whole }
  const message = openMessage(on, event)
  if (!held.streamed) closeBlock(on, message)
  block(on, told ?? event, message, 'tool_use', content, { type: 'tool_use', id: call, name: event.name, input: {} })
}

function parsed(json: string): unknown {
  try {
    return json === '' ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}
