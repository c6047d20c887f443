// Codex's values in ours. Pure functions; anything that is not what it should be is absent.
import { isRecord, parseJson, type Rec } from '../../base/json.ts'
import type { Payload, Usage } from '../../model/event.ts'
import { nat, real, str } from '../values.ts'
import { usageOfWholes } from '../../model/usage.ts'

/** A Rust duration: `{secs, nanos}`. */
export function millisOf(duration: unknown): number | undefined {
  if (!isRecord(duration)) return undefined
  const [secs, nanos] = [real(duration['secs']), real(duration['nanos'])]
  return secs === undefined ? undefined : secs * 1000 + Math.round((nanos ?? 0) / 1e6)
}

/** The text of content blocks of any kind, one block a line; undefined when there is none. */
export function textIn(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined
  const texts = (blocks as unknown[]).flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** The blocks as they came, if any of them is more than text. */
export function otherBlocks(blocks: unknown): unknown[] | undefined {
  if (!Array.isArray(blocks)) return undefined
  return (blocks as unknown[]).every((block) => isRecord(block) && typeof block['text'] === 'string') ? undefined : (blocks as unknown[])
}

/** Arguments come as a string that holds their JSON; what cannot be read is the input as it stands. */
export function inputOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

export function pathsIn(list: unknown): string[] | undefined {
  if (!Array.isArray(list)) return undefined
  const paths = (list as unknown[]).flatMap((entry) => (isRecord(entry) && typeof entry['path'] === 'string' ? [entry['path']] : []))
  return paths.length === 0 ? undefined : paths
}

/** A subagent's source names the thread that started it: `{subagent: {thread_spawn: {parent_thread_id}}}`. */
export function parentIn(source: unknown): string | undefined {
  const subagent = isRecord(source) ? (source['subagent'] ?? source['subAgent']) : undefined
  const spawn = isRecord(subagent) ? (subagent['thread_spawn'] ?? subagent['threadSpawn']) : undefined
  return isRecord(spawn) ? str(spawn['parent_thread_id'] ?? spawn['parentThreadId']) : undefined
}

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Tokens = { [key: string]: unknown } | null | undefined

/** Cached tokens are part of the input there, and reasoning part of the output; here no bucket holds another. */
export function usageOf(tokens: Tokens): Usage | undefined {
  if (!isRecord(tokens)) return undefined
  const input = nat(tokens['input_tokens'] ?? tokens['inputTokens'])
  const output = nat(tokens['output_tokens'] ?? tokens['outputTokens'])
  const cacheRead = nat(tokens['cached_input_tokens'] ?? tokens['cachedInputTokens'])
  const cacheWrite = nat(tokens['cache_write_input_tokens'] ?? tokens['cacheWriteInputTokens'])
  const reasoning = nat(tokens['reasoning_output_tokens'] ?? tokens['reasoningOutputTokens'])
  return usageOfWholes(input, output, reasoning, cacheRead, cacheWrite)
}

type Limits = NonNullable<Payload<'usage.update'>['limits']>

/** Rate limits in either spelling; undefined when none is told. */
export function limitsOf(limits: Rec | null | undefined): Limits | undefined {
  if (!limits) return undefined
  const reached = (limits['rate_limit_reached_type'] ?? limits['rateLimitReachedType'] ?? null) !== null
  const told = ['primary', 'secondary'].flatMap((name) => {
    const window = limits[name]
    if (!isRecord(window)) return []
    const percent = real(window['used_percent'] ?? window['usedPercent'])
    const seconds = real(window['resets_at'] ?? window['resetsAt'])
    const state = (percent ?? 0) >= 100 || reached ? ('reached' as const) : ('ok' as const)
    return [
      {
        name,
        state,
        used: percent === undefined ? undefined : percent / 100,
        resetsAt: seconds === undefined ? undefined : seconds * 1000,
      },
    ]
  })
  return told.length === 0 ? undefined : told
}

// ── plans and settings ───────────────────────────────────────────────────────────────────────────────────────────────────

const planWords = { in_progress: 'active', inProgress: 'active', completed: 'done' } as const
export const planStatus = (word: string | null | undefined): 'pending' | 'active' | 'done' =>
  word === 'in_progress' || word === 'inProgress' || word === 'completed' ? planWords[word] : 'pending'

/** What can change from turn to turn. */
export type Setting = { model?: string | undefined; provider?: string | undefined; cwd?: string | undefined; mode?: string | undefined }

/** Settings in either spelling. The approval policy is a word, or an object that names one. */
export function settingOf(told: Rec): Setting {
  const policy = told['approval_policy'] ?? told['approvalPolicy']
  return {
    model: str(told['model']),
    provider: str(told['model_provider'] ?? told['model_provider_id'] ?? told['modelProvider']),
    cwd: str(told['cwd']),
    mode: str(policy) ?? (isRecord(policy) ? Object.keys(policy)[0] : undefined),
  }
}
