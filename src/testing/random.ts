// A small source of chance: the same seed gives the same choices in every engine and every version.

export type Random = ReturnType<typeof createRandom>

export function createRandom(seed: number) {
  let state = (seed ^ 0x9e3779b9) >>> 0

  /** From 0 up to, but not including, 1 (mulberry32). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  /** A whole number, both ends included. */
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  const hex = (digits: number): string => Array.from({ length: digits }, () => int(0, 15).toString(16)).join('')

  next() // neighbouring seeds part after the first step
  return {
    next,
    int,
    hex,
    chance: (odds: number): boolean => next() < odds,
    pick: <const T>(items: readonly T[]): T => items[int(0, items.length - 1)]!,
    /** Between `from` and `to` of what `make` makes. */
    some: <T>(from: number, to: number, make: (index: number) => T): T[] =>
      Array.from({ length: int(from, to) }, (_, index) => make(index)),
    shuffled<T>(items: readonly T[]): T[] {
      const mixed = [...items]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = int(0, last)
        ;[mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!]
      }
      return mixed
    },
    uuid: (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  }
}

/** One sequence out of several, each in its own order. */
export function interleaved<T>(lanes: readonly (readonly T[])[], random: Random): T[] {
  const open = lanes.filter((lane) => lane.length > 0).map((lane) => ({ lane, at: 0 }))
  const mixed: T[] = []
  while (open.length > 0) {
    const index = random.int(0, open.length - 1)
    const next = open[index]!
    mixed.push(next.lane[next.at++]!)
    if (next.at === next.lane.length) open.splice(index, 1)
  }
  return mixed
}
