// What a conversion tells of its losses is true: an event that does not count as dropped has left a trace in what was written. The
// trace of an event is what changes when the stream comes without it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Rec, stringifyJson } from '../src/base/json.ts'
import { dialects, type Event, type Kind, type WritableName } from '../src/index.ts'
import { legalStream, linesOf } from '../src/testing/index.ts'
import { eventsOf, holds, names, targets } from './properties.ts'

type Told = { text: string; gone: Set<Event> }

function tell(events: readonly Event[], to: WritableName): Told {
  const { encoder, loss } = dialects[to]
  const lines: string[] = []
  const gone = new Set<Event>()
  const target = encoder({
    write: (record: Rec, synthetic) => void lines.push(stringifyJson({ ...record, synthetic })), // what was added says so
    added() {},
    lost: (event, field) => void (field === undefined && gone.add(event)),
  })
  for (const event of events) if (loss[event.kind].how !== 'drop') target.push(event)
  target.end()
  return { text: lines.join('\n'), gone }
}

/** Frames: the records that stand in them tell that they were there, and the next one tells that they are over. */
const frames: ReadonlySet<Kind> = new Set(['session.start', 'session.end', 'turn.start', 'turn.end', 'message.start', 'message.end'])

const isExcused = ({ kind }: Event, to: WritableName): boolean => dialects[to].loss[kind].how === 'drop' || frames.has(kind)

/** Told by others as well: a text by its deltas or its whole, a failure by the end of its turn, a question by its answer. */
function isRepeated(event: Event, events: readonly Event[]): boolean {
  switch (event.kind) {
    case 'text.delta':
    case 'thought.delta':
    case 'tool.delta':
    case 'tool.update':
      return true
    case 'text.end':
    case 'thought.end':
      return event.streamed
    case 'error':
      return events.some((other) => other !== event && 'error' in other && other.error?.text === event.error.text)
    case 'permission.request':
      return events.some((other) => other.kind === 'permission.answer' && other.id === event.id)
    case 'message.drop':
      return true // text that never ended is not written anyway
    case 'session.update':
    case 'catalog.update':
      return true // it may say what is known already
    case 'status.update':
      return events.some((other) => other !== event && other.kind === 'status.update' && other.agent === event.agent) // a state that goes on
    case 'prompt.submit':
      return event.text === ''
    case 'task.start':
      return event.task === event.call
    default:
      return false
  }
}

suite('an event that is not told as dropped has left a trace', () => {
  for (const from of names) {
    for (const to of targets.filter((name) => name !== from && name !== 'sluice'))
      test(`${from} to ${to}`, () =>
        holds(8, (seed) => {
          const events = eventsOf(linesOf(legalStream(from, seed, { sessions: 1 })), from)
          const { text, gone } = tell(events, to)
          for (const [index, event] of events.entries()) {
            if (event.synthetic !== undefined || isExcused(event, to) || gone.has(event)) continue
            const isTold = tell(events.toSpliced(index, 1), to).text !== text
            assert(isTold || isRepeated(event, events), `no trace: ${JSON.stringify({ ...event, origin: undefined })}`)
          }
        }))
  }
})
