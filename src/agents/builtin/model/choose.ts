// From `provider/model` to a model that can be called. A provider's package is loaded when it is used, and not before.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { nearest } from '../../../base/nearest.ts'
import { quoted } from '../../../base/text.ts'
import type { Chosen } from './chosen.ts'
import { apiError } from './failure.ts'
import { loaders } from './load.ts'
import {
  type Api,
  baseUrlOf,
  type Environment,
  type Key,
  keyIn,
  type Provider,
  providerNames,
  providerOf,
  type ProviderSettings,
} from './providers.ts'
import type { Scripts } from './scripts.ts'

export { defaultModel, providerKeys } from './providers.ts'

export type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>

export type ChooseOptions = {
  env: Environment
  scripts: Scripts
  providers?: ProviderSettings
  /** Ask for thoughts, where a provider tells them only when asked. */
  thoughts?: boolean
  reasoning?: Reasoning
  fetch?: typeof fetch
}

/** Its message says what to do. */
export class ModelChoiceError extends Error {
  override readonly name = 'ModelChoiceError'
}

/** A session can start without its key, to tell in its stream that it has none. */
export class MissingKeyError extends ModelChoiceError {}

/** The model that stands in for one whose key is missing: every call is refused, as the provider would. */
export function keylessModel(spec: string, { message }: MissingKeyError): Chosen {
  const provider = spec.slice(0, spec.indexOf('/'))
  const id = spec.slice(provider.length + 1)
  const refuse = (): Promise<never> => Promise.reject(apiError(401, message, {}))
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider,
    modelId: id,
    supportedUrls: {},
    doGenerate: refuse,
    doStream: refuse,
  }
  return { provider, id, model, callOptions: {}, priceAs: spec }
}

export async function chooseModel(spec: string, options: ChooseOptions): Promise<Chosen> {
  const slash = spec.indexOf('/')
  const name = spec.slice(0, slash)
  const id = spec.slice(slash + 1)
  if (slash < 1 || id === '')
    throw new ModelChoiceError(`the model ${quoted(spec)} must be PROVIDER/MODEL, for example anthropic/claude-sonnet-5`)
  if (name === 'script') return chooseScript(id, options.scripts)
  const provider = providerOf(name, options.providers)
  if (provider === undefined) throw new ModelChoiceError(unknownText(name, ['script', ...providerNames(options.providers)]))
  const key = keyOf(name, provider, options.env)
  const baseUrl = baseUrlIn(name, provider, options.env)
  const model = await loaders[provider.api](id, { name, key, baseUrl, fetch: options.fetch })
  return {
    provider: name,
    id,
    model,
    callOptions: callOptionsOf(provider.api, options),
    priceAs: spec,
    ...(provider.api === 'anthropic' && { prepare: markForCache }),
  }
}

async function chooseScript(name: string, scripts: Scripts): Promise<Chosen> {
  try {
    const { model, standsFor } = await scripts(name)
    const { provider, modelId } = model
    return { provider, id: modelId, model, callOptions: {}, ...(standsFor !== undefined && { priceAs: standsFor }) }
  } catch (error) {
    throw new ModelChoiceError((error as Error).message, { cause: error })
  }
}

function unknownText(name: string, names: readonly string[]): string {
  const close = nearest(name, names)
  const hint = close === undefined ? '.' : `; did you mean ${quoted(close)}?`
  return `the provider ${quoted(name)} is not known${hint} Known are ${names.join(', ')}; others go under "providers" in the settings`
}

function keyOf(name: string, { keys, keyIsOptional }: Provider, env: Environment): Key | undefined {
  for (const variable of keys) {
    const key = keyIn(env, variable)
    if (key !== undefined) return key
  }
  if (keys.length === 0 || keyIsOptional) return undefined
  throw new MissingKeyError(`there is no key for the provider ${quoted(name)}: set ${keys.join(' or ')}`)
}

function baseUrlIn(name: string, provider: Provider, env: Environment): string {
  try {
    const url = baseUrlOf(name, provider, env)
    if (url !== undefined) return url
  } catch (error) {
    throw new ModelChoiceError((error as Error).message, { cause: error })
  }
  throw new ModelChoiceError(`the provider ${quoted(name)} has no address: give it a "baseUrl" in the settings`)
}

/** Nothing of a conversation is kept at the provider: what it wants to know again, we send again. */
function callOptionsOf(api: Api, { thoughts = false, reasoning }: ChooseOptions): Chosen['callOptions'] {
  const effort = reasoning === undefined ? {} : { reasoning }
  switch (api) {
    case 'anthropic':
      return thoughts ? { reasoning: 'medium', ...effort } : effort
    case 'openai':
      return { ...effort, providerOptions: { openai: { store: false, ...(thoughts && { reasoningSummary: 'auto' }) } } }
    case 'google':
      return { ...effort, ...(thoughts && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }) }
    case 'openai-compatible':
      return effort
  }
}

/** Anthropic caches up to marked places: the system message, and the ends of the last request and of this one. */
function markForCache(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const marked = new Set<LanguageModelV4Message | undefined>([
    prompt.find(({ role }) => role === 'system'),
    ...prompt.filter(({ role }) => role === 'user' || role === 'tool').slice(-2),
  ])
  return prompt.map((message) =>
    marked.has(message)
      ? { ...message, providerOptions: { ...message.providerOptions, anthropic: { cacheControl: { type: 'ephemeral' } } } }
      : message,
  )
}
