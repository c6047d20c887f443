// Avenor's event log.
import { decoderOf, type WritableDialect } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { withLabels } from './decode-label.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const avenor: WritableDialect = {
  ...claimer,
  shapes,
  tag: (record) => (typeof record['event'] === 'string' ? record['event'] : undefined),
  formTells: true,
  numberIds: true,
  custom: true,
  decoder: () => withLabels(decoderOf(avenor, decode)),
  encoder: encode,
  order,
  rules,
  loss,
}
