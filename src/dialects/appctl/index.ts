// appctl's AgentEvent stream.
import { decoderOf, type WritableDialect } from '../contract.ts'
import { bodyTag, readBodies, tagOf } from './body.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const appctl: WritableDialect = {
  ...claimer,
  shapes,
  tag: tagOf,
  formTells: true,
  decoder: () => readBodies(decoderOf(appctl, decode, { interleaved: true }), shapes.checks[bodyTag]!),

  encoder: encode,
  order,
  rules,
  loss,
}
