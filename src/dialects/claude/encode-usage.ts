// Tokens and money in the keys of a result.
import type { Rec } from '../../base/json.ts'
import type { Event, Usage } from '../../model/event.ts'
import { outputTokens } from '../../model/usage.ts'
import type { ModelTotal } from './encode-state.ts'
import { usd, usualTier } from './values.ts'

/**
 * Thinking counts as output there; the detail keeps it apart for whoever asks. A cache lasts five minutes unless `beside` says otherwise: what
 * Claude's own usage tells beside tokens.
 */
export function usageKeys(usage: Usage, beside?: Rec): Rec {
  const keys: Rec = {
    input_tokens: usage.input ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: outputTokens(usage),
  }
  if (usage.reasoning !== undefined) keys['output_tokens_details'] = { thinking_tokens: usage.reasoning }
  if (usage.cacheWrite !== undefined) keys['cache_creation'] = { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 }
  return beside === undefined ? keys : Object.assign(keys, beside)
}

/** What Claude's own usages say beside tokens unless they say otherwise; see the decoder's `besideTokens`. */
export const usual = (event: Event | undefined): Rec | undefined =>
  event?.origin?.dialect === 'claude' ? { service_tier: usualTier } : undefined

/** One entry of `modelUsage`. */
export function modelKeys({ usage, usd: dollars, contextLimit, outputLimit, searches }: ModelTotal): Rec {
  const keys: Rec = {
    inputTokens: usage.input ?? 0,
    outputTokens: outputTokens(usage),
    cacheReadInputTokens: usage.cacheRead ?? 0,
    cacheCreationInputTokens: usage.cacheWrite ?? 0,
    webSearchRequests: searches,
    costUSD: usd(dollars),
  }
  if (usage.reasoning !== undefined) keys['thinkingTokens'] = usage.reasoning
  if (contextLimit !== undefined) keys['contextWindow'] = contextLimit
  if (outputLimit !== undefined) keys['maxOutputTokens'] = outputLimit
  return keys
}
