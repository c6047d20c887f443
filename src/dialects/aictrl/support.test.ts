// What the tests of this folder share: fixtures in, events, records and findings out.
import { readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, Kind, Payload, Place } from '../../model/event.ts'
import { createPen, type Pen } from '../../model/pen.ts'
import type { Finding } from '../contract.ts'
import { aictrl } from './index.ts'

export const folder = new URL('../../../fixtures/aictrl/', import.meta.url)
export const textOfFixture = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
export const fixture = (name: string): Rec[] => {
  const text = textOfFixture(name)
  return name.endsWith('.json') ? [parseJson(text) as Rec] : linesOf(text)
}
const linesOf = (text: string): Rec[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)

export function decodeAll(records: readonly Rec[]): Event[] {
  const decoder = aictrl.decoder()
  const events = records.flatMap((record, index) =>
    decoder.push(record, {
      dialect: 'aictrl',
      from: 'agent',
      record: index + 1,
      line: index + 1,
      offset: 0,
      length: 0,
    }),
  )
  return [...events, ...decoder.end()]
}

export type Written = { records: Rec[]; added: string[]; lost: string[] }

/** Records as they would stand on the wire, with `synthetic` where the encoder says so. */
export function encodeAll(events: readonly Event[]): Written {
  const written: Written = { records: [], added: [], lost: [] }
  const encoder = aictrl.encoder({
    write: (record, synthetic) => void written.records.push(plain(synthetic === undefined ? record : { ...record, synthetic })),
    added: (what) => void written.added.push(what),
    lost: (event, field, how = 'drop') => void written.lost.push(`${event.kind}${field === undefined ? '' : `.${field}`} ${how}`),
  })
  for (const event of events) if (aictrl.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return written
}

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Shape and order. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = aictrl.order()
  const found: Finding[] = []
  for (const record of records) {
    const tag = aictrl.tag(record) ?? ''
    if (aictrl.shapes.checks[tag]?.(record) !== true) found.push({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, (finding) => void found.push(finding))
  }
  order.end((finding) => void found.push(finding))
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

/** Events of some other source, written by hand: [kind, payload, place]. */
export type Told = { [K in Kind]: readonly [kind: K, payload: Payload<K>, place?: Place] }[Kind]

export function tellAll(told: readonly Told[], end: (pen: Pen) => void = (pen) => pen.end()): Event[] {
  const pen = createPen()
  told.forEach(([kind, payload, place], index) => {
    pen.begin({ dialect: 'other', from: 'agent', record: index + 1, line: index + 1, offset: 0, length: 0 })
    pen.emit(kind, payload as never, place) // a tuple's kind and payload belong together
  })
  pen.begin(undefined)
  end(pen)
  return pen.take()
}

/** The kind and its own fields, without the envelope and without keys that are undefined. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, at: _at, session: _session, run: _run, turn: _turn, origin: _origin, clock: _clock, ext, ...rest } = event
  return plain({ ...rest, ext })
}

export const find = (records: readonly Rec[], type: string): Rec[] => records.filter((record) => record['type'] === type)

/** Each record's type, and why it is there if no source record stands behind it. */
export const typesOf = (records: readonly Rec[]): string[] =>
  (records as { type: string; synthetic?: string }[]).map(({ type, synthetic }) =>
    synthetic === undefined ? type : `${type} ${synthetic}`,
  )

export const partOf = (record: Rec | undefined): Rec => (record?.['part'] ?? {}) as Rec
