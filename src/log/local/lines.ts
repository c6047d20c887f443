// Lines of events in the bytes of a generation, found by the number that each begins with, without parsing them. A line counts from its
// newline on. What a lost tail leaves behind (half a line, zeros) is no line: JSON has no zero byte.
import { isControl, parseLine } from './control-line.ts'

const newline = 0x0a
const head = Buffer.from('{"v":1,"seq":')

/** `control`: a line that is no event follows. `invalid`: no line of this log does. `over`: a number past the limit does. */
export type Lines = {
  /** Of those that are wanted. */
  start: number
  end: number
  count: number
  /** The number of the last line, wanted or not; undefined when there is none. */
  last: number | undefined
  why: 'more' | 'control' | 'invalid' | 'over'
}

/**
 * Lines whose numbers follow `last` by one each; those up to `after` are not wanted. `last` undefined: it is not known which is first. Stops
 * at the limit, and before a line that is no event.
 */
export function linesIn(bytes: Buffer, last: number | undefined, after: number, limit: number): Lines {
  const zero = bytes.indexOf(0)
  let [start, at, count, seq] = [0, 0, 0, last]
  const stop = (why: Lines['why']): Lines => ({ start, end: at, count, last: seq, why })
  for (;;) {
    if (seq !== undefined && seq >= limit) return stop('over')
    const end = bytes.indexOf(newline, at)
    if (zero !== -1 && (zero < end || end === -1)) return stop('invalid')
    if (end === -1) return stop('more')
    const found = numberAt(bytes, at, end)
    if (found === 0) return stop('control')
    if (found === -1 || (seq !== undefined && found !== seq + 1)) return stop('invalid')
    if (found > limit) return stop('over')
    seq = found
    at = end + 1
    if (found <= after) start = at
    else count++
  }
}

/** Of the event in the line; 0 when it is none, -1 when nobody can tell. */
export function numberAt(bytes: Buffer, start: number, end: number): number {
  const from = start + head.length
  if (end - start <= head.length || bytes.compare(head, 0, head.length, start, from) !== 0) return slowNumber(bytes.subarray(start, end))
  let seq = 0
  let at = from
  for (; at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39; at++) seq = seq * 10 + bytes[at]! - 0x30
  return at > from && bytes[at] === 0x2c && bytes[end - 1] === 0x7d ? seq : -1
}

/** Of a line that has its keys in another order. */
function slowNumber(line: Buffer): number {
  const record = parseLine(line)
  if (record === undefined) return -1
  if (isControl(record)) return 0
  const { seq } = record
  return typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : -1
}
