// The generated shapes, and the same once more for messages in recorded traffic.
import type { Rec } from '../../base/json.ts'
import type { Check, Shapes } from '../contract.ts'
import * as made from './shapes.gen.js'
import { messageTags, ownTag, traffic } from './tag.ts'

const keysOfTraffic: ReadonlySet<string> = new Set(['t', 'from', 'message', 'synthetic'])
const inTraffic =
  (check: Check): Check =>
  (record) =>
    check((record as Rec)['message'])

export const shapes: Shapes = {
  checks: { ...made.checks, ...Object.fromEntries(messageTags.map((tag) => [traffic + tag, inTraffic(made.checks[tag]!)])) },
  keys: { ...made.keys, ...Object.fromEntries(messageTags.map((tag) => [traffic + tag, keysOfTraffic])) },
  schemaOf: (tag) => (tag === ownTag(tag) ? made.schemaOf(tag) : { type: 'object', properties: { message: made.schemaOf(ownTag(tag)) } }),
}
