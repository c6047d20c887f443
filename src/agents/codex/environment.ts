// The environment of Codex: what every agent gets, its own variables, and those that the person's settings for it name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRequest } from '../driver.ts'
import { agentEnvironment } from '../process/environment.ts'

/** But for what tells of a Codex that runs us. */
const usual = 'OPENAI_|CODEX_(?!(SANDBOX|THREAD|CI$|MANAGED|INTERNAL))|AZURE_OPENAI_|RUST_LOG$'

export function environmentOf({ env, passed, variables, args = [] }: AgentRequest): Record<string, string> {
  const own = ownVariables(`${settingsIn(env)}\n${args.join('\n')}`)
  return { ...agentEnvironment(env, own, passed), NO_COLOR: '1', ...variables }
}

/** A provider's key and the token of an MCP server are called what the settings call them. */
export function ownVariables(settings: string): RegExp {
  const named = [...settings.matchAll(/\b(?:env_key|bearer_token_env_var)\s*=\s*["']([A-Za-z_]\w*)["']/g)].map(([, name]) => `${name}$`)
  const clouds = settings.includes('bedrock') ? ['AWS_'] : []
  return new RegExp(`^(${[usual, ...named, ...clouds].join('|')})`)
}

/** The words of a person's settings that are stricter than our default, for a version that does not tell the settings: wherever they stand. */
export function strictIn(env: AgentRequest['env']): { sandbox_mode?: string; approval_policy?: string } {
  const settings = settingsIn(env)
  return {
    ...(/^\s*sandbox_mode\s*=\s*["']read-only["']/m.test(settings) && { sandbox_mode: 'read-only' }),
    ...(/^\s*approval_policy\s*=\s*["']untrusted["']/m.test(settings) && { approval_policy: 'untrusted' }),
  }
}

function settingsIn({ CODEX_HOME: home, HOME = '/' }: AgentRequest['env']): string {
  try {
    return readFileSync(join(home ?? join(HOME, '.codex'), 'config.toml'), 'utf8')
  } catch {
    return '' // none, or none that we may read
  }
}
