// Arithmetic on token buckets. A bucket that no side reports stays absent.
import type { Usage } from './event.ts'

const buckets = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const

export const addUsage = (a: Usage | undefined, b: Usage | undefined): Usage => combine(a, b, 1)
/** What came since `before`; never below zero, since a source may restart its counters. */
export const usageSince = (now: Usage, before: Usage | undefined): Usage => combine(now, before, -1)

function combine(a: Usage | undefined, b: Usage | undefined, sign: 1 | -1): Usage {
  const sum: Usage = {}
  for (const bucket of buckets) {
    if (a?.[bucket] === undefined && b?.[bucket] === undefined) continue
    sum[bucket] = Math.max(0, (a?.[bucket] ?? 0) + sign * (b?.[bucket] ?? 0))
  }
  return sum
}

/** Tokens that fill the model's context window. */
export const contextTokens = (usage: Usage): number => (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)
export const outputTokens = (usage: Usage): number => (usage.output ?? 0) + (usage.reasoning ?? 0)
export const totalTokens = (usage: Usage): number => contextTokens(usage) + outputTokens(usage)
