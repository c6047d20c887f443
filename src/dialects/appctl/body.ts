// The body that `POST /run` answers with, and that `run --json` prints: all events of a turn in one record. Its events are read and judged as
// if each stood alone; the result and the session around them belong to the turn.
import type { Rec } from '../../base/json.ts'
import { type Decoder, textOf } from '../contract.ts'
import type { Wire } from './wire.ts'

export const bodyTag = 'POST /run'

export const tagOf = (record: Rec): string | undefined =>
  typeof record['kind'] === 'string' ? record['kind'] : record['events'] === undefined ? undefined : bodyTag

/** What stands around the events comes before them, and an error after them, as on a socket. */
function partsOf({ events, error, ...head }: Wire<typeof bodyTag>): Rec[] {
  const around = { ...head, events: [] }
  if (error === undefined || error === null) return [around, ...events]
  const isOver = events.length === 0 || events.some(({ kind }) => kind === 'done') // nothing can follow the answer to a request
  return [around, ...events, { kind: 'error', message: textOf(error) }, ...(isOver ? [] : [{ kind: 'done' }])]
}

export function readBodies(decoder: Decoder, isBody: (record: Rec) => boolean): Decoder {
  return {
    ...decoder,
    push: (record, origin, form) =>
      tagOf(record) === bodyTag && isBody(record)
        ? partsOf(record as Wire<typeof bodyTag>).flatMap((part) => decoder.push(part, origin))
        : decoder.push(record, origin, form),
  }
}
