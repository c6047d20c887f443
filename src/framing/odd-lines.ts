// Lines that are not one JSON object each: several objects on a line, an object over several lines (pretty-printed), a broken record,
// or no JSON at all. The lines of an open object are held back, since each is told for itself if they come to nothing.
import { copyOf } from '../base/bytes.ts'
import { cutText, type FrameSink, newline, openBrace, type Span } from './contract.ts'
import { newScan, type Scan, scanToClose, skipSpace } from './scan.ts'

/** Lines that follow one another in the input: where the first of them stands, in `bytes` and there. */
type Run = { at: number; line: number; offset: number }
/** Its lines one behind the other, in the first `size` bytes: a line may be a single byte, so that none may cost more than its bytes. */
type Pretty = { scan: Scan; bytes: Uint8Array; size: number; runs: [Run, ...Run[]] }

/** `parse` gives a span to the sink when it is one JSON value. */
export function createOddLines(sink: FrameSink, parse: (span: Span) => boolean, maxLine: number) {
  const odd = {
    /** A pretty-printed object that is not closed yet. */
    open: undefined as Pretty | undefined,

    /** A line that is not one object. `lineEnd`: where it ends with its carriage return. `last`: the input ends with it. */
    take: (span: Span, lineEnd: number, last: boolean): void => take(span, last, lineEnd),

    /** Adds a line to the open object. False: the object was broken, the line stands for itself. */
    goOn(bytes: Uint8Array, start: number, end: number, offset: number, line: number): boolean {
      const open = odd.open!
      if ((start < end && bytes[start] === openBrace) || open.size + 1 + end - start > maxLine) {
        giveUp(open)
        return false
      }
      const close = scanToClose(bytes, start, end, open.scan)
      add(open, bytes, start, end, offset, line)
      if (open.scan.inString) giveUp(open)
      else if (close !== -1) {
        const tail = skipSpace(bytes, close, end)
        if (!parse(spanOf(open, open.size - (end - close)))) return (giveUp(open), true)
        odd.open = undefined
        const textEnd = withoutReturn(bytes, start, end)
        if (tail < end) take({ bytes, start: tail, end: textEnd, offset: offset + tail - start, line }, false, end)
      }
      return true
    },

    end(): void {
      if (odd.open === undefined) return
      const whole = spanOf(odd.open, odd.open.size)
      odd.open = undefined
      sink.bad('cut', cutText, whole)
    },
  }

  /** `lineEnd`: it may be the first line of a pretty-printed object, which ends here. */
  function take({ bytes, start: begin, end, offset, line }: Span, last: boolean, lineEnd?: number): void {
    let start = skipSpace(bytes, begin, end)
    for (let count = 0; start < end; count++) {
      const rest: Span = { bytes, start, end, offset: offset + start - begin, line }
      if (bytes[start] !== openBrace) return sink.bad('noise', 'not JSON', rest)
      const scan = newScan()
      const close = scanToClose(bytes, start, end, scan)
      if (close === -1) {
        if (last) return sink.bad('cut', cutText, rest)
        if (scan.inString || count > 0 || lineEnd === undefined) return sink.bad('bad-json', 'not valid JSON', rest)
        odd.open = { scan, bytes: copyOf(bytes, start, lineEnd), size: lineEnd - start, runs: [{ at: 0, line, offset: rest.offset }] }
        return
      }
      if (!parse({ ...rest, end: close })) return sink.bad('bad-json', 'not valid JSON', rest)
      start = skipSpace(bytes, close, end)
    }
  }

  /** The lines held back were no object: each is told for itself. */
  function giveUp({ bytes, size, runs }: Pretty): void {
    odd.open = undefined
    let [run] = runs
    let { line } = run
    for (let at = 0, end, next = 1; at <= size; at = end + 1, line++) {
      if (runs[next]?.at === at) {
        run = runs[next++]!
        line = run.line
      }
      end = bytes.indexOf(newline, at)
      if (end === -1) end = size
      const span: Span = { bytes, start: at, end: withoutReturn(bytes, at, end), offset: run.offset + at - run.at, line }
      if (skipSpace(bytes, at, end) < end && !parse(span)) take(span, false)
    }
  }

  return odd
}

function add(open: Pretty, bytes: Uint8Array, start: number, end: number, offset: number, line: number): void {
  const at = open.size + 1
  const run = open.runs.at(-1)!
  if (offset !== run.offset + at - run.at) open.runs.push({ at, line, offset })
  open.size = at + end - start
  if (open.size > open.bytes.length) {
    const grown = new Uint8Array(open.size * 2)
    grown.set(open.bytes)
    open.bytes = grown
  }
  open.bytes[at - 1] = newline
  open.bytes.set(bytes.subarray(start, end), at)
}

const spanOf = ({ bytes, runs: [{ line, offset }] }: Pretty, end: number): Span => ({ bytes, start: 0, end, offset, line })

const withoutReturn = (bytes: Uint8Array, start: number, end: number): number => (end > start && bytes[end - 1] === 0x0d ? end - 1 : end)
