// Copilot CLI's records: the lines of `--output-format json` and of the session file, told apart by `type`.
import Type, { type Static } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { withAny } from '../wire-named.ts'
import { restTypes } from './rest.ts'
import { conversation } from './wire-message.ts'
import { surroundings } from './wire-session.ts'
import { envelope } from './wire-shared.ts'

/** Of a type in `rest.ts`: nothing of it is read. It is kept whole, or repeats what others say. */
const rest = Type.Object({ type: Type.String(), ...envelope, data: Type.Object({}, withAny) })

export const records = { ...conversation, ...surroundings, '*': rest }

/** For the schema that is printed: what `*` stands for. */
export const pin = (tag: string): object | undefined => (tag === '*' ? { properties: { type: { enum: [...restTypes] } } } : undefined)

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
