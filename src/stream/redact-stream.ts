// The deltas of one text, held back no longer than their end may be the beginning of a secret.
import type { Event } from '../model/event.ts'
import type { Scanner } from './redact-scan.ts'
import { countFound, replaceFound, type Hits } from './redact-walk.ts'

export type Delta = Extract<Event, { kind: 'text.delta' | 'thought.delta' | 'tool.delta' }>

/** Texts of one block or one output of a call, as far as they are not told yet. */
export type Stream = {
  /** What was told last, as it was. */
  context: string
  waiting: { event: Delta; text: string; changed: boolean }[]
  /** Characters that wait; a long text is not looked at again for every few of them. */
  size: number
  rescanAt: number
}

export const createStream = (): Stream => ({ context: '', waiting: [], size: 0, rescanAt: 0 })

export const isDelta = (event: Event): event is Delta =>
  event.kind === 'text.delta' || event.kind === 'thought.delta' || event.kind === 'tool.delta'

export const isSameStream = (a: Delta, b: Delta): boolean =>
  a.kind === b.kind &&
  a.session === b.session &&
  a.agent === b.agent &&
  a.message === b.message &&
  a.block === b.block &&
  a.call === b.call &&
  (a.kind !== 'tool.delta' || b.kind !== 'tool.delta' || (a.of === b.of && a.stream === b.stream))

/** How many of these deltas pass at once. Nearly always all: no secret, and no beginning of one. */
export function passAtOnce(scanner: Scanner, stream: Stream, deltas: readonly Delta[]): number {
  const from = stream.context.length
  let joined = stream.context
  for (const { text } of deltas) joined += text
  const clean = scanner.cleanUntil(joined, from)
  if (clean < from + deltas[0]!.text.length) return 0
  let count = 0
  let end = from
  for (const { text } of deltas) {
    if (end + text.length > clean) break
    end += text.length
    count++
  }
  stream.context = scanner.contextBefore(joined, end)
  return count
}

type Told = { event: Delta; text: string; changed: boolean; hits: Hits }

/** Events are told whole, so that a text without secrets comes out in the same pieces; only a secret between two may cut one. */
export function release(scanner: Scanner, stream: Stream, ended: boolean): { told: Told[]; hits: Hits } {
  const from = stream.context.length
  const text = stream.waiting.reduce((joined, { text: part }) => joined + part, stream.context)
  const { found, open } = scanner.scan(text, from, ended)
  let cut = from
  for (const { text: part } of stream.waiting) {
    if (cut + part.length > open) break
    cut += part.length
  }
  const across = found.find(({ begin, end }) => begin < cut && cut < end)
  if (across !== undefined) cut = across.end
  const settled = found.filter(({ start }) => start < cut)
  const told: Told[] = []
  const waiting: Stream['waiting'] = []
  const all: Hits = {}
  let at = from
  for (const { event, text: part, changed } of stream.waiting) {
    const end = at + part.length
    const now = Math.min(end, cut)
    if (at < now || end <= cut) {
      const hits: Hits = {}
      countFound(
        settled.filter(({ start }) => start >= at && start < now),
        hits,
      )
      const shown = replaceFound(text, at, now, settled)
      if (end <= cut || shown !== '') told.push({ event, text: shown, changed: changed || shown !== part, hits })
    }
    if (end > cut) waiting.push(at < cut ? { event, text: text.slice(cut, end), changed: true } : { event, text: part, changed })
    at = end
  }
  countFound(settled, all)
  stream.context = scanner.contextBefore(text, cut)
  stream.waiting = waiting
  stream.size = text.length - cut
  stream.rescanAt = stream.size < 1024 ? 0 : stream.size * 1.125
  return { told, hits: all }
}
