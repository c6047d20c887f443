// What the tests of this folder share: fixtures in, events, records and findings out.
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { encodeAs, plain, supportOf, type Written } from '../support.test.ts'
import { aictrl } from './index.ts'

export { plain, tellAll, type Told, type Written } from '../support.test.ts'
export const support = supportOf(aictrl, 'agent')
export const { namesIn, fixture, decodeAll, findingsOf, codesOf, repaired } = support
export const encodeAll = (events: readonly Event[]): Written => encodeAs(aictrl, events)

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
