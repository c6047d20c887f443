// opencode's `run --format json` stream and its server's events. Read, not written.
import { type Dialect, decoderOf } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'
import { tag } from './tag.ts'

export type * from '../public.ts'

export const opencode: Dialect = {
  ...claimer,
  shapes,
  tag,
  decoder: () => decoderOf(opencode, decode, { interleaved: true }),
  order,
  rules,
}
