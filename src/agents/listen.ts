// Both sides of a conversation with an agent → events: what it writes, as bytes, and what we wrote to it, as records. One reader hears
// both, since an answer of ours may say what a result of its means.
import type { Rec } from '../base/json.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { createReader, type Reader } from '../stream/read.ts'

export type Listener = Reader & {
  /** Records that came from the agent. */
  records(): number
}

/**
 * `normalize`: a record as it is meant, or undefined when nothing more is to be told of it. `isOwn`: one that speaks to us alone, about something
 * we asked: it says nothing of the session.
 */
export type ListenerParts = {
  dialect: Dialect
  onEvents(events: Event[]): void
  normalize?(record: Rec): Rec | undefined
  isOwn?(record: Rec): boolean
  /** After its events. */
  onRecord?(record: Rec): void
}

const maxLine = 32 * 2 ** 20
const maxBad = 64 * 1024 // of a line that is no record; a record is kept whole, else it would be none

export function createListener({ dialect, onEvents, normalize = (record) => record, isOwn, onRecord }: ListenerParts): Listener {
  let heard = 0
  const reader = createReader(
    dialect,
    (events, record) => {
      onEvents(events)
      if (record !== undefined) onRecord?.(record)
    },
    {
      maxLine,
      maxBad,
      normalize(record) {
        heard++
        const meant = normalize(record)
        return meant === undefined || isOwn?.(meant) === true ? undefined : meant
      },
    },
  )
  return { ...reader, records: () => heard }
}
