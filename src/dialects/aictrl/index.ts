// aictrl's `run --format json` stream.
import { decoderOf, type WritableDialect } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const aictrl: WritableDialect = {
  ...claimer,
  shapes,
  tag: (record) => (typeof record['type'] === 'string' ? record['type'] : undefined),
  formTells: true,
  outputs: new Set(['part.state.output', 'part.state.metadata.output']),
  decoder: () => decoderOf(aictrl, decode),
  encoder: encode,
  order,
  rules,
  loss,
}
