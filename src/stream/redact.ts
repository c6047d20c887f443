// Takes secrets out of canonical events. A secret may be split over deltas: a delta whose end may be the beginning of one waits for the
// next of its stream or for the end of it, while other events pass it by.
import type { Rec } from '../base/json.ts'
import type { Event, Payload } from '../model/event.ts'
import { createScanner, type ScanOptions, type Scanner } from './redact-scan.ts'
import { countFound, createWalker, replaceFound, type Hits } from './redact-walk.ts'

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

type Delta = Extract<Event, { kind: 'text.delta' | 'thought.delta' | 'tool.delta' }>
/** Texts of one block or one output of a call, as far as they are not told yet. */
type Stream = {
  /** What was told last, as it was. */
  context: string
  waiting: { event: Delta; text: string; changed: boolean }[]
  /** Characters that wait; a long text is not looked at again for every few of them. */
  size: number
  rescanAt: number
}
/** The streams of one session or subagent. */
type Lane = { session: string | undefined; model: Map<string, Stream>; calls: Map<string, Map<string, Stream>> }

export function createRedactor(options: ScanOptions = {}): Redactor {
  const scanner = createScanner(options)
  const walker = createWalker(scanner)
  const totals: Hits = {}
  const lanes = new Map<string, Lane>()

  const add = (hits: Hits): void => {
    for (const [rule, count] of Object.entries(hits)) totals[rule] = (totals[rule] ?? 0) + count
  }
  const mark = <E extends Event>(event: E, hits: Hits): E => {
    if (Object.keys(hits).length === 0) return event
    const before = event.ext?.['redacted'] as Hits | undefined
    return { ...event, ext: { ...event.ext, redacted: { ...before, ...hits } } }
  }

  /** All of an event but the text of a delta, which means nothing without its neighbours. */
  const whole = (event: Event): Event => {
    const hits: Hits = {}
    const again: Hits = {}
    const fields = event as Rec
    let copy: Rec | undefined
    for (const key in fields) {
      const value = fields[key]
      if (typeof value === 'number' || key === 'kind' || (key === 'text' && isDelta(event))) continue
      const done = key === 'raw' && typeof value === 'string' ? walker.line(value, again) : walker.value(value, hits)
      if (done !== value) (copy ??= { ...fields })[key] = done
    }
    if (copy === undefined) return event
    const isRepeated = 'streamed' in event && event.streamed === true
    if (!isRepeated) add(hits)
    return mark(copy as Event, Object.keys(hits).length > 0 ? hits : again)
  }

  const laneOf = (event: Event): Lane => {
    const key = event.agent === undefined && event.session === undefined ? '' : JSON.stringify([event.session, event.agent])
    let lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, (lane = { session: event.session, model: new Map(), calls: new Map() }))
    return lane
  }

  const delta = (lane: Lane, event: Delta): Event[] => {
    const streams = event.kind === 'tool.delta' ? streamsOf(lane, event.call ?? '') : lane.model
    const key =
      event.kind === 'tool.delta' ? `${event.of} ${event.stream ?? ''}` : `${event.kind} ${event.message ?? ''} ${event.block ?? ''}`
    let stream = streams.get(key)
    if (stream === undefined) streams.set(key, (stream = { context: '', waiting: [], size: 0, rescanAt: 0 }))
    if (stream.waiting.length === 0 && passesAtOnce(scanner, stream, event.text)) return [whole(event)]
    stream.waiting.push({ event, text: event.text, changed: false })
    stream.size += event.text.length
    return stream.size < stream.rescanAt ? [] : settle(stream, false)
  }

  const settle = (stream: Stream, ended: boolean): Event[] => {
    const { told, hits } = release(scanner, stream, ended)
    add(hits)
    return told.map(({ event, text, changed, hits: own }) => {
      // The record it came from holds the secret, or a part of it.
      const { raw: _raw, ...rest } = event
      return whole(changed ? mark({ ...rest, text } as Delta, own) : event)
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
  const settleWhere = (isMeant: (lane: Lane) => boolean): Event[] => [...lanes.values()].filter(isMeant).flatMap(settleLane)

  return {
    event(event) {
      const lane = laneOf(event)
      if (isDelta(event)) return delta(lane, event)
      const told: Event[] = []
      if (event.kind === 'tool.end') told.push(...settleAll(lane.calls.get(event.call ?? '') ?? new Map()))
      if (event.kind === 'run.end') told.push(...settleWhere(() => true))
      else if (event.kind === 'session.end') told.push(...settleWhere(({ session }) => session === event.session))
      else if (endsLane.has(event.kind)) told.push(...settleLane(lane))
      else if (!passesBy.has(event.kind) && lane.model.size > 0) told.push(...settleAll(lane.model))
      if (event.kind === 'tool.end') lane.calls.delete(event.call ?? '')
      told.push(whole(event))
      return told
    },
    end: () => settleWhere(() => true),
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

const isDelta = (event: Event): event is Delta =>
  event.kind === 'text.delta' || event.kind === 'thought.delta' || event.kind === 'tool.delta'

/** These may come in the middle of a text and say nothing of it. */
const passesBy: ReadonlySet<Event['kind']> = new Set([
  'usage.update',
  'status.update',
  'notice',
  'issue',
  'raw',
  'tool.update',
  'tool.end',
  'task.update',
  'permission.answer',
  'report',
])
const endsLane: ReadonlySet<Event['kind']> = new Set(['turn.end', 'task.end'])

function streamsOf(lane: Lane, call: string): Map<string, Stream> {
  let streams = lane.calls.get(call)
  if (streams === undefined) lane.calls.set(call, (streams = new Map()))
  return streams
}

/** Nearly always: no secret, and no beginning of one. */
function passesAtOnce(scanner: Scanner, stream: Stream, text: string): boolean {
  const joined = stream.context + text
  if (!scanner.isClean(joined) || scanner.openFrom(joined, stream.context.length) < joined.length) return false
  stream.context = scanner.contextBefore(joined, joined.length)
  return true
}

type Told = { event: Delta; text: string; changed: boolean; hits: Hits }

/** Events are told whole, so that a text without secrets comes out in the same pieces; only a secret between two may cut one. */
function release(scanner: Scanner, stream: Stream, ended: boolean): { told: Told[]; hits: Hits } {
  const from = stream.context.length
  const text = stream.waiting.reduce((joined, { text: part }) => joined + part, stream.context)
  const { found, open } = scanner.scan(text, from, ended)
  let cut = from
  for (const { text: part } of stream.waiting) {
    if (cut + part.length > open) break
    cut += part.length
  }
  const across = found.find(({ start, end }) => start < cut && cut < end)
  if (across !== undefined) cut = across.end
  const settled = found.filter(({ start }) => start < cut)
  const told: Told[] = []
  const waiting: Stream['waiting'] = []
  const all: Hits = {}
  let at = from
  for (const { event, text: part, changed } of stream.waiting) {
    const end = at + part.length
    if (end > cut) waiting.push(at < cut ? { event, text: text.slice(cut, end), changed: true } : { event, text: part, changed })
    else {
      const hits: Hits = {}
      countFound(
        settled.filter(({ start }) => start >= at && start < end),
        hits,
      )
      const shown = settled.length === 0 ? part : replaceFound(text, at, end, settled)
      told.push({ event, text: shown, changed: changed || shown !== part, hits })
    }
    at = end
  }
  countFound(settled, all)
  stream.context = scanner.contextBefore(text, cut)
  stream.waiting = waiting
  stream.size = text.length - cut
  stream.rescanAt = stream.size < 1024 ? 0 : stream.size * 1.125
  return { told, hits: all }
}
