// Some values out of a line of JSON, in AssemblyScript; `src/cli/usage-pick.ts` is the other half and tells what this is for.
// The whole line is proven to be JSON. What is picked is told by its place, which costs nothing.
import { digitsEnd, hasEscape, numberEnd, same, textEnd, valueEnd, wordEnd } from './json'

// ── the layout, known to src/cli/usage-pick.ts too ────────────────────────────────────────────────────────────────────────────

/** What was picked, an entry a slot: value (8 bytes: two places or a float), nothing, kind. */
const entries: i32 = 0x1000
/** The last text of each slot, if it is short: size, then from the 16th byte on the text. */
const lasts: i32 = 0x2000
const lastSize: i32 = 256
const lastCap: i32 = lastSize - 16

// The keys of an object: how many; then from the 16th byte on, for each: size, slot, the keys inside; from its 16th byte on its name.
const keySize: i32 = 64

/** Two texts of two to eight bytes, each with a mask of as many; then where the line begins and ends that holds one of them. */
const marks: i32 = 0x1800
const line: i32 = 0x1820

// Kinds. Zero: it is not there.
const text: i32 = 1
const escaped: i32 = 2
const again: i32 = 3 // the same text as the last time
const number: i32 = 4
const numberText: i32 = 5
const word: i32 = 6
const object: i32 = 7

const deepest: i32 = 64

// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The next line between these places that holds a mark, with what is before `end` of it; a line begins at `start`, or ends there. */
export function find(start: i32, end: i32): bool {
  const place = markFrom(start, end)
  if (place === -1) return false
  store<i32>(line, lineStart(start, place))
  store<i32>(line, lineEnd(place, end), 4)
  return true
}

function markFrom(start: i32, end: i32): i32 {
  const oneA = i8x16.splat(load<u8>(marks))
  const oneB = i8x16.splat(load<u8>(marks, 1))
  const twoA = i8x16.splat(load<u8>(marks, 16))
  const twoB = i8x16.splat(load<u8>(marks, 17))
  for (let at = start; at < end; at += 16) {
    const here = v128.load(at)
    const next = v128.load(at, 1)
    const one = v128.and(i8x16.eq(here, oneA), i8x16.eq(next, oneB))
    const two = v128.and(i8x16.eq(here, twoA), i8x16.eq(next, twoB))
    for (let hits = i8x16.bitmask(v128.or(one, two)); hits !== 0; hits &= hits - 1) {
      const place = at + ctz(hits)
      if (isMark(place, end, marks) || isMark(place, end, marks + 16)) return place
    }
  }
  return -1
}

function isMark(place: i32, end: i32, mark: i32): bool {
  const mask = load<u64>(mark, 8)
  return (load<u64>(place) & mask) === load<u64>(mark) && place + 8 - (<i32>clz(mask) >> 3) <= end
}

/** Behind the last newline before `place`, or `start`. */
function lineStart(start: i32, place: i32): i32 {
  const newline = i8x16.splat(10)
  let at = place - 16
  for (; at >= start; at -= 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), newline))
    if (hits !== 0) return at + 32 - clz(hits)
  }
  for (let last = at + 15; last >= start; last--) if (load<u8>(last) === 10) return last + 1
  return start
}

/** At the first newline behind `place`, or `end`. */
function lineEnd(place: i32, end: i32): i32 {
  const newline = i8x16.splat(10)
  for (let at = place; at < end; at += 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), newline))
    if (hits !== 0) return min(at + ctz(hits), end)
  }
  return end
}

/** False: the line is not plain JSON. A control character stands at its end. */
export function pick(start: i32, end: i32, keys: i32, slots: i32): bool {
  memory.fill(entries, 0, slots * 16)
  if (load<u8>(start) === 123 && objectEnd(start + 1, keys) === end) return true
  for (let slot: i32 = 0; slot < slots; slot++) store<i32>(lasts + slot * lastSize, -1) // the other half did not see these texts
  return false
}

function objectEnd(start: i32, keys: i32): i32 {
  let at = start
  if (load<u8>(at) === 125) return at + 1
  while (true) {
    if (load<u8>(at) !== 34) return -1
    const name = at + 1
    const close = textEnd(name)
    if (close === -1 || hasEscape || load<u8>(close, 1) !== 58) return -1
    const key = keyOf(keys, name, close - name)
    at = key === 0 ? valueEnd(close + 2, deepest) : take(close + 2, key)
    if (at === -1) return -1
    const next = <i32>load<u8>(at++)
    if (next === 125) return at
    if (next !== 44) return -1
  }
  return -1
}

function keyOf(keys: i32, name: i32, size: i32): i32 {
  let key = keys + 16
  for (const end = key + load<i32>(keys) * keySize; key < end; key += keySize) {
    if (load<i32>(key) === size && same(name, key + 16, size)) return key
  }
  return 0
}

/** Takes the value that begins here; behind it, or -1. */
function take(at: i32, key: i32): i32 {
  const slot = load<i32>(key, 4)
  const entry = entries + slot * 16
  if (load<i32>(entry, 12) !== 0) return -1 // a key that stands twice
  const byte = <i32>load<u8>(at)
  if (byte === 34) return takeText(at + 1, slot, entry)
  if (byte === 123) {
    store<i32>(entry, object, 12)
    const inside = load<i32>(key, 8)
    return inside === 0 ? valueEnd(at, deepest) : objectEnd(at + 1, inside)
  }
  if (byte > 57) {
    store<i32>(entry, byte)
    store<i32>(entry, word, 12)
    return wordEnd(at) // -1 for an array
  }
  return takeNumber(at, entry)
}

function takeText(start: i32, slot: i32, entry: i32): i32 {
  const close = textEnd(start)
  if (close === -1) return -1
  const size = close - start
  const last = lasts + slot * lastSize
  if (load<i32>(last) === size && same(start, last + 16, size)) store<i32>(entry, again, 12)
  else {
    store<i32>(entry, start)
    store<i32>(entry, close, 4)
    store<i32>(entry, hasEscape ? escaped : text, 12)
    store<i32>(last, size <= lastCap ? size : -1)
    if (size <= lastCap) memory.copy(last + 16, start, size)
  }
  return close + 1
}

function takeNumber(start: i32, entry: i32): i32 {
  const end = numberEnd(start)
  if (end === -1) return -1
  if (end - start <= 15 && digitsEnd(start) === end) {
    let value: i64 = 0
    for (let at = start; at < end; at++) value = value * 10 + load<u8>(at) - 48
    store<f64>(entry, <f64>value)
    store<i32>(entry, number, 12)
  } else {
    store<i32>(entry, start)
    store<i32>(entry, end, 4)
    store<i32>(entry, numberText, 12)
  }
  return end
}
