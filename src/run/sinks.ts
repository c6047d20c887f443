// Sinks: a dialect's records as lines, and the log. A reader that goes away is told of once and then forgotten: the run goes on.
import { onOneLine, type Rec, stringifyJson } from '../base/json.ts'
import type { Sink, WritableDialect } from '../dialects/contract.ts'
import { createJsonLines, type Line } from '../files/json-line.ts'
import { lineOf } from '../log/line.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { Event, Kind } from '../model/event.ts'
import type { EventSink } from './contract.ts'

/** Where lines go; throws when nobody can take them any more. `encoded`: a line in bytes. */
export type LineOut = {
  line(text: string): void
  encoded?(line: Uint8Array): void
  flush(): void
  close?(): void
}

export function dialectSink(dialect: WritableDialect, out: LineOut, onGone: (error: unknown) => void): EventSink {
  const write = writerOf(dialect, out)
  const encoder = dialect.encoder(sinkOf(write))
  const dropped = new Set(Object.entries(dialect.loss).flatMap(([kind, { how }]) => (how === 'drop' ? [kind] : [])))
  const encode = (event: Event): void => void (dropped.has(event.kind) || encoder.push(event))
  const tell = dialect.name === 'sluice' && out.encoded !== undefined ? asMade(dialect, out.encoded, encode) : encode
  const guarded = untilGone(onGone)
  const rest = guarded(() => {
    encoder.rest?.()
    out.flush()
  })
  let resting: NodeJS.Timeout | undefined

  return {
    push: guarded((event: Event) => {
      // What came in this very dialect, and says nothing in our words, goes out as it came. An object without a type is no record of it.
      const isRecord = event.kind === 'raw' && event.type !== '' && event.origin?.dialect === dialect.name
      if (isRecord && event.raw !== undefined) out.line(onOneLine(event.raw))
      else tell(event)
      if (encoder.rest !== undefined) resting ??= setTimeout(() => ((resting = undefined), rest()), restMs)
    }),
    flush: guarded(() => out.flush()),
    end: guarded(() => {
      clearTimeout(resting)
      encoder.end()
      out.flush()
    }),
    close: guarded(() => out.close?.()),
  }
}

const restMs = 200

/** What gets lost or is added on the way is counted where somebody is told of it: in a run nobody is. */
const sinkOf = (write: (record: Rec) => void): Sink => ({
  live: true,
  write(record, synthetic) {
    if (synthetic !== undefined) record['synthetic'] = synthetic
    write(record)
  },
  added() {},
  lost() {},
})

function writerOf({ name, tag }: WritableDialect, { line, encoded }: LineOut): (record: Rec) => void {
  if (encoded === undefined) return (record) => line(stringifyJson(record))
  const lines = createJsonLines()
  const lineFor =
    name === 'sluice' ? (record: Rec): Line => lineOf(record as Event) : (record: Rec): Line => lines.line(record, tag(record) ?? '')
  return (record) => encoded(lineFor(record).text)
}

/**
 * A record of our own dialect is the event, and its line is made already. The encoder only puts keys in their order, so it is asked once
 * for each shape of a line.
 */
function asMade({ encoder }: WritableDialect, encoded: (line: Uint8Array) => void, encode: (event: Event) => void): (event: Event) => void {
  const ordered = new Map<Kind, number>()
  let record: unknown
  const probe = encoder(sinkOf((made) => void (record = made)))

  return (event) => {
    const { text, shape } = lineOf(event)
    if (ordered.get(event.kind) === shape) return encoded(text)
    probe.push(event)
    if (record === event) ordered.set(event.kind, shape)
    encode(event)
  }
}

export function logSink(log: SessionLog, onGone: (error: unknown) => void): EventSink {
  const guarded = untilGone((error) => {
    log.abandon() // a full disk must not leave the session locked
    onGone(error)
  })
  return {
    push: guarded((event: Event) => log.append(event)),
    flush: guarded(() => log.flush()),
    end() {},
    close: guarded(() => log.close()),
  }
}

/** All that is made with it does its work until one of them fails; then nothing more. */
export function untilGone(onGone: (error: unknown) => void): <Given = void>(act: (given: Given) => void) => (given: Given) => void {
  let isGone = false
  return (act) => (given) => {
    if (isGone) return
    try {
      act(given)
    } catch (error) {
      isGone = true
      onGone(error)
    }
  }
}
