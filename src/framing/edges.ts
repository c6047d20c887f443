// The edges of a chunk: characters that are cut there, and the byte order mark.

/** A chunk may begin or end inside a character; what lies between is whole. */
export function firstWhole(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at++
  return at
}
export function lastWhole(bytes: Uint8Array): number {
  let at = bytes.length
  while (at > bytes.length - 4 && isContinuation(bytes[at - 1])) at--
  return at > 0 && bytes[at - 1]! >= 0xc0 ? at - 1 : at
}
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

export const couldBeMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && (bytes.length < 2 || bytes[1] === 0xbb)
