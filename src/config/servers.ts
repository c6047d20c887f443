// An MCP server of the settings as it is used: with the values of the variables that it names.
import { SettingsError } from './read.ts'
import type { ServerSpec } from './shape.ts'

/** `{env:NAME}` becomes the value of NAME. Values are secrets: use this one, and show the one before. */
export function expandServer(server: ServerSpec, env: NodeJS.ProcessEnv): ServerSpec {
  if (server.enabled === false) return server // it may well name what is not set here
  const values = (of: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, expand(value, env)]))
  if ('command' in server) return { ...server, ...(server.environment && { environment: values(server.environment) }) }
  return { ...server, ...(server.headers && { headers: values(server.headers) }) }
}

const expand = (text: string, env: NodeJS.ProcessEnv): string =>
  text.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name]
    if (value === undefined)
      throw new SettingsError(`the environment variable ${name} is not set, and an MCP server of the settings needs it`)
    return value
  })
