// Where moulds lie in memory, for those who make them and for those who read on in one.

export const moulds: i32 = 0x200000
export const mostHoles: i32 = 64

// A mould: holes, whether it goes over several lines, hits, the mould that came next the last time; a segment a hole and one for the tail
// (place, size, kind of the hole behind it); the last value of each hole, if it is short; the text of the segments.
export const mouldSize: i32 = 0x4000
export const segments: i32 = 16
export const lasts: i32 = segments + (mostHoles + 1) * 12
export const lastCap: i32 = 64
export const literals: i32 = (lasts + mostHoles * (4 + lastCap) + 15) & ~15

/** Before `end`, either line break. */
export function isBreak(at: i32, end: i32): bool {
  const byte = <i32>load<u8>(at)
  return (byte === 10 && at < end) || (byte === 13 && load<u8>(at, 1) === 10 && at + 1 < end)
}
