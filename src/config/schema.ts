// The one definition of the settings: what may stand in a file and what it means. The checker walks it, `share/config.schema.json` is
// it (for editors), and docs/config.md is held to its keys by a test. It uses only the keywords that the checker knows.
import type { Schema } from '../base/check.ts'
import type { ProviderType } from './shape.ts'

export const providerTypes: readonly ProviderType[] = ['openai-compatible', 'anthropic', 'openai', 'google']

const text = (description: string): Schema => ({ type: 'string', description })
const filled = (description: string): Schema => ({ ...text(description), pattern: String.raw`\S` })
const count = (description: string, minimum: number): Schema => ({ type: 'integer', minimum, description })
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })
const keys = (properties: Record<string, Schema>, description: string): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  description,
})
const named = (of: Schema, description: string): Schema => ({
  type: 'object',
  additionalProperties: of,
  propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', description: 'letters, digits, dot, dash and underscore, at most 64' },
  description,
})
const texts = (description: string): Schema => ({ type: 'object', additionalProperties: text('a text'), description })

const duration = (description: string): Schema => ({
  type: 'string',
  pattern: '^[1-9][0-9]{0,8}(ms|s|m|h)$',
  description: `${description}: a whole number with ms, s, m or h, such as 90s`,
})
const model: Schema = { ...text('provider/model, such as anthropic/claude-sonnet-4-5'), pattern: String.raw`^[^/\s]+/\S(.*\S)?$` }
const variable: Schema = {
  ...text('the name of an environment variable; none of SLUICE_*'),
  pattern: '^(?!SLUICE_)[A-Za-z_][A-Za-z0-9_]{0,99}$',
}

const action: Schema = { type: 'string', enum: ['allow', 'ask', 'deny'], description: 'allow, ask or deny' }
const actionOr = (of: Schema, description: string): Schema => ({
  type: ['string', 'object'],
  pattern: '^(allow|ask|deny)$',
  additionalProperties: of,
  description: `allow, ask or deny, or ${description}`,
})
const permission = actionOr(
  actionOr(action, 'a mapping from patterns to these'),
  'a mapping from permissions to these or to patterns; the last that matches counts',
)

const tools = list(filled('the name of a tool'), 'names of tools')
const profile = keys(
  {
    description: text('when to use it'),
    prompt: text('what the agent is told first'),
    model,
    permission,
    tools: { ...tools, description: 'the only tools it has; `*` and `?` stand for any characters and for one' },
    maxTurns: count('answers of the model to one prompt', 1),
  },
  'prompt, model and rules of the agent under a name',
)

const server: Schema = {
  ...keys(
    {
      command: { ...list(text('a word'), 'a program and its arguments, started in the project'), minItems: 1 },
      environment: texts('variables for the program; {env:NAME} stands for the value of a variable of yours'),
      cwd: filled('the folder it is started in, seen from the project'),
      url: { ...text('where the server is, by http or https'), pattern: String.raw`^https?://[^\s]+$` },
      headers: texts('HTTP headers; {env:NAME} stands for the value of a variable of yours'),
      type: { type: 'string', enum: ['http', 'sse'], description: 'how it is spoken to; without it both are tried' },
      enabled: { type: 'boolean', description: 'false: it is not used' },
      timeout: duration('how long to wait for it'),
    },
    'an MCP server: a program, or an address',
  ),
  oneOf: [{ required: ['command'] }, { required: ['url'] }],
  dependentRequired: { environment: ['command'], cwd: ['command'], headers: ['url'], type: ['url'] },
}

const provider: Schema = {
  ...keys(
    {
      baseUrl: { ...text('where its API is'), pattern: String.raw`^https?://[^\s]+$` },
      keyEnv: { ...variable, description: 'the environment variable that holds its key' },
      type: {
        type: 'string',
        enum: [...providerTypes],
        description: 'the API it speaks; without it that of its name, else openai-compatible',
      },
    },
    'a provider of models',
  ),
  required: ['baseUrl'],
}

export const settingsSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Settings of sluice',
  ...keys(
    {
      $schema: text('where this schema is, for editors'),
      model,
      profile: filled('the profile that is taken when none is chosen'),
      permission,
      profiles: named(profile, 'profiles by name'),
      mcp: named(server, 'MCP servers by name'),
      providers: named(provider, 'providers of models by name, besides the usual ones'),
      tools: { ...tools, description: 'the tools that --strict leaves' },
      historyLimit: count('messages of the conversation that are kept; 0: all', 0),
      env: list(variable, 'variables that tools get, besides the usual ones'),
      redact: keys(
        { patterns: list(filled('a regular expression (RE2)'), 'what is redacted') },
        'what is redacted besides keys of known shapes',
      ),
      instructions: list(filled('a file'), 'files with more instructions for the model, seen from this file'),
      maxCost: { type: 'number', exclusiveMinimum: 0, description: 'US dollars that a run may cost' },
      maxTurns: count('answers of the model to one prompt', 1),
      timeout: duration('how long a run may take'),
    },
    'what sluice run and sluice chat do unless the command line says otherwise',
  ),
}
