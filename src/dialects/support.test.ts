// What the tests of all dialects share: fixtures in, events, records and findings out.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec, stringifyJson, withPlainNumbers } from '../base/json.ts'
import type { Event, EventOf, Kind, Origin, Payload, Place } from '../model/event.ts'
import { type Cause, createPen, type Pen, type PenOptions } from '../model/pen.ts'
import type { Check, Dialect, Finding, WritableDialect } from './contract.ts'

/** As it would be read again, to the last digit. */
export const plain = <T>(value: T): T => parseJson(stringifyJson(value)) as T

export type Support = ReturnType<typeof supportOf>

/** `from`: the side that a dialect of one side is read as. */
export function supportOf(dialect: Dialect, from?: Origin['from']) {
  const folder = new URL(`../../fixtures/${dialect.name}/`, import.meta.url)
  const textOf = (path: string): string => readFileSync(new URL(path, folder), 'utf8')
  const jsonFixture = (path: string): unknown => parseJson(textOf(path))
  const linesIn = (path: string): string[] =>
    textOf(path)
      .split('\n')
      .filter((line) => line !== '')
  const fixture = (path: string): Rec[] =>
    (path.endsWith('.json') ? [jsonFixture(path)].flat() : linesIn(path).map((line) => parseJson(line))) as Rec[]

  /** The sides may differ: both of a two-way run stand in one stream. */
  function decodeSides(records: readonly (readonly [record: Rec, from: Origin['from']])[], cause?: Cause): Event[] {
    const decoder = dialect.decoder()
    const events = records.flatMap(([record, side], index) =>
      decoder.push(record, { dialect: dialect.name, from: side, record: index + 1, offset: 0, length: 0 }),
    )
    return [...events, ...decoder.end(cause)]
  }
  const decodeAll = (records: readonly Rec[], cause?: Cause, side = from): Event[] =>
    decodeSides(
      records.map((record) => [record, side]),
      cause,
    )

  /** Shape and order, with the codes that `validate` has for what is no rule of the dialect. */
  function findingsOf(records: readonly Rec[]): Finding[] {
    const order = dialect.order()
    const found: Finding[] = []
    const report = (finding: Finding): void => void found.push(finding)
    for (const record of records) {
      const tag = dialect.tag(record)
      if (tag !== undefined && Object.hasOwn(dialect.shapes.checks, tag)) {
        const known = asChecked(record, dialect.shapes.checks[tag]!)
        if (known !== undefined) order.push(known, tag, report)
        else report({ code: 'shape', severity: 'error', text: tag })
        continue
      }
      order.pass?.(record)
      if (tag === undefined) report({ code: 'no-type', severity: 'error', text: '' })
      else if (dialect.custom !== true) report({ code: 'unknown-type', severity: 'warn', text: tag })
    }
    order.end(report)
    return found
  }

  /** The stream with what it lacks, marked, as `validate --repair` does it: what was added is not missing any more. */
  function repaired(records: readonly Rec[]): Rec[] {
    const order = dialect.order()
    const whole: Rec[] = []
    const add = (next: Rec | undefined, tag: string | undefined): void => {
      const synthetic = next === undefined ? 'repair: missing at the end of the stream' : `repair: missing before ${tag}`
      for (const missing of order.missing(next, tag)) {
        const record = plain({ ...missing, synthetic })
        whole.push(record)
        order.push(record, dialect.tag(record)!, () => {})
      }
    }
    for (const record of records) {
      const tag = dialect.tag(record) ?? ''
      const known = Object.hasOwn(dialect.shapes.checks, tag) ? asChecked(record, dialect.shapes.checks[tag]!) : undefined
      if (known !== undefined) add(known, tag)
      whole.push(record)
      if (known !== undefined) order.push(known, tag, () => {})
    }
    add(undefined, undefined)
    return whole
  }

  return {
    dialect,
    /** Paths inside the fixture folder; `place` ends with a slash. */
    namesIn: (place: string, ending: string): string[] =>
      readdirSync(new URL(place, folder))
        .filter((name) => name.endsWith(ending))
        .map((name) => `${place}${name}`)
        .toSorted(),
    folder,
    jsonFixture,
    fixture,
    decodeSides,
    decodeAll,
    eventsIn: (path: string): Event[] => decodeAll(fixture(path)),
    findingsOf,
    codesOf: (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code),
    repaired,
  }
}

/** A number that keeps its text is none to a check; where one must stand, its value counts. */
const asChecked = (record: Rec, check: Check): Rec | undefined => (check(record) ? record : withPlainNumbers(record, check))

/** Without the mark of what was added. */
export const unmarked = (records: readonly Rec[]): Rec[] => records.map(({ synthetic: _synthetic, ...record }) => record)

// ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Kinds in order, `*` for what sluice added. */
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)

/** Events of some other source, written by hand: [kind, payload, place]. */
export type Told = { [K in Kind]: readonly [kind: K, payload: Payload<K>, place?: Place] }[Kind]

export function tellAll(told: readonly Told[], end: (pen: Pen) => void = (pen) => pen.end(), options?: PenOptions): Event[] {
  const pen = createPen(options)
  told.forEach(([kind, payload, place], index) => {
    pen.begin({ dialect: 'other', from: 'agent', record: index + 1, offset: 0, length: 0 })
    pen.emit(kind, payload as Payload<Kind>, place) // kind and payload come from one tuple
  })
  pen.begin(undefined)
  end(pen)
  return pen.take()
}

/** The same in the session `s`, where they name none. */
export const tellSession = (told: readonly Told[], cause?: Cause): Event[] =>
  tellAll(
    told.map(([kind, payload, place]) => [kind, payload, { session: 's', ...place }] as Told),
    (pen) => pen.end(cause),
  )

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Written = { records: Rec[]; added: string[]; lost: string[] }

/** Records as they would stand on the wire, with `synthetic` where the encoder says so. */
export function encodeAs(dialect: WritableDialect, events: readonly Event[], live = false): Written {
  const written: Written = { records: [], added: [], lost: [] }
  const encoder = dialect.encoder({
    write: (record, synthetic) => void written.records.push(plain(synthetic === undefined ? record : { ...record, synthetic })),
    live,
    added: (what) => void written.added.push(what),
    lost: (event, field, how = 'drop') => void written.lost.push(`${event.kind}${field === undefined ? '' : `.${field}`} ${how}`),
  })
  for (const event of events) if (dialect.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return written
}
