// A JSON array of records: where it starts, what may stand between its elements, and where each of them ends.
// A record that begins a line inside another one, or where a comma must stand, shows that there is no array: it is read as lines again.
import { newline, openBrace } from './contract.ts'
import { newScan, type Scan, scanToClose, skipSpace } from './scan.ts'

const openBracket = 0x5b
export const closeBracket = 0x5d
export const comma = 0x2c

/**
 * `next`: what must come; `any` also after a fault that was told. `head`: the first byte of the element at hand, `lines`: the line breaks in it.
 * `atLine`: a line begins with the next byte.
 */
export type OpenArray = {
  scan: Scan
  inElement: boolean
  head: number
  next: 'comma' | 'record' | 'any'
  lines: number
  atLine: boolean
}

export const newArray = (): OpenArray => ({ scan: newScan(), inElement: false, head: 0, next: 'any', lines: 0, atLine: false })

/** Whether lines of records follow in place of the rest of an array. */
export const isLeft = ({ next, atLine }: OpenArray, byte: number): boolean => byte === openBrace && next === 'comma' && atLine

/** Whether an array of records starts here: `[` and then, within `most` bytes, `{` or `]`. Undefined: more bytes are needed. */
export function startsArray(bytes: Uint8Array, start: number, end: number, most: number): boolean | undefined {
  if (bytes[start] !== openBracket) return false
  const next = skipSpace(bytes, start + 1, Math.min(end, start + most))
  if (next >= start + most) return false
  return next === end ? undefined : bytes[next] === openBrace || bytes[next] === closeBracket
}

/** Takes a byte that stands between elements or begins one, and is no space. Returns what is wrong with it. */
export function takeBetween(array: OpenArray, byte: number): string | undefined {
  const { next } = array
  if (byte === closeBracket) return next === 'record' ? 'a comma with no record after it' : undefined
  if (byte === comma) {
    array.next = next === 'comma' ? 'record' : 'any'
    return next === 'record' ? 'two commas with no record between them' : undefined
  }
  array.next = 'comma'
  array.inElement = true
  array.head = byte
  array.lines = 0
  array.atLine = false
  array.scan = newScan()
  return next === 'comma' && byte === openBrace ? 'no comma between two records' : undefined // all else is told for itself
}

/** Objects and arrays end where they close, other values before the next comma, bracket or line. -1: not in these bytes. `broken`: never. */
export function endOfElement(array: OpenArray, bytes: Uint8Array, start: number, end: number): number {
  const { scan, head } = array
  if (head !== openBrace && head !== openBracket) {
    for (let at = start; at < end; at++) if (bytes[at] === comma || bytes[at] === closeBracket || bytes[at] === newline) return at
    return -1
  }
  for (let at = start; at < end; at = scan.at) {
    if (array.atLine && bytes[at] === openBrace) {
      scan.at = at
      return broken
    }
    const close = scanToClose(bytes, at, end, scan, true)
    if (close !== -1) return close
    array.atLine = bytes[scan.at - 1] === newline
    if (array.atLine) array.lines++
    if (array.atLine && scan.inString) return broken
  }
  return -1
}

/** The element is none; at `scan.at` a line begins that does not belong to it. */
export const broken = -2
