// The Agent Client Protocol.
import { decoderOf, type WritableDialect } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { tagOf } from './message.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const acp: WritableDialect = {
  ...claimer,
  shapes,
  tag: tagOf,
  numberIds: true,
  decoder: () => decoderOf(acp, decode),
  encoder: encode,
  order,
  rules,
  loss,
}
