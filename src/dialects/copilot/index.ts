// GitHub Copilot CLI: its JSON output and its session files. Read only.
import { type Dialect, decoderOf } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { order, rules } from './order.ts'
import { restTypes } from './rest.ts'
import * as shapes from './shapes.gen.js'

export type * from '../public.ts'

export const copilot: Dialect = {
  ...claimer,
  shapes,
  tag: ({ type }) => (typeof type !== 'string' ? undefined : restTypes.has(type) ? '*' : type),
  formTells: true,
  decoder: () => decoderOf(copilot, decode, { interleaved: true }),
  order,
  rules,
}
