// All records of the dialect by tag: `type` of exec and rollout records, with the item's or payload's type where the outer one says
// little; the method of an app-server message; `response`, `response/error`, and `notification/error` for the method that exec's
// own `error` would hide. Seen in 0.166.0 or declared by the program's source. Code that runs imports the types only.
import Type, { type Static } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { otherEvents, otherMethods, otherResponses } from './names.ts'
import { execRecords } from './wire-exec.ts'
import { execItemRecords, serverItemRecords } from './wire-item.ts'
import { rolloutRecords } from './wire-rollout.ts'
import { serverRecords } from './wire-server.ts'

const read = { ...execRecords, ...serverRecords, ...rolloutRecords }
export const records = { ...read, ...execItemRecords, ...serverItemRecords }

const noText = { not: { type: 'string' } }
const messages = Object.keys({ ...serverRecords, ...serverItemRecords })

/** What tells a type that no constant tells, for the schema that is printed; as `tag.ts` has it. */
export function pin(tag: string): object | undefined {
  const inner = (names: ReadonlyMap<string, unknown>): object => ({
    properties: { payload: { type: 'object', properties: { type: { enum: [...names.keys()] } } } },
  })
  switch (tag) {
    case 'response':
      return { properties: { type: noText, method: noText } }
    case 'response/error':
      return { properties: { type: noText, method: noText, result: false } }
    case 'message': {
      const method = { anyOf: [{ enum: [...otherMethods.keys()] }, { type: 'string', pattern: '^codex/event/' }] }
      return { properties: { type: noText, method } }
    }
    case 'response_item':
      return inner(otherResponses)
    case 'event_msg':
      return inner(otherEvents)
    default:
      return messages.includes(tag) ? { type: 'object', properties: { type: noText } } : undefined
  }
}

const isAnswer = { type: 'object', required: ['id'], anyOf: [{ required: ['result'] }, { required: ['error'] }] }

/** A message in a record of traffic, for the schema that is printed. No traffic is in it, nor anything with a `type`. */
export const traffic = Type.Unsafe({
  type: 'object',
  properties: {
    from: { type: 'string' },
    message: {
      type: 'object',
      $ref: '#',
      properties: { type: noText },
      anyOf: [{ properties: { method: { type: 'string' } }, required: ['method'] }, isAnswer],
    },
    type: noText,
    method: noText,
  },
  required: ['from', 'message'],
  not: isAnswer,
})

export type Tag = keyof typeof read
export type Wire<T extends Tag> = Loose<Static<(typeof read)[T]>>
/** What an app-server message is about. */
export type Params<T extends Tag> = Wire<T> extends { params: infer P } ? P : never
/** What a rollout record is about. */
export type Told<T extends Tag> = Wire<T> extends { payload: infer P } ? P : never
