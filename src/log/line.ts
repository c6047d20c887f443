// An event as its line of JSON, in bytes. Several write the same event one after another, and to make its line costs more than all else
// that they do with it: it is made once.
import { createJsonLines, type Line } from '../files/json-line.ts'
import type { Event } from '../model/event.ts'

const { line } = createJsonLines()
let last: Event | undefined
let lastSeq = 0 // it had when its line was made: a stream that takes it over numbers it anew
let made: Line | undefined

/**
 * Valid until that of the next event is asked for. For events that have their place in a stream: nothing but their number may change any
 * more. `seq`: another number than its own.
 */
export function lineOf(event: Event, seq = event.seq): Line {
  if (made !== undefined && event === last && seq === lastSeq) return made
  last = event
  lastSeq = seq
  return (made = line(seq === event.seq ? event : { ...event, seq }, event.kind))
}
