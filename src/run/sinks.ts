// Sinks: a dialect's records as lines, and the log. A reader that goes away is told of once and then forgotten: the run goes on.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { WritableDialect } from '../dialects/contract.ts'
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
  const { encoded } = out
  const write = (record: Rec): void => out.line(stringifyJson(record))
  const writeEvent = (record: Rec): void => {
    const { bytes, size } = lineOf(record as Event) // a record of our own dialect is the event
    encoded!(bytes, size)
  }
  const sink = ledgerSink(ledger, dialect, encoded !== undefined && dialect.name === 'sluice' ? writeEvent : write)
  const encoder = dialect.encoder(sink)
  const guarded = untilGone(onGone)
  return {
    push: (event) =>
      guarded(() => {
        // What came in this very dialect, and says nothing in our words, goes out as it came.
        if (event.kind === 'raw' && event.raw !== undefined && event.origin?.dialect === dialect.name) out.line(event.raw)
        else if (ledger.admit(event) !== 'none') encoder.push(event)
      }),
    flush: () => guarded(() => out.flush()),
    end: () =>
      guarded(() => {
        encoder.end()
        sink.end()
        out.flush()
        out.close?.()
      }),
    losses: () => ledger.losses(),
  }
}

export function logSink(log: SessionLog, onGone: (error: unknown) => void): EventSink {
  const guarded = untilGone(onGone)
  return {
    push: (event) => guarded(() => log.append(event)),
    flush: () => guarded(() => log.flush()),
    end: () => guarded(() => log.close()),
  }
}

/** Does what it is given until that fails once; then nothing more. */
export function untilGone(onGone: (error: unknown) => void): (act: () => void) => void {
  let isGone = false
  return (act) => {
    if (isGone) return
    try {
      act()
    } catch (error) {
      isGone = true
      onGone(error)
    }
  }
}
