// Sinks: a dialect's records as lines, and the log. A reader that goes away is told of once and then forgotten: the run goes on.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { jsonOf } from '../model/line.ts'
import { createLedger, ledgerSink, type Loss } from '../stream/ledger.ts'
import type { EventSink } from './pipeline.ts'

/** Where lines go. `write` throws when nobody can take them any more. */
export type LineOut = { line(text: string): void; flush(): void; close?(): void }

export type DialectSink = EventSink & { losses(): Loss[] }

export function dialectSink(dialect: WritableDialect, out: LineOut, onGone: (error: unknown) => void): DialectSink {
  const ledger = createLedger(dialect)
  const textOf = dialect.name === 'sluice' ? (record: Rec): string => jsonOf(record as Event) : stringifyJson // there a record is the event
  const sink = ledgerSink(ledger, dialect, (record) => out.line(textOf(record)))
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
