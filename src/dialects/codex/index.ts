// OpenAI Codex: stdout of `codex exec --json`, messages of `codex app-server`, rollout files.
import { type Dialect, decoderOf } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { order, rules } from './order.ts'
import { shapes } from './shapes.ts'
import { tag } from './tag.ts'

export type * from '../public.ts'

export const codex: Dialect = {
  ...claimer,
  shapes,
  tag,
  numberIds: true,
  decoder: () => decoderOf(codex, decode),
  order,
  rules,
}
