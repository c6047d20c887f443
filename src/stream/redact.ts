// Takes secrets out of canonical events. A secret may be split over deltas: a delta whose end may be the beginning of one waits for the
// next of its stream or for the end of it, while other events pass it by.
import type { Rec } from '../base/json.ts'
import type { Event, Kind, Payload } from '../model/event.ts'
import { createScanner, type ScanOptions } from './redact-scan.ts'
import { createStream, type Delta, isDelta, isSameStream, passAtOnce, release, type Stream } from './redact-stream.ts'
import { withTexts } from './redact-texts.ts'
import { createWalker, type Hits } from './redact-walk.ts'
import { isWord, wordsIn } from './redact-words.ts'

export type { LinePattern, ScanOptions } from './redact-scan.ts'

export type Redactor = {
  /** The events that can be told now, redacted; `ext.redacted` counts what was taken out of each. */
  event(event: Event): Event[]
  /** The same of deltas that came one right after another: they are looked at together. */
  deltas(events: readonly Delta[]): Event[]
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

/** How a field is redacted. `clean`: a value in which there was nothing the last time; most events repeat it. */
type Way = { key: string; how: 'as it is' | 'raw' | 'origin' | 'word' | 'records' | 'value'; clean: string | undefined }
/** Of the fields of one kind. `order`: those that stood at each place the last time; nearly always they do so again. */
type Ways = { known: Map<string, Way>; order: Way[] }

/** The streams of one session or subagent. */
type Lane = { session: string | undefined; agent: string | undefined; model: Map<string, Stream>; calls: Map<string, Map<string, Stream>> }

export function createRedactor(options: ScanOptions = {}): Redactor {
  const scanner = createScanner(options)
  const walker = createWalker(scanner)
  const totals: Hits = {}
  const lanes = new Map<string, Lane>()
  const ways = new Map<Kind, Ways>()
  /** The last one in which there was nothing. */
  let cleanOrigin: Rec = {}
  let originKeys: readonly string[] = []
  let cleanDelta: Delta | undefined
  let deltaKeys: readonly string[] = []

  /** The stream of the last delta, while nothing else has come. */
  let recent: { event: Delta; stream: Stream } | undefined
  let recentLane: Lane | undefined

  const add = (hits: Hits): void => {
    for (const [rule, count] of Object.entries(hits)) totals[rule] = (totals[rule] ?? 0) + count
  }
  const mark = <E extends Event>(event: E, hits: Hits): E => {
    if (Object.keys(hits).length === 0) return event
    const before = event.ext?.['redacted'] as Hits | undefined
    return { ...event, ext: { ...event.ext, redacted: { ...before, ...hits } } }
  }

  const waysOf = (kind: Kind): Ways => {
    let ofKind = ways.get(kind)
    if (ofKind === undefined) ways.set(kind, (ofKind = { known: new Map(), order: [] }))
    return ofKind
  }
  const wayOf = ({ known, order }: Ways, kind: Kind, key: string, place: number): Way => {
    const usual = order[place]
    if (usual !== undefined && usual.key === key) return usual
    let way = known.get(key)
    if (way === undefined) {
      way = { key, how: howOf(kind, key), clean: undefined }
      if (known.size < mostKeys) known.set(key, way)
    }
    if (place < mostKeys) order[place] = way
    return way
  }

  const field = (how: Way['how'], key: string, value: unknown, hits: Hits): unknown => {
    if (how === 'word') return walker.exact(value, hits)
    return how === 'value' || how === 'raw' ? walker.value(value, hits) : walker.records(value, wordsIn[key] ?? [], hits)
  }

  /** The same keys and words as before, and numbers. */
  const isCleanOrigin = (origin: Rec): boolean => {
    let index = 0
    for (const key in origin) {
      if (key !== originKeys[index++]) return false
      const value = origin[key]
      if (typeof value !== 'number' && value !== cleanOrigin[key]) return false
    }
    return true
  }

  /** But for its text it differs from the last one in nothing but numbers. */
  const isCleanDelta = (event: Delta): boolean => {
    if (cleanDelta === undefined || !isSameStream(cleanDelta, event)) return false
    const { run, clock, synthetic, origin, ext, raw } = event
    if (run !== cleanDelta.run || clock !== cleanDelta.clock || synthetic !== cleanDelta.synthetic) return false
    if (ext !== undefined || raw !== undefined || (origin !== undefined && !isCleanOrigin(origin))) return false
    let index = 0
    for (const key in event) if (key !== deltaKeys[index++]) return false
    return true
  }

  /** All of an event but the text of a delta, which means nothing without its neighbours. */
  const whole = (event: Event, count = add): Event => {
    const hits: Hits = {}
    const again: Hits = {}
    const fields = event as Rec
    const { kind } = event
    const ofKind = waysOf(kind)
    let copy: Rec | undefined
    let place = -1
    for (const key in fields) {
      const value = fields[key]
      place++
      if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) continue
      const way = wayOf(ofKind, kind, key, place)
      const { how } = way
      if (value === way.clean || how === 'as it is' || (how === 'origin' && isCleanOrigin(value as Rec))) continue
      const done = how === 'raw' && typeof value === 'string' ? walker.line(value, again) : field(how, key, value, hits)
      if (done !== value) (copy ??= { ...fields })[key] = done
      else if (typeof value === 'string') way.clean = value.length > longestKept ? undefined : value
      else if (how === 'origin') {
        cleanOrigin = { ...value }
        originKeys = Object.keys(value)
      }
    }
    if (copy === undefined) return event
    const isRepeated = 'streamed' in event && event.streamed === true
    const isOnlyRaw = event.kind === 'raw' || event.kind === 'issue'
    if (!isRepeated) count(isOnlyRaw && Object.keys(again).length > 0 ? again : hits)
    return mark(copy as Event, Object.keys(hits).length > 0 ? hits : again)
  }

  const laneOf = ({ session, agent }: Event): Lane => {
    if (recentLane !== undefined && recentLane.session === session && recentLane.agent === agent) return recentLane
    const key = `${session ?? ''}\n${agent ?? ''}`
    let lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, (lane = { session, agent, model: new Map(), calls: new Map() }))
    return (recentLane = lane)
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
    if (stream.waiting.length === 0 && passAtOnce(scanner, stream, [event]) === 1) return [passed(event)]
    stream.waiting.push({ event, text: event.text, changed: false })
    stream.size += event.text.length
    return stream.size < stream.rescanAt ? [] : settle(stream, false)
  }

  /** A delta whose text holds nothing. */
  const passed = (event: Delta, count = add): Event => {
    if (isCleanDelta(event)) return event
    const done = whole(event, count)
    deltaKeys = Object.keys(event)
    cleanDelta = done === event && deltaKeys.every((key) => keysOfDeltas.has(key)) ? event : undefined
    return done
  }

  /** Deltas of one stream. */
  const together = (events: readonly Delta[], told: Event[]): void => {
    const stream = streamOf(events[0]!)
    let at = 0
    while (at < events.length && stream.waiting.length > 0) told.push(...delta(events[at++]!))
    const rest = at === 0 ? events : events.slice(at)
    const count = rest.length < 2 ? 0 : passAtOnce(scanner, stream, rest)
    for (let index = 0; index < rest.length; index++)
      if (index < count) told.push(passed(rest[index]!))
      else told.push(...delta(rest[index]!))
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
    const told: Event[] = []
    for (const stream of streams.values()) if (stream.waiting.length > 0) told.push(...settle(stream, true))
    if (streams.size > 0) streams.clear()
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
      recentLane = undefined
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
    deltas(events) {
      const told: Event[] = []
      for (let from = 0, to = 1; from < events.length; from = to++) {
        while (to < events.length && isSameStream(events[from]!, events[to]!)) to++
        together(to - from === events.length ? events : events.slice(from, to), told)
      }
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

/** All but those of the text itself hold names, numbers, or what is looked at anyway. */
const keysOfDeltas: ReadonlySet<string> = new Set(
  'v seq at kind session run agent turn message block call clock origin synthetic ext raw of stream text'.split(' '),
)
const mostKeys = 256
const longestKept = 256 // characters of a text that is remembered

function howOf(kind: Kind, key: string): Way['how'] {
  if (key === 'kind' || (key === 'text' && isDelta({ kind } as Event))) return 'as it is'
  if (key === 'raw' || key === 'origin') return key
  if (isWord(kind, key)) return 'word'
  return Object.hasOwn(wordsIn, key) ? 'records' : 'value'
}

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
