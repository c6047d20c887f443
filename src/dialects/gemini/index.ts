// Gemini CLI: its events on stdout, its one JSON object, and its chat files.
import { type Dialect, decoderOf } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'
import { tag } from './tag.ts'

export type * from '../public.ts'

export const gemini: Dialect = {
  ...claimer,
  shapes,
  tag,
  decoder: () => decoderOf(gemini, decode),
  order,
  rules,
}
