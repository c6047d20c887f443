// Tokens and money in the keys of a result.
import type { Rec } from '../../base/json.ts'
import type { Usage } from '../../model/event.ts'
import { outputTokens } from '../../model/usage.ts'
import type { ModelTotal } from './encode-state.ts'
import { usd } from './values.ts'

/** Thinking counts as output there; the detail keeps it apart for whoever asks. */
export function usageKeys(usage: Usage): Rec {
  const keys: Rec = {
    input_tokens: usage.input ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: outputTokens(usage),
  }
  if (usage.reasoning !== undefined) keys['output_tokens_details'] = { thinking_tokens: usage.reasoning }
  return keys
}

/** One entry of `modelUsage`. */
export function modelKeys({ usage, usd: dollars, contextLimit, outputLimit }: ModelTotal): Rec {
  const keys: Rec = {
    inputTokens: usage.input ?? 0,
    outputTokens: outputTokens(usage),
    cacheReadInputTokens: usage.cacheRead ?? 0,
    cacheCreationInputTokens: usage.cacheWrite ?? 0,
    costUSD: usd(dollars),
  }
  if (usage.reasoning !== undefined) keys['thinkingTokens'] = usage.reasoning
  if (contextLimit !== undefined) keys['contextWindow'] = contextLimit
  if (outputLimit !== undefined) keys['maxOutputTokens'] = outputLimit
  return keys
}
