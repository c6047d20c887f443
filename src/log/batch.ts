// Lines of events in bytes, each with its newline, as readers of a log get them: to be parsed, or framed for a transport without.
import { parseJson } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import type { Batch, Cursor } from './contract.ts'
import { formatCursor, parseCursor } from './cursor.ts'

const newline = 0x0a

/** `index`: the first number of its cursors. `numbers`: of each event; by default from `first` to `last`. */
export function batchOf(lines: Uint8Array, index: number, first: number, last: number, numbers?: readonly number[]): Batch {
  return {
    type: 'events',
    lines,
    count: numbers?.length ?? last - first + 1,
    first: formatCursor(index, first),
    last: formatCursor(index, last),
    seqs: numbers,
    events: () => eventsIn(lines),
  }
}

/** Of the event at that place in the batch. */
export const cursorAt = ({ first, seqs }: Batch, place: number): Cursor => {
  const { index, seq } = parseCursor(first)!
  return formatCursor(index, seqs?.[place] ?? seq + place)
}

export const eventsIn = (lines: Uint8Array): Event[] => [...splitLines(lines)].map((line) => parseJson(textOf(line)) as Event)

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

/** Each with its newline. */
export function* splitLines(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(newline, at) + 1
    yield bytes.subarray(at, end)
    at = end
  }
}

/** Each line, without its newline, between these bytes. A copy. */
export function frameLines({ lines, count }: Batch, before: Uint8Array, after: Uint8Array): Uint8Array {
  const framed = Buffer.allocUnsafeSlow(lines.length + count * (before.length + after.length - 1))
  let size = 0
  for (const line of splitLines(lines)) {
    framed.set(before, size)
    framed.set(line, size + before.length)
    size += before.length + line.length - 1
    framed.set(after, size)
    size += after.length
  }
  return framed
}
