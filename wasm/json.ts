// The parts of JSON, in AssemblyScript: where each ends, found sixteen bytes at a time, and what it says. Nothing is allocated.
// A control character must stand behind what is read, for it ends all of these; up to 16 bytes behind that are loaded, and ignored.

/** Whether the text that was read last has a backslash; whether it has more than ASCII. */
export let hasEscape: bool = false
export let isWide: bool = false

export function isDigit(byte: i32): bool {
  return <u32>(byte - 48) < 10
}

function isHex(byte: i32): bool {
  return isDigit(byte) || <u32>((byte | 32) - 97) < 6
}

/** The closing quote of the text whose first letter is here, or -1. */
export function textEnd(start: i32): i32 {
  const quote = i8x16.splat(34)
  const backslash = i8x16.splat(92)
  const space = i8x16.splat(32)
  let at = start
  let high: i32 = 0
  hasEscape = false
  while (true) {
    const bytes = v128.load(at)
    const highs = i8x16.bitmask(bytes)
    const stops = i8x16.bitmask(v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)), i8x16.lt_u(bytes, space)))
    if (stops === 0) {
      high |= highs
      at += 16
      continue
    }
    const stop = ctz(stops)
    high |= highs & ((1 << stop) - 1)
    at += stop
    const byte = <i32>load<u8>(at)
    if (byte === 34) {
      isWide = high !== 0
      return at
    }
    if (byte !== 92) return -1
    hasEscape = true
    const escape = <i32>load<u8>(at, 1)
    if (escape === 117) {
      if (!isHex(load<u8>(at, 2)) || !isHex(load<u8>(at, 3)) || !isHex(load<u8>(at, 4)) || !isHex(load<u8>(at, 5))) return -1
      at += 6
    } else if (
      escape === 110 ||
      escape === 34 ||
      escape === 92 ||
      escape === 116 ||
      escape === 47 ||
      escape === 114 ||
      escape === 98 ||
      escape === 102
    ) {
      at += 2
    } else return -1
  }
  return -1
}

/** Behind the number that begins here, or -1. */
export function numberEnd(start: i32): i32 {
  let at = start
  if (load<u8>(at) === 45) at++
  if (load<u8>(at) === 48) at++
  else {
    const first = at
    at = digitsEnd(at)
    if (at === first) return -1
  }
  if (load<u8>(at) === 46) {
    const first = at + 1
    at = digitsEnd(first)
    if (at === first) return -1
  }
  if ((load<u8>(at) | 32) === 101) {
    at++
    if (load<u8>(at) === 43 || load<u8>(at) === 45) at++
    const first = at
    at = digitsEnd(first)
    if (at === first) return -1
  }
  return at
}

export function digitsEnd(start: i32): i32 {
  let at = start
  while (isDigit(load<u8>(at))) at++
  return at
}

/** Behind the word true, false or null that begins here, or -1. */
export function wordEnd(at: i32): i32 {
  if (load<u32>(at) === 0x6c6c756e || load<u32>(at) === 0x65757274) return at + 4
  return load<u8>(at) === 102 && load<u32>(at, 1) === 0x65736c61 ? at + 5 : -1
}

/** Behind the value that begins here, or -1: it is broken, has blanks between its parts, or is nested deeper than `depth`. */
export function valueEnd(at: i32, depth: i32): i32 {
  const byte = <i32>load<u8>(at)
  if (byte === 34) {
    const close = textEnd(at + 1)
    return close === -1 ? -1 : close + 1
  }
  if (byte === 123 || byte === 91) return depth === 0 ? -1 : groupEnd(at + 1, byte === 123, depth - 1)
  return byte > 57 ? wordEnd(at) : numberEnd(at)
}

/** Behind the members of an object or an array. */
function groupEnd(start: i32, isObject: bool, depth: i32): i32 {
  const close = isObject ? 125 : 93
  let at = start
  if (<i32>load<u8>(at) === close) return at + 1
  while (true) {
    if (isObject) {
      if (load<u8>(at) !== 34) return -1
      at = textEnd(at + 1)
      if (at === -1 || load<u8>(at, 1) !== 58) return -1
      at += 2
    }
    at = valueEnd(at, depth)
    if (at === -1) return -1
    const next = <i32>load<u8>(at++)
    if (next === close) return at
    if (next !== 44) return -1
  }
  return -1
}

export function same(one: i32, other: i32, size: i32): bool {
  let at: i32 = 0
  while (at + 16 <= size) {
    if (i8x16.bitmask(i8x16.eq(v128.load(one + at), v128.load(other + at))) !== 0xffff) return false
    at += 16
  }
  const rest = (1 << (size - at)) - 1
  return (i8x16.bitmask(i8x16.eq(v128.load(one + at), v128.load(other + at))) & rest) === rest
}

// ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** NaN for a number that has an exponent or is too long. A whole number of 15 digits and ten to the 15th are exact, so their quotient is right. */
export function decimal(start: i32, end: i32): f64 {
  const from = start + (load<u8>(start) === 45 ? 1 : 0)
  if (end - from > 16) return NaN
  let value: i64 = 0
  let digits: i32 = 0
  let scale: f64 = 1
  let inFraction = false
  for (let at = from; at < end; at++) {
    const byte = <i32>load<u8>(at)
    if (byte === 46) inFraction = true
    else if (!isDigit(byte)) return NaN
    else {
      value = value * 10 + byte - 48
      digits++
      if (inFraction) scale *= 10
    }
  }
  if (digits > 15) return NaN
  const size = <f64>value / scale
  return from === start ? size : -size
}

/** In steps of 16 bytes: up to 15 more are written. */
export function copyText(from: i32, end: i32, to: i32): i32 {
  const size = end - from
  for (let at: i32 = 0; at < size; at += 16) v128.store(to + at, v128.load(from + at))
  return size
}

/** A text without its escapes: its size, or -1 when it has an escape that JSON.stringify would not write, or by number. In steps of 16 bytes, too. */
export function unescapeTo(start: i32, end: i32, to: i32): i32 {
  const backslash = i8x16.splat(92)
  let at = start
  let out = to
  while (at < end) {
    const bytes = v128.load(at)
    const stops = i8x16.bitmask(i8x16.eq(bytes, backslash))
    v128.store(out, bytes)
    if (stops === 0) {
      at += 16
      out += 16
      continue
    }
    const stop = ctz(stops)
    at += stop
    out += stop
    if (at >= end) break
    const escape = <i32>load<u8>(at, 1)
    at += 2
    if (escape === 117 || escape === 47) return -1
    let byte = escape // a quote or a backslash stands for itself
    if (escape === 110) byte = 10
    else if (escape === 116) byte = 9
    else if (escape === 114) byte = 13
    else if (escape === 98) byte = 8
    else if (escape === 102) byte = 12
    store<u8>(out++, byte)
  }
  return out - (at - end) - to
}
