// A user's own event: in Avenor's dialect a record of any name, passed on as it is. In the model it is what the reader of that dialect
// would make of it: a raw event, with the record beside it. No record that means something in Avenor's stream can be made this way.
import { Buffer } from 'node:buffer'
import { isRecord, type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Event, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'

export const longestEvent = 64 * 1024 // bytes
const deepest = 32

/** The event is not one that can be told. */
export class CustomEventError extends Error {
  override readonly name = 'CustomEventError'
}

/** Names of these families are Avenor's, also those it may yet think of: nobody else may end a session or answer a question. */
const reserved = /^(?:agent|avenor|permission|session|subscriber|tool)\.|^user\.message_chunk$/
const name = /^[A-Za-z0-9_][\w.:/-]{0,127}$/

/** `from`: inside the run (its agent and what that runs), or outside. `record`: counts them, from 1. */
export type Maker = { from: 'agent' | 'host'; record: number; place: Place }

/** Throws a CustomEventError. */
export function customEvent(value: unknown, { from, record, place }: Maker): Event {
  const type = nameOf(value)
  if (isDeeper(value, deepest)) throw new CustomEventError(`the event ${quoted(type)} is nested deeper than ${deepest} levels`)
  const raw = stringifyJson(value)
  const length = Buffer.byteLength(raw)
  if (length > longestEvent) throw new CustomEventError(`the event ${quoted(type)} has ${length} bytes; ${longestEvent} at most`)
  const event = makeEvent('raw', { type, why: 'unknown' }, place)
  event.origin = { dialect: 'avenor', record, offset: 0, length, from }
  event.raw = raw
  return event
}

function nameOf(value: unknown): string {
  const type = isRecord(value) ? value['event'] : undefined
  if (typeof type !== 'string') throw new CustomEventError('an event is a JSON object with its name under "event"')
  if (!name.test(type))
    throw new CustomEventError(`${quoted(type)} cannot be the name of an event: letters, digits and _ . : / - only, and no more than 128`)
  if (reserved.test(type))
    throw new CustomEventError(`the name ${quoted(type)} belongs to the stream itself; choose another, such as ${quoted(`my.${type}`)}`)
  return type
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as Rec).some((item) => isDeeper(item, levels - 1))
}
