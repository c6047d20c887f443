// Bytes of one dialect → events. One reader a stream; it never throws on any input.
import { utf8 } from '../base/bytes.ts'
import { type Rec, stringifyJson } from '../base/json.ts'
import type { Claimer, Decoder, Dialect } from '../dialects/contract.ts'
import { type BadCode, createFramer, type Span } from '../framing/framer.ts'
import type { Event, EventOf, Origin } from '../model/event.ts'
import type { Cause } from '../model/pen.ts'

export type ReadOptions = {
  maxLine?: number | undefined
  /** Which events keep the text of their record: none, those the vocabulary cannot hold, or the first of every record. */
  raw?: 'none' | 'unmapped' | 'all' | undefined
  /** Asked about records the dialect does not know: a foreign one is an issue, not merely unknown. */
  others?: readonly Claimer[] | undefined
  /** Nobody will write the values again: integers past 2^53 need not keep their digits. */
  plainNumbers?: boolean | undefined
  /** Nobody reads what tools gave back but for its beginning and its end: in between, a long text may be left out. */
  skim?: boolean | undefined
  /** Which side of a two-way protocol wrote the stream. */
  from?: 'agent' | 'host' | undefined
}

/** For an agent that is heard while it runs. */
export type LiveOptions = ReadOptions & {
  /** A record as it is meant; undefined: it says nothing of the stream, and gives no events. */
  normalize?: ((record: Rec) => Rec | undefined) | undefined
  /** Bytes that are kept of a line that is no record. */
  maxBad?: number | undefined
}

/** `record` is absent for a line that could not be read; `span`, valid only during the call, for what is added at the end. */
export type OnEvents = (events: Event[], record: Rec | undefined, span: Span | undefined) => void

export type Reader = {
  push(chunk: Uint8Array): void
  /** A record of the other side of the conversation, between those that come as bytes. */
  said(record: Rec): void
  /** No more bytes will come: the last line may be without its end. */
  flush(): void
  /** There is no more. `cause`: why, when the caller knows better than the stream. */
  end(cause?: Cause): void
}

export function createReader(dialect: Dialect, onEvents: OnEvents, options: LiveOptions = {}): Reader {
  const { maxLine, raw = 'unmapped', others = [], plainNumbers = false, skim = false, from, normalize, maxBad = Infinity } = options
  const decoder: Decoder = dialect.decoder()
  let record = 0

  const { name } = dialect
  const originOf = ({ offset, line, start, end }: Span): Origin => {
    record++
    return { dialect: name, record, offset, length: end - start, line: line === record ? undefined : line, from }
  }

  function keepRaw(events: Event[], { bytes, start, end: last }: Span, most = Infinity): void {
    if (start === last) return // a place, not a record
    const end = Math.min(last, start + most)
    if (raw === 'all') {
      const first = events[0]
      if (first !== undefined) first.raw = utf8(bytes, start, end)
      return
    }
    for (const event of events)
      if (event.kind === 'issue' || (event.kind === 'raw' && event.why !== 'redundant')) event.raw = utf8(bytes, start, end)
  }

  function tell(code: BadCode, severity: 'warn' | 'error', text: string, span: Span): void {
    const events = decoder.issue({ code, severity, line: span.line, byte: span.offset, text, goesOn: true }, originOf(span))
    const comesAgain = code === 'utf8' && raw === 'all' // what it was read as keeps the text
    if (raw !== 'none' && !comesAgain) keepRaw(events, span, maxBad)
    onEvents(events, undefined, span)
  }

  /** A record of another dialect is an issue; one of no dialect may be something new. */
  function judgeUnknown(event: EventOf<'raw'>, value: Rec, { line, offset: byte }: Span): Event {
    const other = foreign(value, dialect, others)
    if (other === undefined) return event
    const { type: _type, why: _why, ...place } = event
    return {
      ...place,
      kind: 'issue',
      code: 'other-dialect',
      severity: 'error',
      line,
      byte,
      text: `not ${dialect.name}: this looks like ${other.name}`,
      goesOn: true,
    }
  }

  /** To look at an event of any kind for each record would be slow. */
  const knew = decoder.knew ?? ((): boolean => false)

  function judgeFirst(events: Event[], value: Rec, span: Span): void {
    const first = events[0]
    if (first !== undefined && first.kind === 'raw' && first.why === 'unknown') events[0] = judgeUnknown(first, value, span)
  }

  const framer = createFramer(
    {
      record(read, span) {
        const value = normalize === undefined ? read : normalize(read)
        if (value === undefined) return void record++
        const events = decoder.push(value, originOf(span), value === read ? span.form : 0)
        if (!knew()) judgeFirst(events, value, span)
        if (raw !== 'none') keepRaw(events, span)
        onEvents(events, value, span)
      },
      bad: (code, text, span) => tell(code, code === 'utf8' ? 'warn' : 'error', text, span),
    },
    {
      maxLine,
      plainNumbers,
      skimmed: skim ? dialect.outputs : undefined,
    },
  )

  return {
    push: (chunk) => framer.push(chunk),
    said(value) {
      const { length } = stringifyJson(value)
      onEvents(decoder.push(value, { dialect: name, record: ++record, offset: 0, length, from: 'host' }), undefined, undefined)
    },
    flush: () => framer.end(),
    end(cause) {
      framer.end()
      const events = decoder.end(cause)
      if (events.length > 0) onEvents(events, undefined, undefined)
    },
  }
}

/** Another dialect that is sure of a record whose type this one does not know. */
export const foreign = (record: Rec, dialect: Dialect, others: readonly Claimer[]): Claimer | undefined =>
  dialect.custom === true && dialect.tag(record) !== undefined
    ? undefined
    : others.find((other) => other.name !== dialect.name && other.claim(record) >= 0.9)
