// The providers we know: how each is reached, and which variable holds its key. Data only; nothing is loaded here.

export type Api = 'anthropic' | 'openai' | 'google' | 'openai-compatible'

export type Provider = {
  api: Api
  /** Variables that may hold the key, the first one set wins. Empty: it needs none. */
  keys: readonly string[]
  keyIsOptional?: true
  /** Variable that may name another address. */
  baseUrlIn?: string
  /** Always given, so that no package looks for one by itself. */
  baseUrl?: string
  /** What to use when the user names no model. */
  model?: string
}

/** As the settings have it: another address for a known provider, or one of the user's own. */
export type ProviderSettings = Readonly<
  Record<string, { baseUrl?: string | undefined; keyEnv?: string | undefined; type?: Api | undefined }>
>
export type Environment = Readonly<Record<string, string | undefined>>

const known: Readonly<Record<string, Provider>> = {
  anthropic: {
    api: 'anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    baseUrlIn: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-5',
  },
  openai: {
    api: 'openai',
    keys: ['OPENAI_API_KEY'],
    baseUrlIn: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-6-sol',
  },
  google: {
    api: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrlIn: 'GOOGLE_GEMINI_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-3.8-flash',
  },
  openrouter: {
    api: 'openai-compatible',
    keys: ['OPENROUTER_API_KEY'],
    baseUrlIn: 'OPENROUTER_BASE_URL',
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'anthropic/claude-sonnet-5',
  },
  ollama: {
    api: 'openai-compatible',
    keys: ['OLLAMA_API_KEY'],
    keyIsOptional: true,
    baseUrlIn: 'OLLAMA_HOST',
    baseUrl: 'http://127.0.0.1:11434/v1',
  },
  lmstudio: { api: 'openai-compatible', keys: [], baseUrlIn: 'LMSTUDIO_BASE_URL', baseUrl: 'http://127.0.0.1:1234/v1' },
  vllm: {
    api: 'openai-compatible',
    keys: ['VLLM_API_KEY'],
    keyIsOptional: true,
    baseUrlIn: 'VLLM_BASE_URL',
    baseUrl: 'http://127.0.0.1:8000/v1',
  },
}

export const providerNames = (settings: ProviderSettings = {}): string[] => [...new Set([...Object.keys(known), ...Object.keys(settings)])]

/** Undefined when nobody has heard of it. */
export function providerOf(name: string, settings: ProviderSettings = {}): Provider | undefined {
  const ours = Object.hasOwn(known, name) ? known[name] : undefined
  if (!Object.hasOwn(settings, name)) return ours
  const { baseUrl, keyEnv, type } = settings[name]!
  return {
    ...(ours ?? { api: 'openai-compatible', keys: [] }),
    ...(type !== undefined && { api: type }),
    ...(keyEnv !== undefined && { keys: [keyEnv] }),
    ...(baseUrl !== undefined && { baseUrl, baseUrlIn: undefined }),
  } as Provider // `undefined` takes the variable away
}

export type Key = { name: string; value: string }

/** Names of all variables that hold a provider's key. */
function keyNames(settings: ProviderSettings = {}): string[] {
  const names = providerNames(settings).flatMap((name) => [...(known[name]?.keys ?? []), ...(providerOf(name, settings)?.keys ?? [])])
  return [...new Set(names)]
}

/** The keys that are set, by variable: to be kept from children, and out of every event. */
export const providerKeys = (env: Environment, settings: ProviderSettings = {}): Record<string, string> =>
  Object.fromEntries(
    keyNames(settings)
      .flatMap((name) => keyIn(env, name) ?? [])
      .map(({ name, value }) => [name, value]),
  )

export function keyIn(env: Environment, name: string): Key | undefined {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? undefined : { name, value }
}

/** What to use when the user names no model: that of the first provider whose key is set. */
export function defaultModel(env: Environment): string | undefined {
  for (const [name, { model, keys }] of Object.entries(known))
    if (model !== undefined && keys.some((key) => keyIn(env, key) !== undefined)) return `${name}/${model}`
  return undefined
}

/** Where a provider is reached; undefined when nobody says. Throws when what is said is no address. */
export function baseUrlOf(name: string, { api, baseUrl, baseUrlIn }: Provider, env: Environment): string | undefined {
  const variable = baseUrlIn === undefined ? undefined : keyIn(env, baseUrlIn)
  const value = variable?.value ?? baseUrl
  if (value === undefined) return undefined
  const url = URL.parse(/^[a-z]+:\/\//i.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`${variable?.name ?? `the baseUrl of the provider "${name}"`} is no http address: "${value}"`)
  if (name === 'ollama' && variable !== undefined) completeOllama(url, value)
  const path = url.pathname.replace(/\/+$/, '')
  // The first two are said with and without the version; the others are said in full, unless only a host is named.
  const version = api === 'google' ? '/v1beta' : '/v1'
  const isWhole = api === 'anthropic' || api === 'google' ? /\/v\d\w*$/.test(path) : path !== ''
  return `${url.origin}${path}${isWhole ? '' : version}${url.search}`
}

/** OLLAMA_HOST is what the server listens on, and may be no more than a host. */
function completeOllama(url: URL, value: string): void {
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (!/:\/\/|:\d+/.test(value)) url.port = '11434'
}
