// What a conversion could not bring across, and what it had to add. Counted per code, reported once.
import type { Rec } from '../base/json.ts'
import type { Dialect, Sink, WritableDialect } from '../dialects/contract.ts'
import type { Restorer } from '../dialects/restore.ts'
import type { Event, Kind } from '../model/event.ts'

/** `code` is `<kind>` or `<kind>.<field>`; `first` the seq of the first event that lost it. */
export type Loss = { code: string; how: 'approx' | 'drop'; count: number; first: number }
/** `code` is the record's type (or `<type>.<field>` when only a field was filled); `why` the word in its `synthetic` key. */
export type Addition = { code: string; why: string; count: number }

/** `whole`: of events of which nothing came across, whatever the table says of their kind. */
type Watched = { how: 'exact' | 'approx' | 'drop'; self: Loss; whole: Loss; fields: { name: string; loss: Loss }[] }

export function createLedger(to: WritableDialect) {
  const additions = new Map<string, Addition>()
  const extra = new Map<Kind, Map<string, Loss>>() // by field
  const table = new Map<Kind, Watched>()
  for (const [kind, { how, lost }] of Object.entries(to.loss)) {
    const whole: Loss = { code: kind, how: 'drop', count: 0, first: 0 }
    const self: Loss = how === 'approx' ? { code: kind, how, count: 0, first: 0 } : whole
    const fields = (lost ?? []).map((name) => ({
      name,
      loss: { code: `${kind}.${name}`, how: 'drop', count: 0, first: 0 } satisfies Loss,
    }))
    table.set(kind as Kind, { how, self, whole, fields })
  }
  let lastKind: Kind | undefined // events of one kind come in runs
  let watched: Watched
  let lastAdded: Addition | undefined // the same is added to nearly every record

  let lastGone: Event | undefined

  const count = (loss: Loss, event: Event): void => {
    if (loss.count++ === 0) loss.first = event.seq
  }

  function lostField(event: Event, field: string, how: Loss['how']): void {
    let ofKind = extra.get(event.kind)
    if (ofKind === undefined) extra.set(event.kind, (ofKind = new Map()))
    let loss = ofKind.get(field)
    if (loss === undefined) ofKind.set(field, (loss = { code: `${event.kind}.${field}`, how, count: 0, first: 0 }))
    count(loss, event)
  }

  /** What was counted when the event came in is part of the loss of all of it. (`first` may still name it, if others came since.) */
  function lostWhole(event: Event): void {
    if (event === lastGone) return
    const { how, self, whole, fields } = table.get(event.kind)!
    if (event.synthetic !== undefined) {
      const isTold = event.kind !== 'message.end' || event.usage === undefined || fields.some(({ name }) => name === 'usage')
      if (!isTold) lostField(event, 'usage', 'drop')
      return
    }
    lastGone = event
    if (how === 'approx') self.count--
    for (const { name, loss } of fields) if (holds(event, name)) loss.count--
    count(whole, event)
  }

  return {
    /** Counts what the table says this event loses: nothing, a part, or all of it, and then it goes no further. `restores`: but for its ext. */
    admit(event: Event, restores = false): 'whole' | 'part' | 'none' {
      if (event.kind !== lastKind) watched = table.get((lastKind = event.kind))!
      let lost = false
      const ours = event.synthetic !== undefined // what sluice added itself is no loss of the source's; but tokens are never made up
      for (const { name, loss } of watched.fields) {
        if ((ours && name !== 'usage') || !holds(event, name)) continue
        count(loss, event)
        lost = true
      }
      if (event.ext !== undefined && !restores && to.name !== 'sluice') {
        this.lost(event, 'ext', 'drop')
        lost = true
      }
      if (watched.how === 'exact') return lost ? 'part' : 'whole'
      if (!ours && !(event.kind === 'raw' && event.why === 'redundant')) count(watched.self, event)
      return watched.how === 'drop' ? 'none' : 'part'
    },
    lost(event: Event, field?: string, how: 'approx' | 'drop' = 'drop'): void {
      if (field === undefined) lostWhole(event)
      else lostField(event, field, how)
    },
    added(code: string, why = 'required'): void {
      if (lastAdded?.code !== code) {
        lastAdded = additions.get(code)
        if (lastAdded === undefined) additions.set(code, (lastAdded = { code, why, count: 0 }))
      }
      lastAdded.count++
    },
    /** Whether the encoder has just said that nothing of this event comes across. */
    isGone: (event: Event): boolean => event === lastGone,
    losses(): Loss[] {
      const counted = [...table.values()].flatMap(({ self, whole, fields }) => [
        ...new Set([self, whole]),
        ...fields.map(({ loss }) => loss),
      ])
      return [...counted, ...[...extra.values()].flatMap((fields) => [...fields.values()])]
        .filter((loss) => loss.count > 0)
        .sort((a, b) => a.first - b.first || (a.code < b.code ? -1 : 1))
    },
    additions: (): Addition[] => [...additions.values()],
  }
}

/** An empty list is nothing that could be lost. */
function holds(event: Event, field: string): boolean {
  const value = (event as unknown as Rec)[field]
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** An encoder's sink that keeps the ledger and lets what is to be carried travel along in the next record. */
export function ledgerSink(
  ledger: ReturnType<typeof createLedger>,
  to: Dialect,
  write: (record: Rec) => void,
  live = false,
): Sink & { restores(event: Event): boolean; isWaiting(event: Event): boolean; carry(event: Event): void; end(): void } {
  let restorer: Restorer | undefined // from the first event on that was read from this very dialect
  let carried: Event[] = []
  return {
    live,
    write(record, synthetic) {
      if (synthetic !== undefined) {
        record['synthetic'] = synthetic
        ledger.added(to.tag(record) ?? 'record', synthetic)
      }
      if (carried.length > 0) {
        record['sluice'] = { events: carried.map(({ v: _v, seq: _seq, origin: _origin, ...rest }) => rest) }
        carried = []
      }
      restorer?.push(record)
      write(record)
    },
    added: (what) => ledger.added(what),
    lost(event, field, how) {
      if (field === undefined) restorer?.forget(event)
      ledger.lost(event, field, how)
    },
    /** To be asked about each event. True: its unknown keys may find their way back, and are told as lost later if they do not. */
    restores(event) {
      if (event.origin?.dialect !== to.name) return false
      restorer ??= to.decoder().restorer?.((kept) => ledger.lost(kept, 'ext'))
      return event.ext !== undefined && restorer?.expect(event) === true
    },
    isWaiting: (event) => restorer?.isWaiting(event) === true,
    carry: (event) => void carried.push(event),
    /** No record came after these that could have taken them along. */
    end() {
      restorer?.end()
      for (const event of carried) ledger.lost(event, 'carry')
    },
  }
}
