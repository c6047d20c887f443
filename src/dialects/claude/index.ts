// Claude Code's stream-json, its control channel and its transcript files.
import { decoderOf, type WritableDialect } from '../contract.ts'
import { claimer } from './claim.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'
import { tag } from './tag.ts'

export type { Cost, Fault, Usage } from '../../model/event.ts'
export type * from '../public.ts'
export {
  type Costs,
  costs,
  type Denial,
  errorsAndDenials,
  eventsOf,
  type FinalResult,
  finalResult,
  type Input,
  type ModelCost,
  type PairedCall,
  pairedCalls,
  type Trouble,
} from './parse.ts'

export const claude: WritableDialect = {
  ...claimer,
  shapes,
  tag,
  formTells: true,
  outputs: new Set([
    'message.content.*.content',
    ...['tool_use_result', 'toolUseResult'].flatMap((key) =>
      ['stdout', 'content', 'originalFile', 'file.content', 'file.base64'].map((name) => `${key}.${name}`),
    ),
  ]),
  decoder: () => decoderOf(claude, decode),
  encoder: encode,
  order,
  rules,
  loss,
}
