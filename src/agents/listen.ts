// Both sides of a conversation with an agent → events: what it writes, as bytes, and what we wrote to it, as records. One decoder hears
// both, since an answer of ours may say what a result of its means.
import { utf8 } from '../base/bytes.ts'
import { type Rec, stringifyJson } from '../base/json.ts'
import type { Dialect } from '../dialects/contract.ts'
import { type BadCode, createFramer, type Span } from '../framing/framer.ts'
import type { Event, Origin } from '../model/event.ts'
import type { Cause } from '../model/pen.ts'

export type Listener = {
  push(chunk: Uint8Array): void
  /** A record that was written to the agent. */
  said(record: Rec): void
  /** The agent will write no more: the last line may have come without its end. */
  flush(): void
  end(cause?: Cause): void
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

const longestLine = 32 * 2 ** 20
const longestBad = 64 * 1024 // of a line that is no record: cut, it says as much; a record is kept whole, else it would be none

export function createListener({ dialect, onEvents, normalize = (record) => record, isOwn, onRecord }: ListenerParts): Listener {
  const decoder = dialect.decoder()
  let record = 0
  let heard = 0

  const originOf = ({ offset, line, start, end }: Span): Origin => {
    record++
    return { dialect: dialect.name, record, offset, length: end - start, line: line === record ? undefined : line }
  }

  function keepRaw(events: Event[], { bytes, start, end }: Span, longest = Infinity): Event[] {
    for (const event of events)
      if (event.kind === 'issue' || (event.kind === 'raw' && event.why !== 'redundant'))
        event.raw = utf8(bytes, start, Math.min(end, start + longest))
    return events
  }

  const framer = createFramer(
    {
      record(told, span) {
        heard++
        const value = normalize(told)
        if (value === undefined || isOwn?.(value) === true) return void record++
        const events = keepRaw(decoder.push(value, originOf(span), value === told ? span.form : 0), span)
        onEvents(events)
        onRecord?.(value)
      },
      bad(code: BadCode, text, span) {
        const { line, offset: byte } = span
        const severity = code === 'utf8' ? 'warn' : 'error'
        onEvents(keepRaw(decoder.issue({ code, severity, line, byte, text, goesOn: true }, originOf(span)), span, longestBad))
      },
    },
    { maxLine: longestLine },
  )

  return {
    push: (chunk) => framer.push(chunk),
    said(value) {
      const length = stringifyJson(value).length
      onEvents(decoder.push(value, { dialect: dialect.name, record: ++record, offset: 0, length, from: 'host' }))
    },
    flush: () => framer.end(),
    end: (cause) => onEvents(decoder.end(cause)),
    records: () => heard,
  }
}
