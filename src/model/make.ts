// One event outside a stream's pen: whoever stands between an agent and its readers adds a few of its own.
import type { Event, Kind, Payload, Place } from './event.ts'
import { modelVersion } from './vocabulary.ts'

/** `seq` is 0 until the stream it goes into numbers it. */
export function makeEvent<K extends Kind>(kind: K, payload: Payload<K>, place: Place): Event {
  const { at, session, run, agent, turn, message, block, call, synthetic, ext } = place
  const event = { v: modelVersion, seq: 0, at, kind, session, run, agent, turn, message, block, call, synthetic, ext, ...payload }
  return event as unknown as Event // the literal is Event by construction: kind and payload belong together
}
