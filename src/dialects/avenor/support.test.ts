// What the tests of this folder share: fixtures in, events, records and findings out.
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { encodeAs, plain, supportOf, type Written } from '../support.test.ts'
import { avenor } from './index.ts'

export { kindsOf, plain, tellSession as tellAll, type Told } from '../support.test.ts'
export const support = supportOf(avenor, 'agent')
export const { namesIn, fixture, decodeAll, findingsOf, codesOf, repaired } = support
export const encodeAll = (events: readonly Event[]): Written => encodeAs(avenor, events)

/** Without what is the same everywhere. */
export function shortly(event: Event): Rec {
  const { v: _v, seq: _seq, origin: _origin, ...rest } = plain(event)
  return rest
}
