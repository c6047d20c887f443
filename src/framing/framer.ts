// Bytes → records: one JSON object a line, one JSON array, or objects one after another (also pretty-printed), with whatever
// else a real stream holds between them. Any cut of the bytes into chunks gives the same records.
// The surprise: spans handed to the sink are valid only during the call, since the carry buffer is used again.
import { isUtf8, utf8 } from '../base/bytes.ts'
import { isRecord, parseJson, type Rec } from '../base/json.ts'
import { isSpace, newScan, scanToClose, skipSpace } from './scan.ts'

/** A place in the input: `line` and `record` count from 1, `offset` is bytes from the start. */
export type Span = { bytes: Uint8Array; start: number; end: number; offset: number; line: number }

export type BadCode = 'noise' | 'not-object' | 'bad-json' | 'cut' | 'too-long' | 'utf8'

export type FrameSink = {
  record(value: Rec, span: Span): void
  /** Bytes that are no record. `utf8` is a warning: the record follows, its bad bytes replaced. */
  bad(code: BadCode, text: string, span: Span): void
}

export const defaultMaxLine = 128 * 1024 * 1024

const newline = 0x0a
const openBrace = 0x7b
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c

export function createFramer(sink: FrameSink, maxLine = defaultMaxLine) {
  let carry = new Uint8Array(4096)
  let carried = 0
  let offset = 0 // of the first byte of the carry, or of the next byte when it is empty
  let line = 1
  let skipping = false // inside a line or element that is over the limit
  let array: { scan: ReturnType<typeof newScan>; inElement: boolean } | undefined
  let pretty: { start: number; line: number; scan: ReturnType<typeof newScan>; lines: { bytes: Uint8Array; line: number; offset: number }[]; size: number } | undefined
  let first = true

  function keep(bytes: Uint8Array, start: number, end: number): void {
    const size = carried + end - start
    if (size > maxLine) {
      tooLong(bytes)
      return
    }
    if (size > carry.length) {
      const grown = new Uint8Array(Math.max(size, carry.length * 2))
      grown.set(carry.subarray(0, carried))
      carry = grown
    }
    carry.set(bytes.subarray(start, end), carried)
    carried = size
  }

  function tooLong(bytes: Uint8Array): void {
    skipping = true
    carried = 0
    sink.bad('too-long', `longer than the limit of ${maxLine} bytes`, { bytes, start: 0, end: 0, offset, line })
  }

  // ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function takeLine(bytes: Uint8Array, start: number, end: number, at: number, number: number, last: boolean): void {
    if (pretty !== undefined && continuePretty(bytes, start, end, at, number)) return
    if (end > start && bytes[end - 1] === 0x0d) end--
    if (skipSpace(bytes, start, end) === end) return
    const span: Span = { bytes, start, end, offset: at, line: number }
    if (!parse(span)) brokenLine(span, last, true)
  }

  /** Gives the span to the sink when it is one JSON object. */
  function parse(span: Span): boolean {
    const text = utf8(span.bytes, span.start, span.end)
    let value: unknown
    try {
      value = parseJson(text)
    } catch {
      return false
    }
    if (text.includes('\ufffd') && !isUtf8(span.bytes, span.start, span.end)) sink.bad('utf8', 'invalid UTF-8; the bad bytes are replaced', span)
    if (isRecord(value)) sink.record(value, span)
    else sink.bad('not-object', 'JSON, but not an object', span)
    return true
  }

  /** Not one object: several on a line, the first line of a pretty-printed one, a broken record, or no JSON at all. */
  function brokenLine(span: Span, last: boolean, mayGoOn: boolean): void {
    const { bytes, end, line: number } = span
    let start = skipSpace(bytes, span.start, end)
    for (let count = 0; start < end; count++) {
      const rest: Span = { bytes, start, end, offset: span.offset + start - span.start, line: number }
      if (bytes[start] !== openBrace) return sink.bad('noise', 'not JSON', rest)
      const scan = newScan()
      const close = scanToClose(bytes, start, end, scan)
      if (close === -1) {
        if (last) return sink.bad('cut', 'the input ends in the middle of a record', rest)
        if (scan.inString || count > 0 || !mayGoOn) return sink.bad('bad-json', 'not valid JSON', rest)
        pretty = { start: rest.offset, line: number, scan, lines: [{ bytes: bytes.slice(start, end), line: number, offset: rest.offset }], size: end - start }
        return
      }
      if (!parse({ ...rest, end: close })) return sink.bad('bad-json', 'not valid JSON', rest)
      start = skipSpace(bytes, close, end)
    }
  }

  /** Adds a line to a pretty-printed object. False: the object was broken, the line stands for itself. */
  function continuePretty(bytes: Uint8Array, start: number, end: number, at: number, number: number): boolean {
    const open = pretty!
    const size = open.size + 1 + end - start
    if (bytes[start] === openBrace || size > maxLine) {
      givePrettyUp()
      return false
    }
    const close = scanToClose(bytes, start, end, open.scan)
    open.lines.push({ bytes: bytes.slice(start, end), line: number, offset: at })
    open.size = size
    if (open.scan.inString) givePrettyUp()
    else if (close !== -1) {
      const tail = skipSpace(bytes, close, end)
      const whole = joinLines(open.lines, end - close)
      if (!parse({ bytes: whole, start: 0, end: whole.length, offset: open.start, line: open.line })) return (givePrettyUp(), true)
      pretty = undefined
      if (tail < end) brokenLine({ bytes, start: tail, end, offset: at + tail - start, line: number }, false, true)
    }
    return true
  }

  /** The lines held back were no object: each is told for itself. */
  function givePrettyUp(): void {
    const { lines } = pretty!
    pretty = undefined
    for (const { bytes, line: number, offset: at } of lines) {
      const end = bytes.length > 0 && bytes[bytes.length - 1] === 0x0d ? bytes.length - 1 : bytes.length
      const span: Span = { bytes, start: 0, end, offset: at, line: number }
      if (skipSpace(bytes, 0, end) < end && !parse(span)) brokenLine(span, false, false)
    }
  }

  // ── arrays ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** After `[` of an array. Returns the position after the array's `]`, or `end`. */
  function takeElements(bytes: Uint8Array, start: number, end: number): number {
    const state = array!
    let at = start
    while (at < end) {
      if (!state.inElement) {
        const byte = bytes[at]!
        if (byte === newline) line++
        if (byte === closeBracket) {
          array = undefined
          offset += at + 1 - start
          return at + 1
        }
        if (isSpace(byte) || byte === comma) {
          at++
          continue
        }
        state.inElement = true
        state.scan = newScan()
        offset += at - start
        start = at
      }
      const close = endOfElement(bytes, at, end)
      if (close === -1) {
        if (!skipping) keep(bytes, at, end)
        if (skipping) offset += end - start
        return end
      }
      const whole = carried > 0
      if (!skipping && whole) keep(bytes, at, close)
      if (!skipping) takeElement(whole ? { bytes: carry, start: 0, end: carried, offset, line } : { bytes, start: at, end: close, offset, line })
      const size = whole ? carried : close - at
      offset += skipping ? close - at : size
      carried = 0
      skipping = false
      state.inElement = false
      start = at = close
    }
    offset += at - start
    return end
  }

  function takeElement(span: Span): void {
    if (!parse(span)) sink.bad('bad-json', 'not valid JSON', span)
    for (let at = span.start; at < span.end; at++) if (span.bytes[at] === newline) line++
  }

  /** Objects and arrays end where they close, other values before the next comma or bracket. */
  function endOfElement(bytes: Uint8Array, start: number, end: number): number {
    const { scan } = array!
    const head = carried > 0 ? carry[0] : bytes[start]
    if (head === openBrace || head === openBracket || scan.depth > 0) return scanToClose(bytes, start, end, scan)
    for (let at = start; at < end; at++) if (bytes[at] === comma || bytes[at] === closeBracket) return at
    return -1
  }

  /** Whether an array of records starts here: `[` and then `{` or `]`. Undefined: more bytes are needed. */
  function startsArray(bytes: Uint8Array, start: number, end: number): boolean | undefined {
    if (bytes[start] !== openBracket) return false
    const next = skipSpace(bytes, start + 1, end)
    return next === end ? undefined : bytes[next] === openBrace || bytes[next] === closeBracket
  }

  // ── the loop ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function push(chunk: Uint8Array): void {
    let bytes = chunk
    let at = 0
    if (carried > 0 && array === undefined && !skipping && (first || carry[0] === openBracket)) {
      // Undecided yet: whether a mark or an array starts here is seen from more bytes.
      bytes = new Uint8Array(carried + chunk.length)
      bytes.set(carry.subarray(0, carried))
      bytes.set(chunk, carried)
      carried = 0
    }
    const end = bytes.length
    if (first && array === undefined) {
      if (end < 3 && couldBeMark(bytes)) return keep(bytes, 0, end)
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) offset += at = 3
      first = false
    }
    while (at < end) {
      if (array !== undefined) {
        at = takeElements(bytes, at, end)
        continue
      }
      if (carried === 0 && !skipping && pretty === undefined) {
        const head = skipSpace(bytes, at, end)
        const opens = startsArray(bytes, head, end)
        if (opens === undefined && head < end) {
          for (; at < head; at++, offset++) if (bytes[at] === newline) line++
          return keep(bytes, head, end)
        }
        if (opens === true) {
          for (; at <= head; at++, offset++) if (bytes[at] === newline) line++
          array = { scan: newScan(), inElement: false }
          continue
        }
      }
      const stop = bytes.indexOf(newline, at)
      if (stop === -1) {
        if (skipping) offset += end - at
        else {
          keep(bytes, at, end)
          if (skipping) offset += end - at
        }
        return
      }
      takeUpTo(bytes, at, stop)
      at = stop + 1
    }
  }

  function takeUpTo(bytes: Uint8Array, at: number, stop: number): void {
    if (carried > 0 && !skipping) keep(bytes, at, stop)
    else if (stop - at > maxLine && !skipping) tooLong(bytes)
    const size = carried > 0 ? carried : stop - at
    if (!skipping) {
      if (carried > 0) takeLine(carry, 0, carried, offset, line, false)
      else takeLine(bytes, at, stop, offset, line, false)
    }
    offset += size + 1
    line++
    carried = 0
    skipping = false
  }

  return {
    push,
    end(): void {
      if (array !== undefined) {
        if (array.inElement && carried > 0) sink.bad('cut', 'the input ends in the middle of a record', { bytes: carry, start: 0, end: carried, offset, line })
        return
      }
      if (carried > 0 && !skipping) takeLine(carry, 0, carried, offset, line, true)
      if (pretty !== undefined) {
        const { lines, start, line: number } = pretty
        const whole = joinLines(lines, 0)
        pretty = undefined
        sink.bad('cut', 'the input ends in the middle of a record', { bytes: whole, start: 0, end: whole.length, offset: start, line: number })
      }
      carried = 0
    },
  }
}

const couldBeMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && (bytes.length < 2 || bytes[1] === 0xbb)

function joinLines(lines: { bytes: Uint8Array }[], tail: number): Uint8Array {
  const size = lines.reduce((sum, { bytes }) => sum + bytes.length + 1, -1)
  const whole = new Uint8Array(size)
  let at = 0
  for (const { bytes } of lines) {
    whole.set(bytes, at)
    at += bytes.length
    if (at < size) whole[at++] = newline
  }
  return whole.subarray(0, size - tail)
}
