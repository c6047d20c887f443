// A JSON array of records: where it starts, what may stand between its elements, and where each of them ends.
import { openBrace } from './contract.ts'
import { newScan, type Scan, scanToClose, skipSpace } from './scan.ts'

const openBracket = 0x5b
export const closeBracket = 0x5d
export const comma = 0x2c

/** `next`: what must come; `any` also after a fault that was told. `head`: the first byte of the element at hand. */
export type OpenArray = { scan: Scan; inElement: boolean; head: number; next: 'comma' | 'record' | 'any' }

export const newArray = (): OpenArray => ({ scan: newScan(), inElement: false, head: 0, next: 'any' })

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
  array.scan = newScan()
  return next === 'comma' && byte === openBrace ? 'no comma between two records' : undefined // all else is told for itself
}

/** Objects and arrays end where they close, other values before the next comma or bracket. -1: not in these bytes. */
export function endOfElement({ scan, head }: OpenArray, bytes: Uint8Array, start: number, end: number): number {
  if (head === openBrace || head === openBracket) return scanToClose(bytes, start, end, scan)
  for (let at = start; at < end; at++) if (bytes[at] === comma || bytes[at] === closeBracket) return at
  return -1
}
