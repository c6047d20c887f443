// events → sluice. Keys in the order v, seq, at, kind, session, the rest of the envelope, then the kind's own.
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import type { Encoder, Sink } from '../contract.ts'

export const encode = (sink: Sink): Encoder => ({
  // The pen has made the event with its keys in that order; whoever builds one by hand goes through the same order here.
  push: (event) => sink.write((inOrder(event) ? event : ordered(event)) as Rec),
  end() {},
})

const envelope = [
  'v',
  'seq',
  'at',
  'kind',
  'session',
  'run',
  'agent',
  'turn',
  'message',
  'block',
  'call',
  'clock',
  'origin',
  'synthetic',
  'ext',
] as const
const place = new Map<string, number>(envelope.map((key, index) => [key, index]))

function inOrder(event: Event): boolean {
  let index = 0
  for (const key in event) {
    if (key === envelope[index]) index++ // as the pen makes them: all of the envelope, in order
    else if (index < envelope.length) return isSorted(event)
  }
  return true
}

function isSorted(event: Event): boolean {
  let last = -1
  for (const key in event) {
    const index = place.get(key) ?? envelope.length
    if (index < last) return false
    last = index
  }
  return true
}

function ordered(event: Event): Event {
  const { raw, ...rest } = event
  const sorted: Rec = {}
  for (const key of envelope) if (rest[key] !== undefined) sorted[key] = rest[key]
  for (const [key, value] of Object.entries(rest)) if (!place.has(key)) Object.defineProperty(sorted, key, { value, enumerable: true })
  if (raw !== undefined) sorted['raw'] = raw
  return sorted as unknown as Event
}
