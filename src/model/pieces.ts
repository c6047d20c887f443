// Pieces of one text that came together, as dozens do when a model is fast: events that differ in nothing but their text, their number and
// where their record stands. Who reads what a text says takes them as one; who writes events writes each.
import type { Alike, Template } from '../base/pieces.ts'
import type { Event, Origin } from './event.ts'

export type Delta = Extract<Event, { kind: 'text.delta' | 'thought.delta' | 'tool.delta' }>

/** Valid only during the call. */
export type Pieces = {
  count: number
  /** All of them as one: the place of the first, and the text of all. */
  joined: Delta
  /** Where the text of the piece of that index ends in the text of all. */
  end(index: number): number
  /** The first of them, so many. */
  first(count: number): Pieces
  /** Each for itself, from that index on, numbered from the joined one's number on. */
  events(from?: number): Event[]
  /** A line for each, numbered from `seq` on; undefined when the template does not serve. Valid until others are written to its room. */
  write(template: Template, seq: number, room?: 0 | 1): Uint8Array | undefined
}

/** `first`: the event of the first of these records. */
export function piecesOf(first: Delta, { count: all, text, line, write }: Alike): Pieces {
  const { origin } = first as { origin: Origin }
  const { record, offset, line: lineNumber } = origin

  function eventOf(joined: Delta, index: number): Event {
    const { start, length, end } = line(index)
    const own = text.slice(index === 0 ? 0 : line(index - 1).end, end)
    const numbers = {
      record: record + index,
      offset: offset + start,
      length,
      line: lineNumber === undefined ? undefined : lineNumber + index,
    }
    return { ...joined, seq: joined.seq + index, origin: { ...origin, ...numbers }, text: own }
  }

  const made = (joined: Delta, count: number): Pieces => ({
    count,
    joined,
    end: (index) => line(index).end,
    first: (some) => made({ ...joined, text: text.slice(0, line(some - 1).end) }, some),
    events: (from = 0) => Array.from({ length: count - from }, (_, index) => eventOf(joined, from + index)),
    write: (template, seq, room = 0) => write(room, count, template, { number: seq, record, offset, line: lineNumber ?? 0 }),
  })
  first.text = text
  return made(first, all)
}

/** One after which others can be told in its words: its record told nothing else, and is not kept. */
export const isSample = (events: readonly Event[], kinds: ReadonlySet<string>): boolean => {
  const [event] = events
  if (events.length !== 1 || !kinds.has(event!.kind)) return false
  const { origin, ext, raw, synthetic, at } = event!
  return origin !== undefined && ext === undefined && raw === undefined && synthetic === undefined && at === undefined
}
