// All records of the dialect by tag: `type` of exec and rollout records, with the item's or payload's type where the outer one says
// little; the method of an app-server message; `response`, `response/error`, and `notification/error` for the method that exec's
// own `error` would hide. Seen in 0.166.0 or declared by the program's source. Code that runs imports the types only.
import type { Static } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { execRecords } from './wire-exec.ts'
import { execItemRecords, serverItemRecords } from './wire-item.ts'
import { rolloutRecords } from './wire-rollout.ts'
import { serverRecords } from './wire-server.ts'

const read = { ...execRecords, ...serverRecords, ...rolloutRecords }
export const records = { ...read, ...execItemRecords, ...serverItemRecords }

export type Tag = keyof typeof read
export type Wire<T extends Tag> = Loose<Static<(typeof read)[T]>>
/** What an app-server message is about. */
export type Params<T extends Tag> = Wire<T> extends { params: infer P } ? P : never
/** What a rollout record is about. */
export type Told<T extends Tag> = Wire<T> extends { payload: infer P } ? P : never
