// Bytes → records: one JSON object a line, one JSON array, objects one after another (also pretty-printed) or server-sent events,
// with whatever else a real stream holds between them. Any cut of the bytes into chunks gives the same records.
// The surprise: spans handed to the sink are valid only during the call, since the carry buffer is used again.
import { copyOf, isUtf8, utf8 } from '../base/bytes.ts'
import { isRecord, mayHoldBigNumber, mayHoldHugeNumber, parseJson } from '../base/json.ts'
import { borrowMoulds, mostChunk, type Moulds } from '../base/moulds.ts'
import { broken, closeBracket, comma, endOfElement, isLeft, newArray, type OpenArray, startsArray, takeBetween } from './array.ts'
import { cutText, type FrameSink, newline, openBrace, type Span } from './contract.ts'
import { couldBeMark, firstWhole, lastWhole } from './edges.ts'
import { createOddLines } from './odd-lines.ts'
import { isSpace, mayBeJson, skipSpace } from './scan.ts'
import { dataOf, isField } from './sse.ts'

export type { BadCode, FrameSink, Span } from './contract.ts'

const mostFields = 8 // of one server-sent event, before its data
const defaultMaxLine = 128 * 1024 * 1024

export type FramerOptions = {
  maxLine?: number | undefined
  /** Nobody will write the values again, so numbers need not keep their text. */
  plainNumbers?: boolean
  /** So many records are parsed before it pays to look for lines that are alike. */
  alikeAfter?: number
  /** Paths of texts, such as `items.*.text`, of which the beginning and the end are enough: a long one may come as those. */
  skimmed?: ReadonlySet<string> | undefined
}

export function createFramer(sink: FrameSink, options: FramerOptions = {}) {
  const { maxLine = defaultMaxLine, plainNumbers = false, skimmed } = options
  let { alikeAfter = 100 } = options
  let moulds: Moulds | undefined
  let records = 0
  let held: Uint8Array | undefined // the chunk at hand, if the moulds hold it
  let current: Uint8Array | undefined // the chunk at hand
  let trusted = false // it is valid UTF-8 but for a character that its ends may cut
  let carry = new Uint8Array(4096)
  let carried = 0
  let carryAt = 0 // offset of the carry's first byte
  let base = 0 // offset of the first byte of the chunk at hand
  let line = 1
  let skipping = false // inside a line or element that is over the limit
  let array: OpenArray | undefined
  let arrays = 0
  let undecided = false // what is carried may begin an array: a bracket and blanks
  let first = true
  let events = false // these are server-sent events
  let fields: Span[] = [] // lines that are fields of an event if its data follows, and noise if not
  const odd = createOddLines(sink, (span) => parse(span), maxLine)
  const lineSpan: Span = { bytes: carry, start: 0, end: 0, offset: 0, line: 0, array: 0, form: 0 } // one for all lines: the hot path makes no garbage

  function keep(bytes: Uint8Array, start: number, end: number): void {
    const size = carried + end - start
    if (carried === 0) carryAt = base + start
    if (size > maxLine) return tooLong(bytes, carryAt)
    if (size > carry.length) {
      const grown = new Uint8Array(Math.max(size, carry.length * 2))
      grown.set(carry.subarray(0, carried))
      carry = grown
    }
    carry.set(bytes.subarray(start, end), carried)
    carried = size
  }

  function tooLong(bytes: Uint8Array, offset: number): void {
    skipping = true
    carried = 0
    sink.bad('too-long', `longer than the limit of ${maxLine} bytes`, { bytes, start: 0, end: 0, offset, line })
  }

  // ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A line of the chunk that is like one before it. Returns where the next one begins, or -1. */
  function takeKnown(bytes: Uint8Array, start: number): number {
    const known = moulds!.readLine(start)
    if (known === undefined) return -1
    const end = moulds!.lineEnd()
    place(bytes, start, end, base + start, line)
    lineSpan.form = moulds!.form()
    sink.record(known, lineSpan)
    line++
    return end + (bytes[end] === 0x0d ? 2 : 1)
  }

  function place(bytes: Uint8Array, start: number, end: number, offset: number, number: number): void {
    if (lineSpan.bytes !== bytes) lineSpan.bytes = bytes // to write it again costs more than to look
    lineSpan.start = start
    lineSpan.end = end
    lineSpan.offset = offset
    lineSpan.line = number
  }

  /** `wasTried`: as `parse` has it. */
  function takeLine(bytes: Uint8Array, start: number, end: number, at: number, number: number, last: boolean, wasTried = false): void {
    if (bytes[start] !== openBrace) {
      const data = dataOf(bytes, start, end)
      if (data !== -1) {
        events = true
        fields = []
        at += data - start
        start = data
      } else if (isField(bytes, start, end)) {
        if (!events) holdField(bytes, start, end, at, number)
        return
      }
    }
    if (fields.length > 0) giveFieldsUp()
    if (odd.open !== undefined && odd.goOn(bytes, start, end, at, number)) return
    const lineEnd = end
    if (end > start && bytes[end - 1] === 0x0d) end--
    if (start === end || (bytes[start] !== openBrace && skipSpace(bytes, start, end) === end)) return // behind its end stands another line's
    place(bytes, start, end, at, number)
    if (!mayBeJson(bytes, start, end) || !parse(lineSpan, wasTried)) odd.take(lineSpan, lineEnd, last)
  }

  function holdField(bytes: Uint8Array, start: number, end: number, offset: number, number: number): void {
    const copy = copyOf(bytes, start, end)
    fields.push({ bytes: copy, start: 0, end: copy.length, offset, line: number })
    if (fields.length > mostFields) giveFieldsUp()
  }

  function giveFieldsUp(): void {
    for (const span of fields.splice(0)) sink.bad('noise', 'not JSON', span)
  }

  /** Gives the span to the sink when it is one JSON object. `wasTried`: it fits no mould. */
  function parse(span: Span, wasTried = false): boolean {
    const mayFit = moulds !== undefined && isSound(span)
    const known = mayFit && !wasTried ? moulds!.read(span.bytes, span.start, span.end) : undefined
    if (known !== undefined) {
      span.form = moulds!.form()
      sink.record(known, span)
      return true
    }
    const text = utf8(span.bytes, span.start, span.end)
    let value: unknown
    try {
      value =
        plainNumbers || !(mayHoldBigNumber(span.bytes, span.start, span.end) || mayHoldHugeNumber(text))
          ? JSON.parse(text)
          : parseJson(text)
    } catch {
      return false
    }
    if (mayFit) moulds!.learn(value, span.bytes, span.start, span.end)
    records++
    if (text.includes('\ufffd') && !isSound(span)) sink.bad('utf8', 'invalid UTF-8', span)
    span.form = 0
    if (isRecord(value)) sink.record(value, span)
    else sink.bad('not-object', 'JSON, but not an object', span)
    return true
  }

  const isSound = ({ bytes, start, end }: Span): boolean => (bytes === current && trusted) || isUtf8(bytes, start, end)

  // ── arrays ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** After `[` of an array. Returns the position after the array, or `end`. */
  function takeElements(bytes: Uint8Array, start: number, end: number): number {
    const state = array!
    let at = start
    while (at < end) {
      if (!state.inElement) {
        const byte = bytes[at]!
        if (isSpace(byte)) {
          state.atLine = byte === newline
          if (byte === newline) line++
          at++
          continue
        }
        if (isLeft(state, byte)) {
          badArray('no comma between two records', bytes, at)
          array = undefined
          return at
        }
        const fault = takeBetween(state, byte)
        if (fault !== undefined) badArray(fault, bytes, at)
        if (byte === closeBracket) {
          array = undefined
          return at + 1
        }
        if (byte === comma) {
          at++
          continue
        }
      }
      const close = endOfElement(state, bytes, at, end)
      const stop = close === -1 ? end : close === broken ? state.scan.at : close
      if (!skipping && (close === -1 || carried > 0)) keep(bytes, at, stop)
      if (close === -1) return end
      if (!skipping && stop - at > maxLine) tooLong(bytes, base + at)
      if (!skipping)
        takeElement(
          carried > 0
            ? { bytes: carry, start: 0, end: carried, offset: carryAt, line, array: arrays }
            : { bytes, start: at, end: stop, offset: base + at, line, array: arrays },
        )
      line += state.lines
      carried = 0
      skipping = state.inElement = false
      at = stop
      if (close === broken) {
        array = undefined
        return at
      }
    }
    return end
  }

  const badArray = (text: string, bytes: Uint8Array, at: number): void =>
    sink.bad('array', text, { bytes, start: at, end: at, offset: base + at, line, array: arrays })

  function takeElement(span: Span): void {
    if (parse(span)) return
    while (isSpace(span.bytes[span.end - 1])) span.end-- // the line break after one that is broken
    sink.bad('bad-json', 'not valid JSON', span)
  }

  // ── the loop ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function push(chunk: Uint8Array): void {
    if (records >= alikeAfter && moulds === undefined) {
      moulds = borrowMoulds({ plainNumbers, skimmed })
      if (moulds === undefined) alikeAfter = Infinity
    }
    if (moulds === undefined) return take(chunk)
    for (let at = 0; at < chunk.length; at += mostChunk) take((held = moulds.hold(chunk.subarray(at, at + mostChunk))))
  }

  function take(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    let bytes = chunk
    let at = 0
    if (undecided && carried + chunk.length < maxLine && skipSpace(chunk, 0, chunk.length) === chunk.length) {
      keep(chunk, 0, chunk.length)
      base += chunk.length
      return
    }
    if (undecided || (first && carried > 0)) {
      // Whether a byte order mark or an array starts here is seen only now, with more bytes.
      undecided = false
      bytes = new Uint8Array(carried + chunk.length)
      bytes.set(carry.subarray(0, carried))
      bytes.set(chunk, carried)
      base -= carried
      carried = 0
    }
    const end = bytes.length
    current = bytes
    trusted = isUtf8(bytes, firstWhole(bytes), lastWhole(bytes))
    if (first) {
      if (end < 3 && couldBeMark(bytes)) at = (keep(bytes, 0, end), end)
      else {
        first = false
        if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3
      }
    }
    while (at < end) at = array === undefined ? takeLines(bytes, at, end) : takeElements(bytes, at, end)
    base += end
  }

  /** Up to the next array, or to the end. */
  function takeLines(bytes: Uint8Array, start: number, end: number): number {
    let at = start
    const mayKnow = bytes === held && trusted && maxLine >= mostChunk
    while (at < end) {
      const byte = bytes[at]!
      const isFresh = carried === 0 && !skipping && odd.open === undefined
      const mayFit = mayKnow && isFresh && byte === openBrace && fields.length === 0
      if (mayFit) {
        const next = takeKnown(bytes, at)
        if (next !== -1) {
          at = next
          continue
        }
      }
      if (byte !== openBrace && isFresh) {
        if (isSpace(byte)) {
          if (byte === newline) line++
          at++
          continue
        }
        const opens = startsArray(bytes, at, end, maxLine)
        if (opens === undefined) {
          undecided = true
          keep(bytes, at, end)
          return end
        }
        if (opens) {
          array = newArray()
          arrays++
          return at + 1
        }
      }
      const stop = bytes === held ? moulds!.breakAt(bytes, at) : bytes.indexOf(newline, at)
      if (stop === -1) {
        if (!skipping) keep(bytes, at, end)
        return end
      }
      if (!skipping && carried > 0) keep(bytes, at, stop)
      else if (!skipping && stop - at > maxLine) tooLong(bytes, base + at)
      if (!skipping) {
        if (carried > 0) takeLine(carry, 0, carried, carryAt, line, false)
        else takeLine(bytes, at, stop, base + at, line, false, mayFit)
      }
      line++
      carried = 0
      skipping = false
      at = stop + 1
    }
    return at
  }

  return {
    push,
    end(): void {
      finish()
      moulds?.free()
      moulds = undefined
    },
  }

  function finish(): void {
    if (array !== undefined) {
      if (array.inElement && carried > 0) sink.bad('cut', cutText, { bytes: carry, start: 0, end: carried, offset: carryAt, line })
      else if (!array.inElement) badArray('the input ends before the array is closed', carry, 0)
      return
    }
    if (carried > 0 && !skipping) takeLine(carry, 0, carried, carryAt, line, true)
    giveFieldsUp()
    odd.end()
    carried = 0
  }
}
