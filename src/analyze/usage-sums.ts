// Arithmetic on tokens and money that are counted. Differences may be negative: what was added is taken out by the same functions.
import type { Tokens } from '../prices/price.ts'

export const buckets = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const
export type Bucket = (typeof buckets)[number]

/** Tokens by bucket, then billionths of a dollar, then the tokens that have no price. */
export type Sums = Record<Bucket | 'reported' | 'priced' | 'unpriced', number>

export const zero = (): Sums => ({ input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, reported: 0, priced: 0, unpriced: 0 })

/** The signs are two branches: `-1 * 0` is no integer, and one such number makes all sums slow ones. */
export function add(into: Sums, sums: Sums, sign: 1 | -1): void {
  if (sign === 1) {
    into.input += sums.input
    into.output += sums.output
    into.reasoning += sums.reasoning
    into.cacheRead += sums.cacheRead
    into.cacheWrite += sums.cacheWrite
    into.reported += sums.reported
    into.priced += sums.priced
    into.unpriced += sums.unpriced
  } else {
    into.input -= sums.input
    into.output -= sums.output
    into.reasoning -= sums.reasoning
    into.cacheRead -= sums.cacheRead
    into.cacheWrite -= sums.cacheWrite
    into.reported -= sums.reported
    into.priced -= sums.priced
    into.unpriced -= sums.unpriced
  }
}

export const tokensIn = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 }: Tokens): number =>
  input + output + reasoning + cacheRead + cacheWrite

export const plus = (a: Tokens | undefined, b: Tokens, sign: 1 | -1): Tokens => ({
  input: (a?.input ?? 0) + sign * (b.input ?? 0),
  output: (a?.output ?? 0) + sign * (b.output ?? 0),
  reasoning: (a?.reasoning ?? 0) + sign * (b.reasoning ?? 0),
  cacheRead: (a?.cacheRead ?? 0) + sign * (b.cacheRead ?? 0),
  cacheWrite: (a?.cacheWrite ?? 0) + sign * (b.cacheWrite ?? 0),
})

/** What `wide` has more than `narrow`. Some reports count thinking as output: the two are compared as one. */
export function beyond(wide: Tokens, narrow: Tokens): Tokens {
  const more: Tokens = {}
  for (const bucket of buckets) more[bucket] = Math.max(0, (wide[bucket] ?? 0) - (narrow[bucket] ?? 0))
  const said = (tokens: Tokens): number => (tokens.output ?? 0) + (tokens.reasoning ?? 0)
  const all = Math.max(0, said(wide) - said(narrow))
  more.reasoning = Math.min(more.reasoning!, all)
  more.output = all - more.reasoning
  return more
}

/** Stands for subagents of which only the sum is told. */
export const severalAgents = 'subagents'
