// sluice's own event stream: the canonical events as compact NDJSON.
import type { WritableDialect } from '../contract.ts'
import { claimer } from './claim.ts'
import { decoder } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const sluice: WritableDialect = {
  ...claimer,
  shapes,
  tag: (record) => (typeof record['kind'] === 'string' ? record['kind'] : undefined),
  formTells: true,
  decoder: () => decoder(shapes),
  encoder: encode,
  order,
  rules,
  loss,
}
