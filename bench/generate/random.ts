/**
 * A small seeded generator (sfc32), so that the same seed gives the same bytes on every machine. Not for secrets.
 */
export interface Random {
  /** An integer, both ends included. */
  int(low: number, high: number): number
  /** A log-uniform integer: small values are as likely per decade as large ones, as tool outputs are. */
  spread(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** Lower-case hex digits. */
  hex(digits: number): string
  base62(digits: number): string
  uuid(): string
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function createRandom(seed: number): Random {
  let a = 0x9e3779b9 | 0
  let b = 0x243f6a88 | 0
  let c = seed | 0
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let warm = 0; warm < 12; warm++) next()

  const int = (low: number, high: number): number => low + (next() % (high - low + 1))
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits) text += next().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }
  return {
    int,
    spread: (low, high) => Math.round(low * Math.exp((next() / 0x1_0000_0000) * Math.log(high / low))),
    chance: (probability) => next() < probability * 0x1_0000_0000,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError('pick from an empty list')
      return from[next() % from.length] as T // the index is in range
    },
    hex,
    base62(digits) {
      let text = ''
      for (let i = 0; i < digits; i++) text += ALPHABET.charAt(next() % 62)
      return text
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  }
}
