// What settings are, once read: of one file, and merged. Types only.
import type { PermissionRule } from '../supervise/contract.ts'

/** `from`: where the rule stands, `FILE:LINE`, or `built in`, or `the profile NAME`. */
export type SourcedRule = PermissionRule & { from: string }

/** As the MCP client takes it; texts may still hold `{env:NAME}` (see expandServer). `timeout` is in milliseconds. */
export type ServerSpec =
  | { command: string[]; environment?: Record<string, string>; cwd?: string; enabled?: boolean; timeout?: number }
  | { url: string; headers?: Record<string, string>; type?: 'http' | 'sse'; enabled?: boolean; timeout?: number }

export type ProviderType = 'openai-compatible' | 'anthropic' | 'openai' | 'google'
export type ProviderSettings = { baseUrl: string; keyEnv?: string; type: ProviderType }

/** What `--profile` and the task tool choose from. */
export type Profile = {
  name: string
  description: string
  /** Takes the place of the usual system prompt's first part. */
  prompt?: string
  model?: string
  /** Come after all rules of the settings. */
  rules: readonly SourcedRule[]
  /** Only these are offered, MCP tools too (`*` and `?` as in rules); the rules deny the other built-in ones as well. */
  tools?: readonly string[]
  maxTurns?: number
  /** The file, or `built in`. */
  from: string
}

/** What one file says, or all of them together. */
export type Settings = {
  model?: string
  /** The name of the profile that is taken when none is chosen. */
  profile?: string
  /** In the order in which they count: the last that matches wins. */
  rules: readonly SourcedRule[]
  profiles: readonly Profile[]
  mcp: Readonly<Record<string, ServerSpec>>
  providers: Readonly<Record<string, ProviderSettings>>
  /** The tools that `--strict` leaves. */
  tools?: readonly string[]
  /** Messages of the conversation that are kept; 0: all. */
  historyLimit?: number
  /** Names of variables that tools get besides the usual ones. */
  env: readonly string[]
  /** Patterns (RE2) of what is redacted besides the known shapes. */
  redact: readonly string[]
  /** Absolute paths of more instructions for the model. */
  instructions: readonly string[]
  maxCost?: number
  maxTurns?: number
  timeoutMs?: number
}

export type SettingsKey = keyof Settings

/** One file as it was read: what is checked, shown and hashed is this text and no later one. */
export type SettingsFile = { path: string; hash: string; settings: Settings }

export type Loaded = Settings & {
  /** The files that were read, those that count less first. */
  files: readonly { path: string; where: 'user' | 'project'; trusted: boolean }[]
  /** Which file had the last word on a key; of lists, each that adds to it. */
  from: Readonly<Partial<Record<SettingsKey, readonly string[]>>>
  /** One line for each thing of the project that does not count because it is not trusted. */
  leftOut: readonly string[]
}
