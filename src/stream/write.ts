// Events → records of one dialect, with the ledger of what it cannot say. One writer a stream, of a recording and of a live run alike.
import type { Rec } from '../base/json.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { type Addition, createLedger, ledgerSink, type Loss } from './ledger.ts'

export type WriterOptions = {
  /** What the target cannot say travels along in a key `sluice`. */
  carry?: boolean
  /** The run goes on while it is written. */
  live?: boolean
  /** Which events that hold the text of their record, in this very dialect, are written as that: all (of sluice's log), or those it has no words for. */
  copies?: 'all' | 'unknown' | 'none'
}

/** `copy`: the text of a record as it came; `isRecord`: else it is a line that could not be read. */
export type RecordOut = { record(record: Rec): void; copy(text: string, isRecord: boolean): void }

export type Writer = {
  push(event: Event): void
  /** The source rests: what waits for nothing but more events can go out. */
  rest?: (() => void) | undefined
  end(): void
  losses(): Loss[]
  additions(): Addition[]
}

export function createWriter(to: WritableDialect, out: RecordOut, options: WriterOptions = {}): Writer {
  const { carry = false, live = false, copies = 'unknown' } = options
  let copied = 0 // the record whose text stands in the output already
  let isCopy = false // the session itself came from the target: what has no record there was added by us
  const ledger = createLedger(to)
  const sink = ledgerSink(ledger, to, out.record, live)
  const encoder = to.encoder(sink)

  /** An event may still hold the record that it came from: that is the truth, not our encoding of it. */
  function copy(event: Event): boolean {
    if (copies === 'unknown') {
      if (event.kind !== 'raw' || event.type === '' || event.raw === undefined || event.origin?.dialect !== to.name) return false
      out.copy(event.raw, true)
      return true
    }
    if (event.origin?.dialect !== to.name) return isCopy && event.origin === undefined
    if (event.raw === undefined) return event.origin.record === copied // a later event of the same record
    if (event.kind === 'raw' && event.type === '') return false // an object without a type is no record
    copied = event.origin.record
    if (event.kind !== 'raw') isCopy = true // a record that only passed through says nothing about the others
    out.copy(event.raw, !isUnreadable(event))
    return true
  }

  return {
    push(event) {
      if (copies !== 'none' && copy(event)) return
      const said = ledger.admit(event, sink.restores(event))
      if (carry && said !== 'whole' && event.synthetic === undefined) sink.carry(event)
      if (said !== 'none') encoder.push(event)
      if (carry && said === 'whole' && (ledger.isGone(event) || sink.isWaiting(event))) sink.carry(event)
    },
    rest: encoder.rest && (() => encoder.rest!()),
    end() {
      encoder.end()
      sink.end()
    },
    losses: ledger.losses,
    additions: ledger.additions,
  }
}

/** Bytes that cannot stand in an array. */
const isUnreadable = (event: Event): boolean => event.kind === 'issue' && ['noise', 'bad-json', 'cut'].includes(event.code)
