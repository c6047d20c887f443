// Takes secrets out of canonical events. A secret may be split over deltas: a delta whose end may be the beginning of one waits for the
// next of its stream or for the end of it, while other events pass it by.
import type { Rec } from '../base/json.ts'
import type { Event, Kind, Payload } from '../model/event.ts'
import { createScanner, type ScanOptions } from './redact-scan.ts'
import { createStream, isDelta, isSameStream, passesAtOnce, release, type Delta, type Stream } from './redact-stream.ts'
import { withTexts } from './redact-texts.ts'
import { createWalker, type Hits } from './redact-walk.ts'
import { isWord, wordsIn } from './redact-words.ts'

export type { LinePattern, ScanOptions } from './redact-scan.ts'

export type Redactor = {
  /** The events that can be told now, redacted; `ext.redacted` counts what was taken out of each. */
  event(event: Event): Event[]
  /** What still waits: nothing more will come. */
  end(): Event[]
  text(text: string): { text: string; hits: Hits }
  /** One line of a stream in any dialect; unchanged to the byte when it holds no secret. */
  line(line: string): { text: string; hits: Hits }
  /** Of all so far. A text that is told in deltas and then whole counts once. */
  counts(): Readonly<Hits>
  /** The totals, to be told at the end; undefined when there was nothing. */
  notice(): Payload<'notice'> | undefined
}

/** The streams of one session or subagent. */
type Lane = { session: string | undefined; agent: string | undefined; model: Map<string, Stream>; calls: Map<string, Map<string, Stream>> }

export function createRedactor(options: ScanOptions = {}): Redactor {
  const scanner = createScanner(options)
  const walker = createWalker(scanner)
  const totals: Hits = {}
  const lanes = new Map<string, Lane>()
  /** Names that have just been looked at: most events repeat them. */
  const known: Rec = {}
  const knownOrigin: Rec = {}

  /** The stream of the last delta, while nothing else has come. */
  let recent: { event: Delta; stream: Stream } | undefined

  const add = (hits: Hits): void => {
    for (const [rule, count] of Object.entries(hits)) totals[rule] = (totals[rule] ?? 0) + count
  }
  const mark = <E extends Event>(event: E, hits: Hits): E => {
    if (Object.keys(hits).length === 0) return event
    const before = event.ext?.['redacted'] as Hits | undefined
    return { ...event, ext: { ...event.ext, redacted: { ...before, ...hits } } }
  }

  const field = (kind: Kind, key: string, value: unknown, hits: Hits): unknown => {
    if (isWord(kind, key)) return walker.exact(value, hits)
    const words = Object.hasOwn(wordsIn, key) ? wordsIn[key] : undefined
    return words === undefined ? walker.value(value, hits) : walker.records(value, words, hits)
  }

  /** The same names and words as before, and numbers. */
  const isKnownOrigin = (origin: Rec): boolean => {
    for (const key in origin) {
      const value = origin[key]
      if (!Object.hasOwn(knownOrigin, key) || (typeof value !== 'number' && value !== knownOrigin[key])) return false
    }
    return true
  }

  /** All of an event but the text of a delta, which means nothing without its neighbours. */
  const whole = (event: Event): Event => {
    const hits: Hits = {}
    const again: Hits = {}
    const fields = event as Rec
    let copy: Rec | undefined
    for (const key in fields) {
      const value = fields[key]
      if (value === undefined || typeof value === 'number' || key === 'kind' || (key === 'text' && isDelta(event))) continue
      if (value === known[key]) continue
      if (key === 'origin' && isKnownOrigin(value as Rec)) continue
      const done = key === 'raw' && typeof value === 'string' ? walker.line(value, again) : field(event.kind, key, value, hits)
      if (done !== value) (copy ??= { ...fields })[key] = done
      else if (isName.has(key)) known[key] = value
      else if (key === 'origin') Object.assign(knownOrigin, value)
    }
    if (copy === undefined) return event
    const isRepeated = 'streamed' in event && event.streamed === true
    const isOnlyRaw = event.kind === 'raw' || event.kind === 'issue'
    if (!isRepeated) add(isOnlyRaw && Object.keys(again).length > 0 ? again : hits)
    return mark(copy as Event, Object.keys(hits).length > 0 ? hits : again)
  }

  const laneOf = (event: Event): Lane => {
    const key = `${event.session ?? ''}\n${event.agent ?? ''}`
    let lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, (lane = { session: event.session, agent: event.agent, model: new Map(), calls: new Map() }))
    return lane
  }

  const streamOf = (event: Delta): Stream => {
    if (recent !== undefined && isSameStream(recent.event, event)) return recent.stream
    const lane = laneOf(event)
    const streams = event.kind === 'tool.delta' ? streamsOf(lane, event.call ?? '') : lane.model
    const key = event.kind === 'tool.delta' ? `${event.of} ${event.stream}` : `${event.kind} ${event.message} ${event.block}`
    let stream = streams.get(key)
    if (stream === undefined) streams.set(key, (stream = createStream()))
    recent = { event, stream }
    return stream
  }

  const delta = (event: Delta): Event[] => {
    const stream = streamOf(event)
    if (stream.waiting.length === 0 && passesAtOnce(scanner, stream, event.text)) return [whole(event)]
    stream.waiting.push({ event, text: event.text, changed: false })
    stream.size += event.text.length
    return stream.size < stream.rescanAt ? [] : settle(stream, false)
  }

  const settle = (stream: Stream, ended: boolean): Event[] => {
    const { told, hits } = release(scanner, stream, ended)
    add(hits)
    return told.map(({ event, text, changed, hits: own }) => {
      if (!changed) return whole(event)
      // The record it came from holds the secret, or a part of it.
      const { raw: before, ...rest } = event
      const raw = before === undefined ? undefined : withTexts(before, new Map([[event.text, text]]))
      return whole(mark({ ...rest, text, ...(raw !== undefined && { raw }) } as Delta, own))
    })
  }

  const settleAll = (streams: Map<string, Stream>): Event[] => {
    const told = [...streams.values()].flatMap((stream) => settle(stream, true))
    streams.clear()
    return told
  }
  const settleLane = (lane: Lane): Event[] => {
    const told = [...settleAll(lane.model), ...[...lane.calls.values()].flatMap(settleAll)]
    lane.calls.clear()
    return told
  }
  /** Those lanes say no more. */
  const settleWhere = (isMeant: (lane: Lane) => boolean): Event[] =>
    [...lanes].flatMap(([key, lane]) => {
      if (!isMeant(lane)) return []
      lanes.delete(key)
      return settleLane(lane)
    })

  return {
    event(event) {
      if (isDelta(event)) return delta(event)
      recent = undefined
      const lane = laneOf(event)
      const told: Event[] = []
      if (event.kind === 'tool.end') {
        told.push(...settleAll(streamsOf(lane, event.call ?? '')))
        lane.calls.delete(event.call ?? '')
      } else if (event.kind === 'task.end') told.push(...settleWhere(({ agent }) => agent === event.task))
      else if (event.kind === 'turn.end') told.push(...settleLane(lane))
      else if (event.kind === 'session.end') told.push(...settleWhere(({ session }) => session === event.session))
      else if (event.kind === 'run.end') told.push(...settleWhere(() => true))
      else if (!passesBy.has(event.kind)) told.push(...settleAll(lane.model))
      told.push(whole(event))
      return told
    },
    end() {
      recent = undefined
      return settleWhere(() => true)
    },
    text(text) {
      const hits: Hits = {}
      const done = walker.text(text, hits)
      add(hits)
      return { text: done, hits }
    },
    line(line) {
      const hits: Hits = {}
      const done = walker.line(line, hits)
      add(hits)
      return { text: done, hits }
    },
    counts: () => ({ ...totals }),
    notice() {
      const sum = Object.values(totals).reduce((total, count) => total + count, 0)
      if (sum === 0) return undefined
      const list = Object.entries(totals).map(([rule, count]) => `${rule} ${count}`)
      return { level: 'info', code: 'redacted', text: `redacted: ${list.join(', ')}`, data: { ...totals } }
    },
  }
}

const isName: ReadonlySet<string> = new Set(['session', 'run', 'agent', 'message', 'call', 'clock', 'synthetic'])

/** These may come in the middle of a text and say nothing of it. */
const passesBy: ReadonlySet<Event['kind']> = new Set([
  'usage.update',
  'status.update',
  'notice',
  'issue',
  'raw',
  'tool.update',
  'task.update',
  'permission.answer',
  'report',
])

function streamsOf(lane: Lane, call: string): Map<string, Stream> {
  let streams = lane.calls.get(call)
  if (streams === undefined) lane.calls.set(call, (streams = new Map()))
  return streams
}
