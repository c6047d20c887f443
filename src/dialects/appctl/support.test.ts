// What the tests of this folder share: fixtures in, events, records and findings out.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, Kind, Payload, Place } from '../../model/event.ts'
import { type Cause, createPen } from '../../model/pen.ts'
import type { Finding } from '../contract.ts'
import { appctl } from './index.ts'

const folder = new URL('../../../fixtures/appctl/', import.meta.url)
export const namesIn = (place: string, ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}${name}`)
export const fixture = (name: string): Rec[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)
export const jsonFixture = (name: string): unknown => parseJson(readFileSync(new URL(name, folder), 'utf8'))

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

export function decodeAll(records: readonly Rec[], cause?: Cause): Event[] {
  const decoder = appctl.decoder()
  const events = records.flatMap((record, index) =>
    decoder.push(record, { dialect: 'appctl', from: 'agent', record: index + 1, line: index + 1, offset: 0, length: 0 }),
  )
  return [...events, ...decoder.end(cause)]
}

/** Without what is the same everywhere. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, origin: _origin, ...rest } = plain(event)
  return rest
}
export const kindsOf = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))

type Written = { records: Rec[]; added: string[]; lost: string[] }

/** Records as they would stand on the wire, with `synthetic` where the encoder says so. */
export function encodeAll(events: readonly Event[]): Written {
  const written: Written = { records: [], added: [], lost: [] }
  const encoder = appctl.encoder({
    write: (record, synthetic) => void written.records.push(plain(synthetic === undefined ? record : { ...record, synthetic })),
    added: (what) => void written.added.push(what),
    lost: (event, field, how = 'drop') => void written.lost.push(`${event.kind}${field === undefined ? '' : `.${field}`} ${how}`),
  })
  for (const event of events) if (appctl.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return written
}

/** Shape and order. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = appctl.order()
  const found: Finding[] = []
  const report = (finding: Finding): void => void found.push(finding)
  for (const record of records) {
    const tag = appctl.tag(record)
    if (tag === undefined) report({ code: 'no-type', severity: 'error', text: '' })
    else if (!Object.hasOwn(appctl.shapes.checks, tag)) report({ code: 'unknown-type', severity: 'warn', text: tag })
    else if (!appctl.shapes.checks[tag]!(record)) report({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, report)
  }
  order.end(report)
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

/** Events of some other source, written by hand: [kind, payload, place]. */
export type Told = { [K in Kind]: readonly [kind: K, payload: Payload<K>, place?: Place] }[Kind]

export function tellAll(told: readonly Told[], cause?: Cause): Event[] {
  const pen = createPen()
  const events = told.flatMap(([kind, payload, place], index) => {
    pen.begin({ dialect: 'other', from: 'agent', record: index + 1, line: index + 1, offset: 0, length: 0 })
    const { at, session, run, ...rest } = { session: 's', ...place }
    pen.common({ at, session, run })
    pen.emit(kind, payload as Payload<Kind>, rest) // kind and payload come from one tuple
    return pen.take()
  })
  pen.end(cause)
  return [...events, ...pen.take()]
}
