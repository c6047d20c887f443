// How a call ended and what it took, in our words.
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '../../../model/event.ts'
import type { Reason } from '../../../model/vocabulary.ts'

export type Finish = Extract<Reason, 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'error' | 'cut' | 'cancelled' | 'unknown'>

const finishes = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  error: 'error',
  interrupted: 'cut',
  other: 'unknown',
} as const satisfies Record<LanguageModelV4FinishReason['unified'], Finish>

/** An answer with calls ends for them, whatever else the provider says of a whole one. */
export function finishOf({ unified }: LanguageModelV4FinishReason, hasCalls: boolean): Finish {
  const finish = finishes[unified] ?? 'unknown'
  return hasCalls && (finish === 'end_turn' || finish === 'unknown') ? 'tool_use' : finish
}

/** Buckets that do not overlap. Undefined when nothing was reported at all. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  const { total: allInput, noCache, cacheRead, cacheWrite } = inputTokens
  const { total: allOutput, text, reasoning } = outputTokens
  const usage: Usage = {
    ...bucket('input', noCache ?? minus(allInput, cacheRead, cacheWrite)),
    ...bucket('output', text ?? minus(allOutput, reasoning, undefined)),
    ...bucket('reasoning', reasoning),
    ...bucket('cacheRead', cacheRead),
    ...bucket('cacheWrite', cacheWrite),
  }
  return Object.keys(usage).length === 0 ? undefined : usage
}

const minus = (total: number | undefined, a = 0, b = 0): number | undefined => (total === undefined ? undefined : total - a - b)

/** Some servers count in fractions or below zero. */
const bucket = (name: keyof Usage, count: number | undefined): Usage =>
  count === undefined || !Number.isFinite(count) ? {} : { [name]: Math.max(0, Math.round(count)) }
