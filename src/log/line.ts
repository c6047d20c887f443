// An event as its line of JSON, in bytes. Several write the same event one after another, and to make its line costs more than all else
// that they do with it: it is made once, and by hand. JSON.stringify takes five times as long for what nine events in ten are: a few
// words in an envelope that hardly differs from the last.
import { stringifyJson } from '../base/json.ts'
import type { Event, Kind } from '../model/event.ts'
import { modelVersion } from '../model/vocabulary.ts'

/** Without its end. Valid until the next one is asked for. */
export type Line = { bytes: Buffer; size: number }

/** As the pen makes it. An event with other keys, or in another order, is left to JSON.stringify. */
const envelope = 'v seq at kind session run agent turn message block call clock origin synthetic ext'.split(' ')
const usual = 1 << 16 // bytes
const shortText = 256
const widest = 3 // bytes that one unit of a text may take

const line: Line = { bytes: Buffer.allocUnsafeSlow(usual), size: 0 }
let last: Event | undefined
let lastSeq = 0 // it had when its line was made: a stream that takes it over numbers it anew

/** For events that have their place in a stream: nothing but their number may change any more. `seq`: another number than its own. */
export function lineOf(event: Event, seq = event.seq): Line {
  if (event === last && seq === lastSeq) return line
  last = event
  lastSeq = seq
  line.size = 0
  if (line.bytes.length > usual) line.bytes = Buffer.allocUnsafeSlow(usual) // the last one was long
  if (!byHand(event, seq)) {
    line.size = 0
    encoded(stringifyJson(seq === event.seq ? event : { ...event, seq }))
  }
  return line
}

/** False: it cannot be written so. */
function byHand(event: Event, seq: number): boolean {
  let index = 0
  for (const key in event) {
    if (index === envelope.length) field(key, event[key as keyof Event])
    else if (key !== envelope[index++]) return false
    else if (index === envelope.length) head(event, seq)
  }
  line.bytes[line.size++] = closeBrace
  return index === envelope.length && event.v === modelVersion
}

function head(event: Event, seq: number): void {
  const { at, origin, synthetic, ext } = event
  literal(beforeSeq)
  number(seq)
  if (at !== undefined) field('at', at)
  literal(placeOf(event))
  if (origin !== undefined) {
    literal(keyOf('origin'))
    const start = line.size
    for (const key in origin) field(key, origin[key as keyof typeof origin])
    if (line.size === start) line.size++
    line.bytes[start] = openBrace // where the comma of the first one stands
    line.bytes[line.size++] = closeBrace
  }
  if (synthetic !== undefined) field('synthetic', synthetic)
  if (ext !== undefined) field('ext', ext)
}

// ── what stays the same ──────────────────────────────────────────────────────────────────────────────────────────────────

type Segment = Pick<Event, 'session' | 'run' | 'agent' | 'turn' | 'message' | 'block' | 'call' | 'clock'> & { bytes: Buffer }

const segments = new Map<Kind, Segment>() // of the last event of each kind
const keys = new Map<string, Buffer>()
const mostKeys = 1024

/** From `kind` to `clock`. */
function placeOf({ kind, session, run, agent, turn, message, block, call, clock }: Event): Buffer {
  const known = segments.get(kind)
  if (
    known !== undefined &&
    known.session === session &&
    known.run === run &&
    known.agent === agent &&
    known.turn === turn &&
    known.message === message &&
    known.block === block &&
    known.call === call &&
    known.clock === clock
  )
    return known.bytes
  const text = stringifyJson({ kind, session, run, agent, turn, message, block, call, clock })
  const bytes = Buffer.from(`,${text.slice(1, -1)}`)
  segments.set(kind, { session, run, agent, turn, message, block, call, clock, bytes })
  return bytes
}

function keyOf(key: string): Buffer {
  let bytes = keys.get(key)
  if (bytes === undefined) {
    bytes = Buffer.from(`,${JSON.stringify(key)}:`)
    if (keys.size < mostKeys) keys.set(key, bytes)
  }
  return bytes
}

// ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const beforeSeq = Buffer.from(`{"v":${modelVersion},"seq":`)
const openBrace = 0x7b
const closeBrace = 0x7d
const quote = 0x22
const backslash = 0x5c
const zero = 0x30

function room(size: number): void {
  if (line.size + size <= line.bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (line.size + size))
  line.bytes.copy(larger, 0, 0, line.size)
  line.bytes = larger
}

/** There is always room for a few bytes more. */
const spare = 64

function literal(bytes: Buffer): void {
  room(bytes.length + spare)
  line.bytes.set(bytes, line.size)
  line.size += bytes.length
}

/** JSON as it stands. */
function encoded(text: string): void {
  room(text.length * widest + spare)
  line.size += line.bytes.write(text, line.size)
}

function field(key: string, value: unknown): void {
  if (value === undefined) return
  literal(keyOf(key))
  if (typeof value === 'number') number(value)
  else if (typeof value !== 'string') encoded(stringifyJson(value))
  else if (value.length > shortText || !plain(value)) encoded(JSON.stringify(value))
}

function number(value: number): void {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)) line.size = digits(value, line.size)
  else encoded(JSON.stringify(value))
}

const part = 1e9 // fits into 32 bits, which are divided faster

/** Returns the place after them. */
function digits(value: number, at: number): number {
  if (value >= part) {
    const front = Math.floor(value / part)
    const end = digits(front, at) + 9
    rightAligned(value - front * part, end, 9)
    return end
  }
  let count = 1
  for (let limit = 10; value >= limit; limit *= 10) count++
  rightAligned(value, at + count, count)
  return at + count
}

function rightAligned(value: number, end: number, count: number): void {
  const { bytes } = line
  let rest = value | 0
  for (let at = end - 1; at >= end - count; at--) {
    const tenth = (rest / 10) | 0
    bytes[at] = zero + rest - tenth * 10
    rest = tenth
  }
}

/** A text without anything that JSON escapes or that takes more than one byte; false when it is none. */
function plain(text: string): boolean {
  room(text.length + spare)
  const { bytes } = line
  let at = line.size
  bytes[at++] = quote
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (char < 0x20 || char > 0x7e || char === quote || char === backslash) return false
    bytes[at++] = char
  }
  bytes[at++] = quote
  line.size = at
  return true
}
