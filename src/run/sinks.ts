// Sinks: a dialect's records as lines, and the log. A reader that goes away is told of once and then forgotten: the run goes on.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { createJsonLines, type Line } from '../files/json-line.ts'
import { lineOf } from '../log/line.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { createLedger, ledgerSink, type Loss } from '../stream/ledger.ts'
import type { EventSink } from './pipeline.ts'

/** Where lines go; throws when nobody can take them any more. `encoded`: a line that is the first of these bytes. */
export type LineOut = { line(text: string): void; encoded?(bytes: Buffer, size: number): void; flush(): void; close?(): void }

export type DialectSink = EventSink & { losses(): Loss[] }

export function dialectSink(dialect: WritableDialect, out: LineOut, onGone: (error: unknown) => void): DialectSink {
  const ledger = createLedger(dialect)
  const sink = ledgerSink(ledger, dialect, writerOf(dialect, out))
  const encoder = dialect.encoder(sink)
  const guarded = untilGone(onGone)
  return {
    push: guarded((event: Event) => {
      // What came in this very dialect, and says nothing in our words, goes out as it came.
      if (event.kind === 'raw' && event.raw !== undefined && event.origin?.dialect === dialect.name) out.line(event.raw)
      else if (ledger.admit(event) !== 'none') encoder.push(event)
    }),
    flush: guarded(() => out.flush()),
    end: guarded(() => {
      encoder.end()
      sink.end()
      out.flush()
      out.close?.()
    }),
    losses: () => ledger.losses(),
  }
}

/** A record of our own dialect is the event, and its line is made already. */
function writerOf({ name, tag }: WritableDialect, { line, encoded }: LineOut): (record: Rec) => void {
  if (encoded === undefined) return (record) => line(stringifyJson(record))
  const lines = createJsonLines()
  const lineFor =
    name === 'sluice' ? (record: Rec): Line => lineOf(record as Event) : (record: Rec): Line => lines.line(record, tag(record) ?? '')
  return (record) => {
    const { bytes, size } = lineFor(record)
    encoded(bytes, size)
  }
}

export function logSink(log: SessionLog, onGone: (error: unknown) => void): EventSink {
  const guarded = untilGone(onGone)
  return { push: guarded((event: Event) => log.append(event)), flush: guarded(() => log.flush()), end: guarded(() => log.close()) }
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
