// What the settings, profiles, skills and MCP servers of a folder come to, without a model: nothing is run but the servers.
import { connectServers } from '../agents/builtin/mcp/session.ts'
import type { McpSession } from '../agents/builtin/mcp/spec.ts'
import { providerKeys } from '../agents/builtin/model/providers.ts'
import { childEnvironment } from '../agents/process/environment.ts'
import { builtinTools } from '../agents/builtin/tools/index.ts'
import type { Places } from '../config/places.ts'
import { findProfiles, type FoundProfiles } from '../config/profiles.ts'
import { expandServer } from '../config/servers.ts'
import { loadSettings } from '../config/settings.ts'
import type { Loaded } from '../config/shape.ts'
import { findSkills, type FoundSkills } from '../config/skills.ts'
import { defaultRules } from '../supervise/rules.ts'

export type Here = { settings: Loaded; found: FoundProfiles; skills: FoundSkills }

export type HereOptions = { places: Places; settingsFile?: string; trustProject?: boolean }

/** Throws a SettingsError for a file that is wrong. */
export async function lookHere({ places, settingsFile, trustProject = false }: HereOptions): Promise<Here> {
  const settings = await loadSettings({ places, trustProject, defaults: defaultRules, ...(settingsFile !== undefined && { settingsFile }) })
  const [found, skills] = await Promise.all([findProfiles({ places, settings, trustProject }), findSkills(places)])
  return { settings, found, skills }
}

/** Undefined when there are none. Close it. Throws a SettingsError when a server needs a variable that is not set. */
export async function connectHere(
  { settings }: Pick<Here, 'settings'>,
  { cwd }: Places,
  env: NodeJS.ProcessEnv,
): Promise<McpSession | undefined> {
  const servers = Object.entries(settings.mcp).map(([name, server]) => [name, expandServer(server, env)] as const)
  if (servers.length === 0) return undefined
  const keys = providerKeys(env, settings.providers)
  const given = Object.entries(childEnvironment(env, settings.env)).filter(([name]) => !Object.hasOwn(keys, name))
  return connectServers(Object.fromEntries(servers), {
    env: Object.fromEntries(given),
    cwd,
    reserved: [...builtinTools().map(({ name }) => name), 'task', 'skill'],
    secretValues: Object.values(keys),
  })
}
