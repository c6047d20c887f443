// The label of a run. Sessions and loops have a field for it; on a record that tells it by itself, or another one, it is kept beside the
// event. A session that begins without a session.start has that of its first record.
import type { Event } from '../../model/event.ts'
import type { Decoder } from '../contract.ts'

const mostLabels = 1024

export function withLabels(decoder: Decoder): Decoder {
  const ofSessions = new Map<string | undefined, string | undefined>()
  const ofRuns = new Map<string | undefined, string | undefined>()

  let bare = 0 // the form of pieces of text without a label: nine records in ten

  function learn(labels: typeof ofRuns, key: string | undefined, label: string | undefined): void {
    if (labels.size >= mostLabels) labels.delete(labels.keys().next().value)
    labels.set(key, label)
  }

  /** Starts and ends, also of records without a label. */
  function follow(event: Event, label: string | undefined): void {
    if (event.kind === 'session.start') {
      if (event.synthetic === 'implied') event.label ??= label
      learn(ofSessions, event.session, event.label)
    } else if (event.kind === 'run.start') learn(ofRuns, event.run, event.label)
    else if (event.kind === 'run.end') ofRuns.delete(event.run)
  }

  const isOfLoop = ({ kind }: Event): boolean => kind.startsWith('run.') || kind.startsWith('phase.')

  /** A loop without an id has no sessions that could name it. */
  const knownAt = (event: Event): string | undefined =>
    isOfLoop(event)
      ? ofRuns.get(event.run)
      : (ofSessions.get(event.session) ?? (event.run === undefined ? undefined : ofRuns.get(event.run)))

  return {
    ...decoder,
    push(record, origin, form = 0) {
      const events = decoder.push(record, origin, form)
      if (form !== 0 && form === bare && events.length === 1) return events
      const { run_label } = record
      if (run_label === undefined && events.length === 1 && isPiece(events[0]!)) bare = form
      const label = typeof run_label === 'string' ? run_label : undefined
      const teller = label === undefined ? undefined : tellerIn(events)
      const before = teller && knownAt(teller) // the end of a loop is of the loop
      for (const event of events) if (bounds.has(event.kind)) follow(event, label)
      if (teller !== undefined && label !== before && label !== knownAt(teller))
        teller.ext = { ...teller.ext, avenor: { ...(teller.ext?.['avenor'] as object | undefined), run_label: label } }
      return events
    },
  }
}

const bounds: ReadonlySet<string> = new Set(['session.start', 'run.start', 'run.end'])

const isPiece = ({ kind }: Event): boolean => kind === 'text.delta' || kind === 'thought.delta'

/** A record that is kept whole, or that says nothing new, needs nothing beside it. One that sluice wrote says so in all of its events. */
function tellerIn(events: readonly Event[]): Event | undefined {
  const telling = events.filter(({ kind, synthetic }) => synthetic !== 'implied' && kind !== 'raw' && kind !== 'issue')
  return telling.find(({ synthetic }) => synthetic === undefined) ?? telling[0]
}
