// Finds where a JSON value ends without parsing it: strings skipped, brackets counted. It proves nothing else; the parser does.

const newline = 0x0a
const quote = 0x22
const backslash = 0x5c

/** Where a scan stands, and at which byte; it can stop at the end of a line or chunk and go on in the next. */
export type Scan = { depth: number; inString: boolean; escaped: boolean; at: number }

export const newScan = (): Scan => ({ depth: 0, inString: false, escaped: false, at: 0 })

export const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  while (start < end && isSpace(bytes[start])) start++
  return start
}

/** Goes on until the depth is back at 0 and returns the position after that byte, or -1 when the bytes end before. `inLine`: or the line. */
export function scanToClose(bytes: Uint8Array, start: number, end: number, scan: Scan, inLine = false): number {
  let { depth, inString, escaped } = scan
  let at = start
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === newline && inLine) {
      at++
      break
    }
    if (inString) {
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) {
      depth--
      if (depth <= 0) {
        at++
        break
      }
    }
  }
  const closed = depth <= 0 && !inString && at > start
  scan.depth = depth
  scan.inString = inString
  scan.escaped = escaped
  scan.at = at
  return closed ? at : -1
}

/** False when a line cannot be JSON, by its first characters: a parser that fails is dear, and a program may print a million such lines. */
export function mayBeJson(bytes: Uint8Array, start: number, end: number): boolean {
  let at = skipSpace(bytes, start, end)
  while (at < end && bytes[at] === 0x5b) {
    at = skipSpace(bytes, at + 1, end) // [
    if (at === end || bytes[at] === 0x5d) return true
  }
  if (at === end) return false
  const next = at + 1 < end ? bytes[at + 1] : undefined
  switch (bytes[at]) {
    case 0x7b: // {
    case quote:
      return true
    case 0x74: // true
      return next === 0x72
    case 0x66: // false
      return next === 0x61
    case 0x6e: // null
      return next === 0x75
    default:
      return isNumber(bytes, at, end)
  }
}

/** Characters of a number, and then nothing or what may follow it in a list. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (at < end && inNumber(bytes[at]!)) at++
  if (at === start) return false
  at = skipSpace(bytes, at, end)
  return at === end || bytes[at] === 0x2c || bytes[at] === 0x5d
}

/** Digits, `-`, `+`, `.`, `e`. */
const inNumber = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65
