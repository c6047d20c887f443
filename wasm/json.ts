// The parts of JSON, in AssemblyScript: where each ends, found many bytes at a time, and what it says. Nothing is allocated.
// A control character must stand behind what is read, for it ends all of these; up to 64 bytes behind that are loaded, and ignored.

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
  hasEscape = isWide = false
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
    if (load<u8>(at) === 92) {
      at = hasEscape ? escapeEnd(at) : escapesEnd(at)
      hasEscape = true
      if (at === -1) return -1
      if (load<u8>(at) !== 34) continue
    }
    if (high !== 0) isWide = true
    return load<u8>(at) === 34 ? at : -1
  }
  return -1
}

/** Behind the escape that begins here, or -1. */
function escapeEnd(at: i32): i32 {
  const escape = <i32>load<u8>(at, 1)
  if (escape === 117) {
    const isNumber = isHex(load<u8>(at, 2)) && isHex(load<u8>(at, 3)) && isHex(load<u8>(at, 4)) && isHex(load<u8>(at, 5))
    return isNumber ? at + 6 : -1
  }
  const isLetter = escape === 110 || escape === 116 || escape === 114 || escape === 98 || escape === 102
  return isLetter || escape === 34 || escape === 92 || escape === 47 ? at + 2 : -1
}

/**
 * From the first backslash of a text on, 64 bytes at a time and all escapes in them at once: a text that has one has many. The closing
 * quote, or -1, or where the text must be read in smaller steps: there is an escape by number, or none that JSON has.
 */
function escapesEnd(start: i32): i32 {
  const quote = i8x16.splat(34)
  const backslash = i8x16.splat(92)
  const space = i8x16.splat(32)
  const odd: u64 = 0xaaaaaaaaaaaaaaaa
  let at = start
  let carried: u64 = 0 // 1: the first byte is escaped by the one before it
  while (true) {
    const a = v128.load(at)
    const b = v128.load(at, 16)
    const c = v128.load(at, 32)
    const d = v128.load(at, 48)
    const slashes = bits(i8x16.eq(a, backslash), i8x16.eq(b, backslash), i8x16.eq(c, backslash), i8x16.eq(d, backslash))
    const quotes = bits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote))
    const controls = bits(i8x16.lt_u(a, space), i8x16.lt_u(b, space), i8x16.lt_u(c, space), i8x16.lt_u(d, space))
    // In a row of backslashes every second one is escaped, and so is what follows a row of an odd number: a subtraction carries that through.
    const open = slashes & ~carried
    const ends = (((open << 1) | odd) - open) ^ odd
    const escaped = ends ^ (slashes | carried)
    const stops = (quotes & ~escaped) | controls
    const before = stops === 0 ? u64.MAX_VALUE : (stops & (0 - stops)) - 1
    if ((escaped & before & ~bits(mayFollow(a), mayFollow(b), mayFollow(c), mayFollow(d))) !== 0) return at - <i32>carried
    if ((bits(a, b, c, d) & before) !== 0) isWide = true
    if (stops !== 0) {
      at += <i32>ctz(stops)
      return load<u8>(at) === 34 ? at : -1
    }
    carried = (ends & slashes) >> 63
    at += 64
  }
  return -1
}

/** The highest bit of each byte. */
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u64>i8x16.bitmask(a) | ((<u64>i8x16.bitmask(b)) << 16)
  return low | ((<u64>i8x16.bitmask(c)) << 32) | ((<u64>i8x16.bitmask(d)) << 48)
}

/** All ones where a byte is one of "/\\bfnrt. Each is known by its upper half, which has a bit of its own, and the lower halves that go with it. */
function mayFollow(bytes: v128): v128 {
  const upper = i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0)
  const lower = i8x16(0, 0, 13, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1)
  const halves = v128.and(i8x16.swizzle(upper, i8x16.shr_u(bytes, 4)), i8x16.swizzle(lower, v128.and(bytes, i8x16.splat(15))))
  return i8x16.ne(halves, i8x16.splat(0))
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
