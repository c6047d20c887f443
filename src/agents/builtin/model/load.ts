// The providers' packages, each behind an import of its own.
import type { LanguageModelV4, LanguageModelV4Usage } from '@ai-sdk/provider'
import { isRecord, type Rec } from '../../../base/json.ts'
import type { Api, Key } from './providers.ts'

type Access = {
  name: string
  key: Key | undefined
  baseUrl: string
  fetch: typeof fetch | undefined
}

/** An empty key keeps a package from looking for one by itself. */
const commonOf = ({ key, baseUrl, fetch }: Access) => ({
  apiKey: key?.value ?? '',
  baseURL: baseUrl,
  ...(fetch !== undefined && { fetch }),
})

export const loaders: Record<Api, (id: string, access: Access) => Promise<LanguageModelV4>> = {
  async anthropic(id, access) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const { apiKey, ...common } = commonOf(access)
    return createAnthropic({ ...common, ...(access.key?.name === 'ANTHROPIC_AUTH_TOKEN' ? { authToken: apiKey } : { apiKey }) })(id)
  },
  async openai(id, access) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(commonOf(access)).responses(id)
  },
  async google(id, access) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle(commonOf(access))(id)
  },
  async 'openai-compatible'(id, access) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const { apiKey, ...common } = commonOf(access)
    return createOpenAICompatible({
      ...common,
      name: access.name,
      includeUsage: true,
      convertUsage: chatUsageOf,
      ...(apiKey !== '' && { apiKey }),
    }).chatModel(id)
  },
}

/** The package makes zeros of what was not reported, and does not know of what went to the cache. */
function chatUsageOf(counts: Rec | null | undefined): LanguageModelV4Usage {
  const count = (from: unknown, name: string): number | undefined => {
    const value = isRecord(from) ? from[name] : undefined
    return typeof value === 'number' ? value : undefined
  }
  const [input, output] = [count(counts, 'prompt_tokens'), count(counts, 'completion_tokens')]
  const cacheRead = count(counts?.['prompt_tokens_details'], 'cached_tokens')
  const cacheWrite = count(counts?.['prompt_tokens_details'], 'cache_write_tokens')
  const reasoning = count(counts?.['completion_tokens_details'], 'reasoning_tokens')
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning },
  }
}
