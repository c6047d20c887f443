// What a command line of Claude Code comes to here: how the agent is started, and how the host behaves.
import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { placesOf } from '../../config/places.ts'
import type { ServerSpec } from '../../config/shape.ts'
import type { Action, PermissionRule } from '../../supervise/contract.ts'
import type { HostOptions } from './serve.ts'
import { readFlags } from './flags.ts'
import { serversIn } from './mcp.ts'
import { modelOf } from './model.ts'
import { type Ground, isMode, modes, splitTools, toolRules } from './rules.ts'
import { systemReason } from '../../files/system-error.ts'
import { RequestError } from '../../run/errors.ts'
import type { RunRequest, SessionWanted } from '../../run/request.ts'

export type ClaudeOptions = {
  agent: RunRequest
  host: HostOptions
  /** The prompt when the host gives none on stdin; without any, it is all of stdin. */
  words: readonly string[]
  /** Flags that nobody here knows. */
  unknown: readonly string[]
}

export function claudeOptions(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv): ClaudeOptions {
  const { values, words, unknown } = readFlags(argv)
  const has = (name: string): boolean => name in values
  const text = (name: string): string | undefined => values[name]?.at(-1)
  const list = (name: string): string[] => (values[name] ?? []).flatMap(splitTools)
  const number = (name: string, least: number): number | undefined => numberOf(name, text(name), least)

  const places = placesOf(cwd, env)
  const settings = settingsOf(text('settings'), places)
  const model = modelOf(text('model') ?? settings.model, env)
  const maxTurns = number('max-turns', 1)
  const maxCost = number('max-budget-usd', 0)
  const thoughts = (number('max-thinking-tokens', 0) ?? 0) > 0 || ['enabled', 'adaptive'].includes(text('thinking') ?? '')
  const profile = text('agent')
  const system = text('system-prompt')
  const append = text('append-system-prompt')
  const sessionId = text('session-id')
  const readsHost = oneOf('input-format', text('input-format') ?? 'text', ['text', 'stream-json'] as const) === 'stream-json'
  const asks = text('permission-prompt-tool')
  if (asks !== undefined && asks !== 'stdio') unknown.push(`--permission-prompt-tool ${asks}`)
  return {
    agent: {
      cwd,
      ...(model !== undefined && { model }),
      ...(profile !== undefined && { profile }),
      ...(maxTurns !== undefined && { maxTurns }),
      ...(maxCost !== undefined && { maxCost }),
      agent: 'builtin',
      headless: false,
      replaySpeed: 1,
      maxRetries: 0,
      limits: {},
      permissionTimeoutMs: 600_000,
      trustProject: false,
      rules: [
        ...settings.rules,
        ...folderRules(values['add-dir'] ?? [], cwd),
        ...list('allowedTools').flatMap((tool) => toolRules(tool, 'allow', places)),
        ...list('disallowedTools').flatMap((tool) => toolRules(tool, 'deny', places)),
      ],
      autoApprove: false,
      gates: { readOnly: false, dryRun: false, strict: false },
      thoughts,
      stream: true,
      apiRetries: 4,
      redact: true,
      servers: { more: serversOf(values['mcp-config'] ?? []), only: has('strict-mcp-config') },
      session: sessionOf(text('resume'), has('continue'), has('fork-session')),
    },
    host: {
      output: oneOf('output-format', text('output-format') ?? 'text', ['text', 'json', 'stream-json'] as const),
      verbose: has('verbose'),
      partial: has('include-partial-messages'),
      replay: has('replay-user-messages'),
      readsHost,
      hostAnswers: readsHost && asks === 'stdio',
      mode: has('dangerously-skip-permissions') ? 'bypassPermissions' : modeOf(text('permission-mode') ?? settings.mode),
      ...(system !== undefined && { system }),
      ...(append !== undefined && { append }),
      ...(sessionId !== undefined && { sessionId }),
      ...(has('tools') && text('tools') !== 'default' && { onlyTools: list('tools') }),
      agents: jsonOf('--agents', text('agents') ?? '{}'),
    },
    words,
    unknown,
  }
}

function oneOf<T extends string>(name: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word)
  if (found === undefined) throw new RequestError(`--${name} ${quoted(word)} is not known; give ${words.join(', ')}`)
  return found
}

function modeOf(word: string | undefined): HostOptions['mode'] {
  if (word === undefined || isMode(word)) return word ?? 'default'
  throw new RequestError(`--permission-mode ${quoted(word)} is not known; give ${modes.join(', ')}`)
}

function numberOf(name: string, word: string | undefined, least: number): number | undefined {
  if (word === undefined) return undefined
  const number = /^\d+(\.\d+)?$/.test(word) ? Number(word) : NaN
  if (!(number >= least)) throw new RequestError(`--${name} ${quoted(word)} is not a number from ${least} on`)
  return number
}

function sessionOf(id: string | undefined, goesOn: boolean, fork: boolean): SessionWanted {
  if (id === undefined && !goesOn) return { how: 'new' }
  return { how: fork ? 'forked' : 'resumed', id }
}

function folderRules(folders: readonly string[], cwd: string): PermissionRule[] {
  return folders.flatMap((folder) => {
    const real = realOf(resolve(cwd, folder))
    return [real, `${real}/*`].map((pattern) => ({ permission: 'external_directory', pattern, action: 'allow' as const }))
  })
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    throw new RequestError(`--add-dir ${quoted(folder, 500)}: ${systemReason(error)}`)
  }
}

// ── JSON, or the file that holds it ──────────────────────────────────────────────────────────────────────────────────────

function jsonOf(flag: string, text: string): Rec {
  const isInline = text.trimStart().startsWith('{')
  try {
    const value: unknown = JSON.parse(isInline ? text : readFileSync(text, 'utf8'))
    if (isRecord(value)) return value
  } catch (error) {
    throw new RequestError(`${flag} ${quoted(text, 200)} cannot be read: ${systemReason(error)}`)
  }
  throw new RequestError(`${flag} ${quoted(text, 200)} must be a JSON object`)
}

function serversOf(texts: readonly string[]): Record<string, ServerSpec> {
  return Object.assign({}, ...texts.map((text) => serversIn(jsonOf('--mcp-config', text)))) as Record<string, ServerSpec>
}

/** Of Claude's own settings: the rules, the mode and the model. */
function settingsOf(text: string | undefined, ground: Ground): { rules: PermissionRule[]; mode?: string; model?: string } {
  if (text === undefined) return { rules: [] }
  const { permissions, model } = jsonOf('--settings', text)
  const said = isRecord(permissions) ? permissions : {}
  const rules = (['allow', 'ask', 'deny'] as const).flatMap((action: Action) => {
    const tools = said[action]
    return (Array.isArray(tools) ? tools : []).flatMap((tool) => (typeof tool === 'string' ? toolRules(tool, action, ground) : []))
  })
  const mode = said['defaultMode']
  return { rules, ...(typeof mode === 'string' && { mode }), ...(typeof model === 'string' && { model }) }
}
