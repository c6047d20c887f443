// Whether one of a few short words may stand in a text, 16 bytes at a time. What is behind the text is looked at too, which at worst makes
// a yes too many.

/** Four letters a word, eight words at the most: each has a bit, which stands in the tables of the lower and the upper halves of its letters. */
const needles: i32 = 0xf000

export function mayHold(start: i32, end: i32): bool {
  const low0 = v128.load(needles)
  const high0 = v128.load(needles, 16)
  const low1 = v128.load(needles, 32)
  const high1 = v128.load(needles, 48)
  const low2 = v128.load(needles, 64)
  const high2 = v128.load(needles, 80)
  const low3 = v128.load(needles, 96)
  const high3 = v128.load(needles, 112)
  for (let at = start; at < end; at += 16) {
    const one = v128.and(words(v128.load(at), low0, high0), words(v128.load(at, 1), low1, high1))
    const other = v128.and(words(v128.load(at, 2), low2, high2), words(v128.load(at, 3), low3, high3))
    if (v128.any_true(v128.and(one, other))) return true
  }
  return false
}

/** The bits of the words that have this letter, for 16 letters. */
function words(letters: v128, low: v128, high: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(letters, i8x16.splat(15))), i8x16.swizzle(high, i8x16.shr_u(letters, 4)))
}
