// How to point each real agent at a server on this machine: environment variables, arguments, and a file where it needs one. As tried
// with Claude Code 2.0.76, Codex 0.166.0, Gemini CLI 0.61.0, opencode 1.18.33 and Copilot CLI 1.0.102.
import { shellWord } from '../base/text.ts'

export type Recipe = { env: Record<string, string>; args?: readonly string[]; file?: { path: string; text: string } }

// Agents do not start without a key. It must not be a common word: some hide its text wherever it stands in their output.
const key = 'sk-scripted-model'

export const basesAt = (url: string) => ({ anthropic: url, openai: `${url}/v1`, gemini: url })

export function recipesFor(url: string): Record<string, Recipe> {
  const { anthropic, openai, gemini } = basesAt(url)
  const provider = { npm: '@ai-sdk/openai-compatible', options: { baseURL: openai, apiKey: key }, models: { script: {} } }
  return {
    claude: {
      env: {
        ANTHROPIC_BASE_URL: anthropic,
        ANTHROPIC_API_KEY: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    },
    codex: {
      env: { SCRIPT_KEY: key },
      args: [
        'model_provider="script"',
        `model_providers.script={name="script",base_url="${openai}",env_key="SCRIPT_KEY",wire_api="responses"}`,
        'features.plugins=false',
      ].flatMap((setting) => ['-c', setting]),
    },
    gemini: {
      env: { GOOGLE_GEMINI_BASE_URL: gemini, GEMINI_API_KEY: key, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      file: { path: '~/.gemini/settings.json', text: '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' },
    },
    opencode: {
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: 'script/script', provider: { script: provider } }),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    },
    copilot: {
      env: {
        COPILOT_PROVIDER_BASE_URL: anthropic,
        COPILOT_PROVIDER_TYPE: 'anthropic',
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: 'claude-sonnet-4.5',
        COPILOT_OFFLINE: 'true',
      },
    },
  }
}

/** The same for agents that speak with their real providers by way of this machine: with their own keys and models. */
export function recordedRecipesFor(url: string): Record<string, Recipe> {
  const { anthropic, openai, gemini } = basesAt(url)
  const { claude, codex, copilot } = recipesFor(url)
  const without = ({ env }: Recipe, ...names: string[]): Recipe['env'] =>
    Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
  const baseURL = (base: string) => ({ options: { baseURL: base } })
  const provider = { anthropic: baseURL(openai), openai: baseURL(openai), google: baseURL(`${gemini}/v1beta`) }
  return {
    sluice: { env: { ANTHROPIC_BASE_URL: anthropic, OPENAI_BASE_URL: openai, GOOGLE_GEMINI_BASE_URL: gemini }, args: ['run'] },
    claude: { env: without(claude!, 'ANTHROPIC_API_KEY') },
    codex: { env: {}, args: codex!.args!.map((word) => word.replace('SCRIPT_KEY', 'OPENAI_API_KEY')) },
    gemini: { env: { GOOGLE_GEMINI_BASE_URL: gemini } },
    opencode: { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider }) } },
    copilot: { env: without(copilot!, 'COPILOT_PROVIDER_API_KEY', 'COPILOT_OFFLINE') },
  }
}

/** As a line for a shell, with what must be done before it. */
export function recipeText(agent: string, { env, args = [], file }: Recipe): string {
  const words = [...Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`), agent, ...args.map(shellWord)]
  return `${file === undefined ? '' : `# in ${file.path}: ${file.text}\n`}${words.join(' ')}\n`
}
