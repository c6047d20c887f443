// Lines that are not one JSON object each: several objects on a line, an object over several lines (pretty-printed), a broken record,
// or no JSON at all. The lines of an open object are held back, since each is told for itself if they come to nothing.
import { copyOf } from '../base/bytes.ts'
import { cutText, type FrameSink, newline, openBrace, type Span } from './contract.ts'
import { newScan, type Scan, scanToClose, skipSpace } from './scan.ts'

type Line = { bytes: Uint8Array; line: number; offset: number }
type Pretty = { scan: Scan; lines: [Line, ...Line[]]; size: number }

/** `parse` gives a span to the sink when it is one JSON value. */
export function createOddLines(sink: FrameSink, parse: (span: Span) => boolean, maxLine: number) {
  const odd = {
    /** A pretty-printed object that is not closed yet. */
    open: undefined as Pretty | undefined,

    /** A line that is not one object. `last`: the input ends with it. */
    take: (span: Span, last: boolean): void => take(span, last, true),

    /** Adds a line to the open object. False: the object was broken, the line stands for itself. */
    goOn(bytes: Uint8Array, start: number, end: number, offset: number, line: number): boolean {
      const open = odd.open!
      const size = open.size + 1 + end - start
      if ((start < end && bytes[start] === openBrace) || size > maxLine) {
        giveUp(open)
        return false
      }
      const close = scanToClose(bytes, start, end, open.scan)
      open.lines.push({ bytes: copyOf(bytes, start, end), line, offset })
      open.size = size
      if (open.scan.inString) giveUp(open)
      else if (close !== -1) {
        const tail = skipSpace(bytes, close, end)
        if (!parse(joined(open.lines, end - close))) return (giveUp(open), true)
        odd.open = undefined
        if (tail < end) take({ bytes, start: tail, end, offset: offset + tail - start, line }, false, true)
      }
      return true
    },

    end(): void {
      if (odd.open === undefined) return
      const whole = joined(odd.open.lines, 0)
      odd.open = undefined
      sink.bad('cut', cutText, whole)
    },
  }

  /** `mayOpen`: it may be the first line of a pretty-printed object. */
  function take({ bytes, start: begin, end, offset, line }: Span, last: boolean, mayOpen: boolean): void {
    let start = skipSpace(bytes, begin, end)
    for (let count = 0; start < end; count++) {
      const rest: Span = { bytes, start, end, offset: offset + start - begin, line }
      if (bytes[start] !== openBrace) return sink.bad('noise', 'not JSON', rest)
      const scan = newScan()
      const close = scanToClose(bytes, start, end, scan)
      if (close === -1) {
        if (last) return sink.bad('cut', cutText, rest)
        if (scan.inString || count > 0 || !mayOpen) return sink.bad('bad-json', 'not valid JSON', rest)
        odd.open = { scan, lines: [{ bytes: copyOf(bytes, start, end), line, offset: rest.offset }], size: end - start }
        return
      }
      if (!parse({ ...rest, end: close })) return sink.bad('bad-json', 'not valid JSON', rest)
      start = skipSpace(bytes, close, end)
    }
  }

  /** The lines held back were no object: each is told for itself. */
  function giveUp({ lines }: Pretty): void {
    odd.open = undefined
    for (const { bytes, line, offset } of lines) {
      const end = bytes.length > 0 && bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length
      const span: Span = { bytes, start: 0, end, offset, line }
      if (skipSpace(bytes, 0, end) < end && !parse(span)) take(span, false, false)
    }
  }

  return odd
}

/** The lines as one span, without the last `tail` bytes. */
function joined(lines: Pretty['lines'], tail: number): Span {
  const [{ line, offset }] = lines
  const size = lines.reduce((sum, { bytes }) => sum + bytes.length + 1, -1)
  const whole = new Uint8Array(size)
  let at = 0
  for (const { bytes } of lines) {
    whole.set(bytes, at)
    at += bytes.length
    if (at < size) whole[at++] = newline
  }
  return { bytes: whole.subarray(0, size - tail), start: 0, end: size - tail, offset, line }
}
