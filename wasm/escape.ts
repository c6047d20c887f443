// The text of a JSON string from UTF-8, in AssemblyScript; `src/cli/json-out.ts` is the other half. Sixteen bytes a step: those that
// must be escaped are few. All memory is laid out by the other half; nothing is ever allocated.

const quote: i32 = 0x22
const backslash: i32 = 0x5c
/** Per control character the letter behind its backslash; `u`: none, it is written as \u00xx. */
const letters = memory.data<u8>([
  117, 117, 117, 117, 117, 117, 117, 117, 98, 116, 110, 117, 102, 114, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117,
  117, 117, 117, 117,
])

/**
 * Writes what stands from `from` to `end` at `to`, escaped as JSON.stringify does it, and says where it ends. Up to sixteen bytes behind
 * that are overwritten. -1: a U+FFFD is in it, which may stand for half a surrogate pair, and that must be told as an escape.
 */
export function escape(from: i32, end: i32, to: i32): i32 {
  while (from < end) {
    const bytes = v128.load(from)
    v128.store(to, bytes)
    const special = v128.or(
      v128.or(i8x16.lt_u(bytes, i8x16.splat(0x20)), i8x16.eq(bytes, i8x16.splat(<i8>0xef))),
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>quote)), i8x16.eq(bytes, i8x16.splat(<i8>backslash))),
    )
    const plain = ctz(i8x16.bitmask(special) | 0x10000)
    if (from + plain >= end) return to + end - from
    from += plain
    to += plain
    if (plain === 16) continue
    const byte: i32 = load<u8>(from++)
    if (byte === 0xef) {
      if (load<u16>(from) === 0xbdbf) return -1
      to++ // it is there already
    } else if (byte >= 0x20) {
      store<u16>(to, backslash | (byte << 8))
      to += 2
    } else {
      const letter: i32 = load<u8>(letters + byte)
      store<u16>(to, backslash | (letter << 8))
      to += 2
      if (letter !== 117) continue
      const low = byte & 15
      store<u32>(to, 0x3030 | ((48 + (byte >> 4)) << 16) | ((low + (low < 10 ? 48 : 87)) << 24))
      to += 4
    }
  }
  return to
}

/** Sixteen bytes a step: up to fifteen behind the copy are overwritten. */
export function copy(from: i32, end: i32, to: i32): void {
  for (; from < end; from += 16, to += 16) v128.store(to, v128.load(from))
}
