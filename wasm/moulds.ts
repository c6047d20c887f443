// Lines against moulds, in AssemblyScript; `src/base/moulds.ts` is the other half and tells what this is for.
// A mould is a line with holes where its texts, numbers and arrays of such stand. A line that fits is proven JSON: what is between the
// holes is the mould's own text, which JSON.parse has read once, and what is in them is checked here, byte by byte, but for UTF-8,
// which the caller vouches for. All memory is laid out by hand below; nothing is ever allocated.
import { isBreak, lastCap, lasts, literals, mostHoles, mouldSize, moulds, segments } from './layout'
import { copyText, decimal, hasEscape, isDigit, isWide, numberEnd, same, textEnd, unescapeTo, wordEnd } from './json'

export { mayHold } from './needles'

// ── the layout, known to src/base/moulds.ts too ──────────────────────────────────────────────────────────────────────────

const found: i32 = 0x1000 // how many holes changed, how long their gathered text is, where the line ends; then an entry a hole
const entries: i32 = found + 16 // value (8 bytes: two places or a float), hole, how
const gather: i32 = 0x4000 // short texts, one behind the other
const order: i32 = 0xd000 // the moulds in the order in which they are tried: those that fit often come first
const seen: i32 = 0xe000 // forms that were met once: 512 hashes
// 0xf000: the tables of needles.ts
const scratch: i32 = 0x100000 // a long text without its escapes
const known: i32 = 0x1c0000 // texts that were told lately

const mostMoulds: i32 = 64
const shortText: i32 = 256
const seenMask: i32 = 511
const knownMask: i32 = 127
const knownLeast: i32 = 13 // a shorter one is copied, and costs no more than looking it up
const knownMost: i32 = 64
const knownSize: i32 = 16 + knownMost // of a place: the text's size, then the text

// What a hole holds, and how its value reaches the other half.
const text: i32 = 0
const number: i32 = 1
const array: i32 = 2
const howGathered: i32 = 0
const howNumber: i32 = 1
const howNumberText: i32 = 2
const howJson: i32 = 3
const howText: i32 = 4 // + 1: it has escapes, + 2: it is not ASCII
const howKnown: i32 = 8
const howNumbers: i32 = 9 // JSON, too, in which there is a number
const howFresh: i32 = 16 // gathered, and known from now on; its place stands above the lowest five bits

let count: i32 = 0
let previous: i32 = 0

export function reset(): void {
  count = 0
  previous = 0
  memory.fill(seen, 0, (seenMask + 1) * 4)
  for (let place: i32 = 0; place <= knownMask; place++) store<i32>(known + place * knownSize, 0)
}

// ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

let hasNumber: bool = false // in the array that was read last

/** Behind the array of texts, numbers and words that begins here. -1: it is broken, or has spaces. -2: it holds other arrays or objects. */
function arrayEnd(start: i32): i32 {
  let at = start + 1
  hasNumber = false
  if (load<u8>(at) === 93) return at + 1
  while (true) {
    const byte = <i32>load<u8>(at)
    if (byte === 34) {
      at = textEnd(at + 1)
      if (at === -1) return -1
      at++
    } else if (byte === 123 || byte === 91) return -2
    else {
      if (byte <= 57) hasNumber = true
      at = byte > 57 ? wordEnd(at) : numberEnd(at)
      if (at === -1) return -1
    }
    const next = <i32>load<u8>(at++)
    if (next === 93) return at
    if (next !== 44) return -1
  }
  return -1
}

/** The line break at or behind `start`, or -1. */
export function breakAt(start: i32, end: i32): i32 {
  const newline = i8x16.splat(10)
  for (let at = start; at < end; at += 16) {
    const stops = i8x16.bitmask(i8x16.eq(v128.load(at), newline))
    if (stops !== 0) {
      const stop = at + ctz(stops)
      return stop < end ? stop : -1
    }
  }
  return -1
}

// ── matching ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The mould that fits, or -1. What changed since the last line in that mould stands in the table. `open`: the line ends somewhere before
 * `end`, with a line break.
 */
export function match(start: i32, end: i32, open: bool): i32 {
  if (count === 0) return -1
  const guess = load<i32>(moulds + previous * mouldSize, 12)
  isBroken = false
  if (fits(moulds + guess * mouldSize, start, end, open)) return (previous = guess)
  for (let place = order; place < order + count * 4 && !isBroken; place += 4) {
    const index = load<i32>(place)
    if (index === guess || !fits(moulds + index * mouldSize, start, end, open)) continue
    if (place > order) {
      store<i32>(place, load<i32>(place - 4))
      store<i32>(place - 4, index)
    }
    store<i32>(moulds + previous * mouldSize, index, 12)
    return (previous = index)
  }
  return -1
}

let isBroken: bool = false // a text of the line never ends: it fits no mould

function fits(mould: i32, start: i32, end: i32, open: bool): bool {
  const holes = load<i32>(mould)
  let at = start
  let entry = entries
  let segment = mould + segments
  let last = mould + lasts
  for (let hole: i32 = 0; hole < holes; hole++) {
    const size = load<i32>(segment, 4)
    if (!same(at, mould + load<i32>(segment), size)) return false
    at += size
    const kind = load<i32>(segment, 8)
    let stop: i32
    let how: i32
    if (kind === text) {
      stop = textEnd(at)
      isBroken = stop === -1
      how = howText + (hasEscape ? 1 : 0) + (isWide ? 2 : 0)
    } else if (kind === number) {
      stop = numberEnd(at)
      how = howNumberText
    } else {
      stop = load<u8>(at) === 91 ? arrayEnd(at) : -1
      how = hasNumber ? howNumbers : howJson
    }
    if (stop < 0 || stop >= end) return false
    const length = stop - at
    if (length > lastCap || load<i32>(last) !== length || !same(at, last + 4, length)) {
      store<i32>(entry, at)
      store<i32>(entry, stop, 4)
      store<i32>(entry, hole, 8)
      store<i32>(entry, how, 12)
      entry += 16
    }
    at = stop
    segment += 12
    last += 4 + lastCap
  }
  const size = load<i32>(segment, 4)
  if (!same(at, mould + load<i32>(segment), size)) return false
  at += size
  if (open ? !isBreak(at, end) || load<i32>(mould, 4) !== 0 : at !== end) return false
  store<i32>(found, at, 8)
  store<i32>(mould, load<i32>(mould, 8) + 1, 8)
  remember(mould, entry)
  collect(entry)
  return true
}

function remember(mould: i32, end: i32): void {
  for (let entry = entries; entry < end; entry += 16) {
    const from = load<i32>(entry)
    const size = load<i32>(entry, 4) - from
    const last = mould + lasts + load<i32>(entry, 8) * (4 + lastCap)
    store<i32>(last, size)
    if (size <= lastCap) copyText(from, from + size, last + 4)
  }
}

/**
 * Short texts are put together, so that one call makes one JavaScript string of them all; usual numbers are read. Ids come again in lines of
 * other moulds: they are told as the same string, which is then compared by its address and hashed once.
 */
function collect(end: i32): void {
  let to = gather
  for (let entry = entries; entry < end; entry += 16) {
    const from = load<i32>(entry)
    const stop = load<i32>(entry, 4)
    const how = load<i32>(entry, 12)
    if (how === howNumberText) {
      const value = decimal(from, stop)
      if (isNaN(value)) continue
      store<f64>(entry, value)
      store<i32>(entry, howNumber, 12)
    } else if ((how === howText || how === howText + 1) && stop - from <= shortText) {
      let told: i32 = howGathered
      if (how === howText && stop - from >= knownLeast && stop - from <= knownMost) {
        const place = placeOf(from, stop)
        const text = known + place * knownSize
        if (load<i32>(text) === stop - from && same(from, text + 4, stop - from)) {
          store<i32>(entry, place)
          store<i32>(entry, howKnown, 12)
          continue
        }
        store<i32>(text, stop - from)
        copyText(from, stop, text + 4)
        told = howFresh + (place << 5)
      }
      const size = how === howText ? copyText(from, stop, to) : unescapeTo(from, stop, to)
      if (size < 0) continue
      store<i32>(entry, to - gather)
      to += size
      store<i32>(entry, to - gather, 4)
      store<i32>(entry, told, 12)
    }
  }
  store<i32>(found, (end - entries) >> 4)
  store<i32>(found, to - gather, 4)
}

/** By both ends: a text of 13 bytes has them. */
function placeOf(start: i32, end: i32): i32 {
  const ends = (load<i64>(start) ^ (load<i64>(end - 8) * 31)) * 0x9e3779b97f4a7c15
  return <i32>(ends >>> 40) & knownMask
}

/** A text without its escapes, in `scratch`: its size, or -1 when it has an escape that JSON.stringify would not write, or by number. */
export function unescape(start: i32, end: i32): i32 {
  return unescapeTo(start, end, scratch)
}

/** The same of the two ends of a text, with a NUL in place of what was between them. */
export function skim(start: i32, headEnd: i32, tailStart: i32, end: i32): i32 {
  const head = unescapeTo(start, headEnd, scratch)
  if (head < 0) return -1
  const tail = unescapeTo(tailStart, end, scratch + head + 1)
  store<u8>(scratch + head, 0)
  return tail < 0 ? -1 : head + 1 + tail
}

// ── learning ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Makes a mould of a line that is one valid JSON object, unless none like it has come before: then -1. It is used from `keep` on.
 * The table holds the number of holes and keys, and the kind of each hole.
 */
export function learn(start: i32, end: i32): i32 {
  const mould = moulds + mostMoulds * mouldSize
  const room = mould + mouldSize - 64
  let out = mould + literals
  let segment = mould + segments
  let from = out
  let holes: i32 = 0
  let keys: i32 = 0
  let breaks: i32 = 0
  let depth: i32 = 0
  let inObject: i64 = 0 // a bit a level
  let atKey = false
  let isTelling = false
  let at = start
  while (at < end) {
    const byte = <i32>load<u8>(at)
    let kind: i32 = -1
    let stop: i32 = -1
    if (byte === 34) {
      stop = textEnd(at + 1)
      if (stop === -1) return -1
      if (atKey || isTelling) {
        if (hasEscape) return -1
        const size = stop + 1 - at
        if (out + size > room) return -1
        memory.copy(out, at, size)
        out += size
        if (atKey) {
          keys++
          isTelling = tells(at + 1, stop - at - 1)
        } else isTelling = false
        atKey = false
        at = stop + 1
        continue
      }
      store<u8>(out++, 34)
      kind = text
      at++
    } else if (byte === 45 || isDigit(byte)) {
      stop = numberEnd(at)
      if (stop === -1) return -1
      kind = number
    } else if (byte === 91) {
      stop = arrayEnd(at)
      if (stop === -1) return -1
      if (stop >= 0) kind = array
    }
    if (kind !== -1) {
      if (holes === mostHoles) return -1
      store<i32>(segment, from - mould)
      store<i32>(segment, out - from, 4)
      store<i32>(segment, kind, 8)
      segment += 12
      store<i32>(mould + lasts + holes * (4 + lastCap), -1)
      store<i32>(entries + holes * 16, kind)
      holes++
      from = out
      at = stop
      isTelling = false
      if (kind === text) {
        store<u8>(out++, 34)
        at++
      }
      if (out > room) return -1
      continue
    }
    if (byte === 123 || byte === 91) {
      if (++depth > 62) return -1
      if (byte === 123) inObject |= (<i64>1) << depth
      else inObject &= ~((<i64>1) << depth)
      atKey = byte === 123
      isTelling = false
    } else if (byte === 125 || byte === 93) {
      depth--
      atKey = false
    } else if (byte === 44) {
      atKey = (inObject & ((<i64>1) << depth)) !== 0
      isTelling = false
    } else if (byte === 10) breaks++
    store<u8>(out++, byte)
    if (out > room) return -1
    at++
  }
  store<i32>(segment, from - mould)
  store<i32>(segment, out - from, 4)
  store<i32>(mould, holes)
  store<i32>(mould, breaks, 4)
  store<i32>(mould, 1, 8)
  if (!wasSeen(formOf(mould, holes, out))) return -1
  store<i32>(found, holes)
  store<i32>(found, keys, 4)
  return 0
}

/** The mould just made is used from now on, at the place returned: a free one, or that of the mould which served least. */
export function keep(): i32 {
  const index = count < mostMoulds ? count : coldest()
  if (count < mostMoulds) store<i32>(order + count++ * 4, index)
  const mould = moulds + index * mouldSize
  memory.copy(mould, moulds + mostMoulds * mouldSize, mouldSize)
  store<i32>(mould, index, 12)
  return index
}

function coldest(): i32 {
  let coldest: i32 = 0
  let least: i32 = i32.MAX_VALUE
  for (let index: i32 = 0; index < count; index++) {
    const hits = load<i32>(moulds + index * mouldSize, 8)
    if (hits < least) {
      least = hits
      coldest = index
    }
    store<i32>(moulds + index * mouldSize, hits >> 1, 8)
  }
  return coldest
}

/** The few words that tell what kind of record this is. They belong to the form: a line of another kind fails at once. */
function tells(key: i32, size: i32): bool {
  if (size === 4) {
    const word = load<u32>(key)
    return word === 0x65707974 || word === 0x646e696b || word === 0x656c6f72 // type, kind, role
  }
  if (size === 5) return load<u32>(key) === 0x6e657665 && load<u8>(key, 4) === 0x74 // event
  return size === 7 && load<u32>(key) === 0x74627573 && (load<u32>(key, 4) & 0xffffff) === 0x657079 // subtype
}

function formOf(mould: i32, holes: i32, end: i32): i32 {
  let hash: i32 = 0x811c9dc5
  for (let hole: i32 = 0; hole < holes; hole++) hash = (hash ^ load<i32>(mould + segments + hole * 12, 8)) * 0x01000193
  for (let at = mould + literals; at < end; at++) hash = (hash ^ load<u8>(at)) * 0x01000193
  return hash === 0 ? 1 : hash
}

/** Whether a form was met before; from now on it was. Two forms may take one another's place: then it takes a line more. */
function wasSeen(form: i32): bool {
  const place = seen + ((form ^ (form >>> 16)) & seenMask) * 4
  if (load<i32>(place) === form) return true
  store<i32>(place, form)
  return false
}
