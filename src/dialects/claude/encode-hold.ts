// What a message has used is known at its end, after its blocks: their records wait for it, and all that follows waits behind them. In a
// live run the raw stream of the message goes on meanwhile, but for the stop of its last block, before which they must stand; and a record
// that is not of the message lets them go as they are, if the agent tells a message's end before anything else.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Usage } from '../../model/event.ts'
import type { Sink } from '../contract.ts'
import { usageKeys } from './encode-usage.ts'

/** Records behind one that waits: more than any message of an honest source has. */
const mostHeld = 50_000

type Held = { record: Rec; synthetic: string | undefined; message: object | undefined }

export type Holder = Sink & {
  /** A block of a message that has still to say what it used. */
  hold(record: Rec, synthetic: string | undefined, message: object): void
  /** The message is over. */
  settle(message: object, usage: Usage | undefined, stop: string | null): void
  /** Nothing is waited for any more. */
  release(): void
}

/** `endsFirst`: it does. */
export function createHolder(sink: Sink, endsFirst: () => boolean): Holder {
  let queue: Held[] = []

  /** What follows waits behind all blocks, in a live run of our own agent only behind those of its lane. */
  const laneIn = (record: Rec): unknown => (sink.live === true && endsFirst() ? laneOf(record) : null)

  function flush(): void {
    const blocked = new Set<unknown>()
    const waiting: Held[] = []
    for (const held of queue) {
      const lane = laneIn(held.record)
      if (held.message !== undefined) blocked.add(lane)
      if (blocked.has(lane)) waiting.push(held)
      else sink.write(held.record, held.synthetic)
    }
    queue = waiting
  }

  function release(from = queue): void {
    for (const held of from) {
      if (held.message !== undefined) sink.added('assistant.message.usage')
      held.message = undefined
    }
    flush()
  }

  function put(record: Rec, synthetic: string | undefined, message?: object): void {
    const lane = laneIn(record)
    if (message === undefined && !queue.some((held) => held.message !== undefined && laneIn(held.record) === lane))
      return sink.write(record, synthetic)
    queue.push({ record, synthetic, message })
    if (queue.length > mostHeld) release()
  }

  /** Of a live run's raw stream. */
  function pass(record: Rec, synthetic: string | undefined): void {
    for (const stop of queue.filter(({ record: held }) => streamed(held) !== undefined)) sink.write(stop.record, stop.synthetic)
    queue = queue.filter(({ record: held }) => streamed(held) === undefined)
    sink.write(record, synthetic)
  }

  return {
    ...sink,
    write(record, synthetic) {
      if (queue.length > 0 && sink.live === true) {
        const type = streamed(record)
        if (type !== undefined && type !== 'content_block_stop') return pass(record, synthetic)
        if (!mayWait(record) && endsFirst())
          release(record['type'] === 'result' ? queue : queue.filter((held) => laneOf(held.record) === laneOf(record)))
      }
      put(record, synthetic)
    },
    hold: put,
    settle(message, usage, stop) {
      if (queue.length === 0) return
      for (const held of queue) {
        if (held.message !== message) continue
        held.message = undefined
        const inner = held.record['message']
        if (usage === undefined || !isRecord(inner)) sink.added('assistant.message.usage')
        else Object.assign(inner, { usage: usageKeys(usage), stop_reason: stop })
      }
      flush()
    },
    release: () => release(),
  }
}

const streamed = ({ type, event }: Rec): unknown => (type === 'stream_event' && isRecord(event) ? event['type'] : undefined)

/** Also a status. */
const mayWait = ({ type }: Rec): boolean => type === 'assistant' || type === 'system' || type === 'stream_event'

/** Records about a call or a question come after the message that made it, and belong to no lane's. */
function laneOf({ type, parent_tool_use_id: parent, tool_use_id: call }: Rec): unknown {
  if (type === 'user' || type === 'assistant') return parent ?? null
  return call !== undefined || String(type).startsWith('control_') ? ofNoLane : null
}
const ofNoLane = Symbol('of no lane')
