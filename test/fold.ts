// For the tests of folds over events: records of any dialect in, events of each record out.
import type { Class, Verdict } from '../src/analyze/classes.ts'
import type { Rec } from '../src/base/json.ts'
import { createReader, dialects, type DialectName, type Event } from '../src/index.ts'
import { linesOf } from '../src/testing/index.ts'
import { bytesOf } from './properties.ts'

/** The events of each record, and last those that the end adds. */
export function eventsByRecord(input: string | readonly Rec[], dialect: DialectName): Event[][] {
  const found: Event[][] = []
  const reader = createReader(dialects[dialect], (events) => void found.push(events))
  reader.push(bytesOf(typeof input === 'string' ? input : linesOf([...input])))
  reader.end()
  return found
}

/** The class of a record. */
export const highest = (verdicts: readonly Verdict[]): Class =>
  (['MILESTONE', 'FINDING'] as const).find((its) => verdicts.some((verdict) => verdict.class === its)) ?? 'ACTIVITY'
