// What an agent offers: ways to log in, modes, models. The lists that the protocol made for modes and models are giving way to options.
import { isRecord, type Rec } from '../../base/json.ts'

/** The id of the option that holds it; undefined where the older lists do. */
export type Settings = { mode?: string | undefined; model?: string | undefined }

export function settingsIn(opened: Rec): Settings {
  const options = listIn(opened, 'configOptions')
  const idOf = (category: string): string | undefined => {
    const { id } = options.find((option) => (option['category'] ?? option['id']) === category) ?? {}
    return typeof id === 'string' ? id : undefined
  }
  return { mode: opened['modes'] ? undefined : idOf('mode'), model: opened['models'] ? undefined : idOf('model') }
}

export function settingRequest(
  settings: Settings,
  sessionId: string,
  what: 'mode' | 'model',
  value: string,
): [method: string, params: Rec] {
  const configId = settings[what]
  if (configId !== undefined) return ['session/set_config_option', { sessionId, configId, value }]
  return what === 'mode' ? ['session/set_mode', { sessionId, modeId: value }] : ['session/set_model', { sessionId, modelId: value }]
}

/** A way to log in that needs no person: a key which the agent has in its environment. `gemini-api-key` means GEMINI_API_KEY. */
export function authMethodFor(methods: unknown, env: Readonly<Record<string, string>>): string | undefined {
  for (const method of listIn({ methods }, 'methods')) {
    const { id, type, varName } = method
    if (typeof id !== 'string') continue
    const named = listIn(method, 'vars').map(({ name }) => name)
    if (type === 'env_var' && [varName, ...named].every((name) => name === undefined || (typeof name === 'string' && env[name]))) return id
    if (/api[-_]key/i.test(id) && env[id.replaceAll('-', '_').toUpperCase()]) return id
  }
  return undefined
}

const listIn = (record: Rec, key: string): Rec[] => (Array.isArray(record[key]) ? record[key].filter(isRecord) : [])
