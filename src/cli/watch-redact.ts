// --redact for what shows records and events together: what a view is to see, without secrets. Views of events get them as the redactor lets
// them go, which may be later than their records; views of records get these whole, in their order, with their own bytes changed.
import type { Class } from '../analyze/classify.ts'
import { utf8 } from '../base/bytes.ts'
import { isRecord, parseJson } from '../base/json.ts'
import { createRecordRedactor } from '../stream/redact-records.ts'
import type { Redactor } from '../stream/redact.ts'
import type { Seen } from './watch-view.ts'

export type Cleaner = {
  /** What can be shown now. */
  push(seen: Seen): Seen[]
  /** What still waits: nothing more will come. */
  end(): Seen[]
  /** Where in the stream the first record stands of which something waits. */
  waitingSince(): number | undefined
}

export const createCleaner = (redactor: Redactor, ofRecords: boolean): Cleaner =>
  ofRecords ? recordCleaner(redactor) : eventCleaner(redactor)

function recordCleaner(redactor: Redactor): Cleaner {
  const records = createRecordRedactor<Seen & { before: string }>(redactor)
  const clean = (ready: ReturnType<typeof records.push>): Seen[] =>
    ready.map(({ text, item: { before, ...seen } }) => {
      if (seen.span === undefined) return seen
      const bytes = Buffer.from(text) // those of the stream are gone by now
      const value: unknown = text === before || seen.record === undefined ? seen.record : parseJson(text)
      return { ...seen, record: isRecord(value) ? value : undefined, span: { ...seen.span, bytes, start: 0, end: bytes.length } }
    })
  return {
    push(seen) {
      const { span } = seen
      const line = span === undefined ? '' : utf8(span.bytes, span.start, span.end)
      return clean(records.push(line, seen.events, { ...seen, ...(span !== undefined && { span: { ...span } }), before: line }))
    },
    end: () => clean(records.end()),
    waitingSince: () => records.first()?.span?.offset,
  }
}

function eventCleaner(redactor: Redactor): Cleaner {
  const waiting = new Map<number, { its: Class | undefined; offset: number | undefined }>() // by the number of the event

  function told(events: Seen['events'], { record, span }: Pick<Seen, 'record' | 'span'>): Seen {
    const classes = events.flatMap(({ seq }) => waiting.get(seq)?.its ?? [])
    for (const { seq } of events) waiting.delete(seq)
    return { events, record, span, classes }
  }

  return {
    push(seen) {
      for (const [index, { seq }] of seen.events.entries()) waiting.set(seq, { its: seen.classes[index], offset: seen.span?.offset })
      const events = seen.events.flatMap((event) => redactor.event(event))
      return [told(events, seen)]
    },
    end: () => [told(redactor.end(), { record: undefined, span: undefined })],
    waitingSince: () => waiting.values().next().value?.offset,
  }
}
