// What every format of `watch` is made of: records with their meaning in, lines out.
import type { Class } from '../analyze/classify.ts'
import type { Rec } from '../base/json.ts'
import type { Span } from '../framing/framer.ts'
import type { Event } from '../model/event.ts'
import type { Redactor } from '../stream/redact.ts'

/** One record and the events in it. Without `record`: a line that is none. Without `span`: what is added at the end of a stream. */
export type Seen = {
  events: readonly Event[]
  record: Rec | undefined
  span: Span | undefined
  /** Of each event, where classes are asked for. */
  classes: readonly Class[]
}

export type View = {
  /** False: this format cannot show it. */
  show(seen: Seen): boolean
  /** It shows records with their own bytes, not events. */
  ofRecords?: boolean
  /** Loads what has turned out to be needed, and shows what waits for it. */
  load?(): Promise<void>
  /** What waits for more is shown as it is. */
  settle?(): void
  /** Where in the stream the record stands that began what is waiting. */
  waitingSince?(): number | undefined
}

/** Each puts one line. */
export type Put = {
  line(text: string): void
  /** Byte for byte. */
  bytes(bytes: Uint8Array): void
  /** All in it that acts on a terminal is ours. */
  made(text: string): void
}

export type ViewOptions = {
  dialect: string
  /** What a record is called in its dialect. */
  nameOf?(record: Rec): string | undefined
  put: Put
  /** Takes secrets out of what is shown; records and events come without any. */
  redactor?: Redactor | undefined
  /** Whether an event of this session and class is asked for. */
  wants(session: string | undefined, its: Class | undefined): boolean
  classify: 'no' | 'notable' | 'all'
}

const order: readonly Class[] = ['MILESTONE', 'FINDING']

/** Of a record's events the class that matters most. */
export const highest = (classes: readonly Class[]): Class => order.find((its) => classes.includes(its)) ?? 'ACTIVITY'

export const tagOf = (its: Class | undefined, classify: ViewOptions['classify']): string =>
  its !== undefined && (classify === 'all' || (classify === 'notable' && its !== 'ACTIVITY')) ? `${its} ` : ''
