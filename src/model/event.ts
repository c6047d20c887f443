// The canonical event: one small immutable fact about one session, told once, in the order in which it became known.
import type { Static } from 'typebox'
import type { Loose } from './loose.ts'
import type { eventSchemas } from './schema.ts'
import type { context, cost, fault, option, origin, rule, usage } from './schema-shared.ts'

export type Event = Loose<Static<(typeof eventSchemas)[number]>>
export type Kind = Event['kind']
export type EventOf<K extends Kind> = Extract<Event, { kind: K }>

export type Usage = Loose<Static<typeof usage>>
export type Cost = Loose<Static<typeof cost>>
export type Context = Loose<Static<typeof context>>
export type Fault = Loose<Static<typeof fault>>
export type Option = Loose<Static<typeof option>>
export type Rule = Loose<Static<typeof rule>>
export type Origin = Loose<Static<typeof origin>>

/** The line a record stands on: its number, unless the stream holds other lines too. */
export const lineOf = ({ line, record }: Origin): number => line ?? record

/** Envelope keys a decoder may set per event; the pen fills the rest. */
export type Place = {
  at?: number | undefined
  session?: string | undefined
  run?: string | undefined
  agent?: string | undefined
  turn?: number | undefined
  message?: string | undefined
  block?: number | undefined
  call?: string | undefined
  synthetic?: string | undefined
  /** What only its own producer understands, under the producer's name. */
  ext?: Record<string, unknown> | undefined
}

/** A place with all of its keys: the pen reads places of one shape far faster than places of many. */
export const placeOf = (agent?: string, turn?: number, message?: string, block?: number, call?: string, synthetic?: string): Place => ({
  at: undefined,
  session: undefined,
  run: undefined,
  agent,
  turn,
  message,
  block,
  call,
  synthetic,
  ext: undefined,
})

type EnvelopeKey =
  | 'v'
  | 'seq'
  | 'kind'
  | 'at'
  | 'session'
  | 'run'
  | 'agent'
  | 'turn'
  | 'message'
  | 'block'
  | 'call'
  | 'clock'
  | 'origin'
  | 'synthetic'
  | 'ext'
  | 'raw'

/** The kind's own fields. */
export type Payload<K extends Kind> = Omit<EventOf<K>, EnvelopeKey>
