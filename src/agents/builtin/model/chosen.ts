// The model that a session uses, whoever serves it.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'

export type Chosen = {
  /** As events name them: of a script `script`, and the id of the model that it stands for. */
  provider: string
  id: string
  model: LanguageModelV4
  /** Thinking, caching and the like, in the provider's own words. */
  callOptions: Partial<Pick<LanguageModelV4CallOptions, 'providerOptions' | 'reasoning' | 'maxOutputTokens' | 'headers'>>
  /** `provider/model` whose prices and limits hold; absent when nobody's do. */
  priceAs?: string
  /** Last touches to a prompt. */
  prepare?(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt
}
