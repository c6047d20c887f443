// Records without secrets, in their own dialect and in their order. A secret may be split over the deltas of several records: then these
// wait until the redactor has let their events go, and get the texts of those.
import type { Event } from '../model/event.ts'
import type { Redactor } from './redact.ts'
import type { Delta } from './redact-stream.ts'
import { isDelta } from './redact-stream.ts'
import { withTexts } from './redact-texts.ts'

type Waiting<T> = {
  line: string
  item: T
  /** How many of its deltas have not come back. */
  open: number
  /** What became of their texts. */
  texts: Map<string, string>
}

export type RecordRedactor<T> = {
  /** A record, the events in it, and anything that belongs to it → the records that can be told now. */
  push(line: string, events: readonly Event[], item: T): { text: string; item: T }[]
  end(): { text: string; item: T }[]
  /** What belongs to the first record that waits. */
  first(): T | undefined
}

export function createRecordRedactor<T>(redactor: Redactor): RecordRedactor<T> {
  const queue: Waiting<T>[] = []
  const open = new Map<number, { before: string; of: Waiting<T> }>()

  function back(events: readonly Event[]): void {
    for (const event of events) {
      const delta = isDelta(event) ? open.get(event.seq) : undefined
      if (delta === undefined) continue
      open.delete(event.seq)
      delta.of.open--
      const { text } = event as Delta
      if (text !== delta.before) delta.of.texts.set(delta.before, text)
    }
  }

  function ready(): { text: string; item: T }[] {
    let count = 0
    while (count < queue.length && queue[count]!.open === 0) count++
    return queue.splice(0, count).map(({ line, texts, item }) => {
      const text = texts.size === 0 ? line : (withTexts(line, texts) ?? line)
      return { text: redactor.line(text).text, item }
    })
  }

  return {
    push(line, events, item) {
      const record: Waiting<T> = { line, item, open: 0, texts: new Map() }
      queue.push(record)
      for (const event of events) {
        if (isDelta(event)) {
          record.open++
          open.set(event.seq, { before: event.text, of: record })
        }
        back(redactor.event(skeletonOf(event)))
      }
      return ready()
    },
    end() {
      back(redactor.end())
      return ready()
    },
    first: () => queue[0]?.item,
  }
}

/** Enough of an event to know where a text begins and ends. Of all else only the record counts, or it would be counted twice. */
function skeletonOf(event: Event): Event {
  if (isDelta(event)) {
    const { raw: _raw, ext: _ext, ...rest } = event
    return rest
  }
  const { v, seq, kind, session, agent, call } = event
  return { v, seq, kind, session, agent, call, ...('task' in event && { task: event.task }) } as Event
}
