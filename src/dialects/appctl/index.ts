// appctl's AgentEvent stream.
import { type Dialect, decoderOf } from '../contract.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { loss } from './loss.ts'
import { order, rules } from './order.ts'
import * as shapes from './shapes.gen.js'

export const appctl: Dialect = {
  name: 'appctl',
  title: 'appctl AgentEvent stream',
  shapes,
  tag: (record) => (typeof record['kind'] === 'string' ? record['kind'] : undefined),
  // sluice's own events have `kind` too: `seq` tells them apart.
  claim: (record) => (typeof record['kind'] === 'string' && record['seq'] === undefined ? (Object.hasOwn(shapes.checks, record['kind']) ? 1 : 0.3) : 0),
  decoder: () => decoderOf(appctl, decode, { thoughtsOutlive: true }),
  encoder: encode,
  order,
  rules,
  loss,
}
