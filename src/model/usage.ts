// Arithmetic on token buckets. A bucket that no side reports stays absent.
import type { Usage } from './event.ts'

export const addUsage = (a: Usage | undefined, b: Usage | undefined): Usage => combine(a, b, 1)
/** What came since `before`; never below zero, since a source may restart its counters. */
export const usageSince = (now: Usage, before: Usage | undefined): Usage => combine(now, before, -1)

/** Key by key and not in a loop: it is done for every message, and keys that are known are set far faster. */
function combine(a: Usage = {}, b: Usage = {}, sign: 1 | -1): Usage {
  const sum: Usage = {}
  const input = bucket(a.input, b.input, sign)
  const output = bucket(a.output, b.output, sign)
  const reasoning = bucket(a.reasoning, b.reasoning, sign)
  const cacheRead = bucket(a.cacheRead, b.cacheRead, sign)
  const cacheWrite = bucket(a.cacheWrite, b.cacheWrite, sign)
  if (input !== undefined) sum.input = input
  if (output !== undefined) sum.output = output
  if (reasoning !== undefined) sum.reasoning = reasoning
  if (cacheRead !== undefined) sum.cacheRead = cacheRead
  if (cacheWrite !== undefined) sum.cacheWrite = cacheWrite
  return sum
}

const bucket = (a: number | undefined, b: number | undefined, sign: 1 | -1): number | undefined =>
  a === undefined && b === undefined ? undefined : Math.max(0, (a ?? 0) + sign * (b ?? 0))

/** Tokens that fill the model's context window. */
export const contextTokens = (usage: Usage): number => (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)
export const outputTokens = (usage: Usage): number => (usage.output ?? 0) + (usage.reasoning ?? 0)
export const totalTokens = (usage: Usage): number => contextTokens(usage) + outputTokens(usage)

/** What a turn used: as its end tells it, or, where that counts nothing since the turn was broken off, as its messages told. */
export const usageOfTurn = (told: Usage | undefined, messages: Usage | undefined): Usage | undefined =>
  told === undefined || (messages !== undefined && totalTokens(told) === 0) ? messages : told

type Count = number | undefined

/** Of a source that counts cached tokens within the input and reasoning within the output. */
export const usageOfWholes = (input: Count, output: Count, reasoning: Count, cacheRead: Count, cacheWrite: Count): Usage => ({
  input: without(input, (cacheRead ?? 0) + (cacheWrite ?? 0)),
  output: without(output, reasoning ?? 0),
  reasoning,
  cacheRead,
  cacheWrite,
})

/** A part larger than the whole was counted apart from it. */
const without = (whole: Count, part: number): Count => (whole === undefined || part > whole ? whole : whole - part)
