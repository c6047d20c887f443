// Server-sent events: the fields of an event stand one a line, and a record is the value of `data`. The other fields (event, id,
// retry) and comments are framing, as brackets are in an array.

const colon = 0x3a
const space = 0x20
const encoder = new TextEncoder()
const data = encoder.encode('data:')
const others = ['event:', 'id:', 'retry:'].map((field) => encoder.encode(field))

const startsWith = (bytes: Uint8Array, start: number, end: number, letters: Uint8Array): boolean =>
  end - start >= letters.length && letters.every((letter, index) => bytes[start + index] === letter)

/** Where the value of a `data` field begins; -1 when the line is none. */
export function dataOf(bytes: Uint8Array, start: number, end: number): number {
  if (!startsWith(bytes, start, end, data)) return -1
  const value = start + data.length
  return value < end && bytes[value] === space ? value + 1 : value
}

/** Any other line that an event may have. */
export const isField = (bytes: Uint8Array, start: number, end: number): boolean =>
  bytes[start] === colon || others.some((field) => startsWith(bytes, start, end, field))
