// sluice → events: what stands on the line is the event, so decoding changes nothing but keys that are not known.
// The pen is not used: the stream was ordered when it was written. Only a missing end is added.
import { type Rec, withPlainNumbers } from '../../base/json.ts'
import type { Event, Origin, Payload } from '../../model/event.ts'
import { createPen } from '../../model/pen.ts'
import { type Decoder, type Shapes, badBody } from '../contract.ts'

export function decoder(shapes: Shapes): Decoder {
  const pen = createPen() // follows along, to know what is open when the stream ends
  let seq = 0

  const own = (payload: Payload<'issue'>, origin: Origin | undefined): Event => ({
    v: 1,
    seq: ++seq,
    kind: 'issue',
    origin,
    ...payload,
  })

  return {
    push(record: Rec, origin: Origin) {
      const kind = record['kind']
      const check = typeof kind === 'string' && Object.hasOwn(shapes.checks, kind) ? shapes.checks[kind] : undefined
      if (check === undefined)
        return [{ v: 1, seq: ++seq, kind: 'raw', origin, type: typeof kind === 'string' ? kind : '', why: 'unknown' }]
      const fit = check(record) ? record : withPlainNumbers(record, check)
      if (fit === undefined) return [own(badBody({ name: 'sluice', shapes }, kind as string, record, origin), origin)]
      const event = fit as unknown as Event // just checked
      pen.follow(event)
      seq = event.seq
      return [event]
    },
    issue: (payload, origin) => [own(payload, origin)],
    end(cause) {
      pen.end(cause)
      return pen.take().map((event) => ({ ...event, seq: ++seq }))
    },
  }
}
