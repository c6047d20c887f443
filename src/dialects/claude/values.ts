// Claude's words and numbers in ours. Pure functions; anything that is not what it should be is absent.
import type { Fault, Usage } from '../../model/event.ts'
import { categoryOfStatus, faultOf } from '../../model/fault.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Decider, FaultCategory, Reason } from '../../model/vocabulary.ts'
import { nat } from '../values.ts'

export { nat, real, str } from '../values.ts'

// ── tokens and money ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** `message.usage`, `result.usage`: thinking is part of the output there, here it is a bucket of its own. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const details = usage['output_tokens_details']
  return buckets(
    usage['input_tokens'],
    usage['output_tokens'],
    isRecord(details) ? details['thinking_tokens'] : undefined,
    usage['cache_read_input_tokens'],
    usage['cache_creation_input_tokens'],
  )
}

/**
 * What a usage tells beside tokens, and which caches last for an hour: no bucket of the model counts them. Zeros say nothing, and nearly
 * every message is of the standard tier.
 */
export function besideTokens(usage: unknown): Rec | undefined {
  if (!isRecord(usage)) return undefined
  const { server_tool_use: served, cache_creation: caches, service_tier: tier } = usage
  const told: Rec = {}
  if (isRecord(caches) && nat(caches['ephemeral_1h_input_tokens'])) told['cache_creation'] = caches
  if (isRecord(served) && Object.values(served).some((count) => count !== 0)) told['server_tool_use'] = served
  if (typeof tier === 'string' && tier !== usualTier) told['service_tier'] = tier
  return Object.keys(told).length === 0 ? undefined : told
}
export const usualTier = 'standard'

/** One entry of `modelUsage`. */
export const usageOfModel = (entry: { [key: string]: unknown }): Usage =>
  buckets(
    entry['inputTokens'],
    entry['outputTokens'],
    entry['thinkingTokens'],
    entry['cacheReadInputTokens'],
    entry['cacheCreationInputTokens'],
  )

function buckets(input: unknown, output: unknown, thinking: unknown, cacheRead: unknown, cacheWrite: unknown): Usage {
  const reasoning = nat(thinking)
  const all = nat(output)
  return {
    input: nat(input),
    output: all === undefined ? undefined : Math.max(0, all - (reasoning ?? 0)),
    reasoning,
    cacheRead: nat(cacheRead),
    cacheWrite: nat(cacheWrite),
  }
}

/** Dollars, without the dust that sums and differences of binary fractions leave. */
export const usd = (amount: number): number => (Math.abs(amount) < 1e6 ? Math.round(amount * 1e9) / 1e9 : amount)

// ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const finishes = new Map<string, Reason>([
  ['end_turn', 'end_turn'],
  ['tool_use', 'tool_use'],
  ['pause_turn', 'tool_use'],
  ['tool_deferred', 'tool_use'],
  ['max_tokens', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context'],
])
export const finishOf = (stop: string | null | undefined): Reason | undefined =>
  typeof stop === 'string' ? (finishes.get(stop) ?? 'unknown') : undefined

const ofSubtype = new Map<string, Reason>([
  ['error_max_turns', 'max_turns'],
  ['error_max_budget_usd', 'budget'],
  ['error_max_structured_output_retries', 'error'],
])
const ofTerminal = new Map<string, Reason>([
  ['aborted_streaming', 'cancelled'],
  ['aborted_tools', 'cancelled'],
  ['prompt_too_long', 'context'],
  ['budget_exhausted', 'budget'],
  ['max_turns', 'max_turns'],
])

type Result = {
  subtype?: string | undefined
  terminal_reason?: string | null | undefined
  stop_reason?: string | null | undefined
  is_error?: boolean | undefined
  errors?: readonly unknown[] | undefined
}

/** It has no word for how the turn ended. That it went well must be said. */
export const isSilent = ({ subtype = '', is_error: failed }: Result): boolean =>
  failed === undefined && subtype !== 'success' && !subtype.startsWith('error')

/**
 * `subtype: "success"` with `is_error` is a failure, without it a success whatever the model stopped with: structured output ends with
 * `tool_use`. 1.0's max-turns result without `is_error` is still one of max turns; an execution that names errors has failed.
 */
export function reasonOf(result: Result): Reason {
  const { subtype = '', stop_reason: stop } = result
  const told = ofSubtype.get(subtype) ?? ofTerminal.get(result.terminal_reason ?? '')
  if (told !== undefined) return told
  if (result.is_error === true || isSilent(result)) return stop === 'max_tokens' || stop === 'refusal' ? stop : 'error'
  if (subtype === 'error_during_execution') return (result.errors ?? []).length > 0 ? 'error' : 'cancelled'
  if (subtype.startsWith('error')) return 'error'
  return stop === 'stop_sequence' ? stop : 'end_turn'
}

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const categories = new Map<string, FaultCategory>([
  ['authentication_failed', 'auth'],
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['oauth_org_not_allowed', 'auth'],
  ['account_on_hold', 'auth'],
  ['cloud_credential_error', 'auth'],
  ['rate_limit', 'rate_limit'],
  ['rate_limit_error', 'rate_limit'],
  ['usage_limit_reached', 'rate_limit'],
  ['overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['billing_error', 'billing'],
  ['invalid_request', 'invalid'],
  ['invalid_request_error', 'invalid'],
  ['model_not_found', 'invalid'],
  ['server_error', 'provider'],
  ['api_error', 'provider'],
  ['connection_failed', 'network'],
  ['timeout', 'timeout'],
  ['timeout_error', 'timeout'],
  ['prompt_too_long', 'context'],
])
// Texts of the programs that give no word (1.0) or a vague one.
const openings: readonly (readonly [string, FaultCategory])[] = [
  ['Prompt is too long', 'context'],
  ['Invalid API key', 'auth'],
  ['Not logged in', 'auth'],
  ['Please run /login', 'auth'],
  ['OAuth token', 'auth'],
  ['Credit balance is too low', 'billing'],
  ["You've hit your", 'rate_limit'],
  ['Claude AI usage limit', 'rate_limit'],
  ['API Error: Connection', 'network'],
  ['API Error (', 'network'],
]

type Trouble = {
  word?: string | null | undefined
  type?: string | null | undefined
  code?: string | null | undefined
  status?: number | null | undefined
  terminal?: string | null | undefined
}

export function faultFrom(text: string, { word, type, code, status, terminal }: Trouble): Fault {
  const http = nat(status) ?? statusIn(text)
  const category =
    categories.get(terminal === 'prompt_too_long' ? terminal : '') ??
    openings.find(([opening]) => text.startsWith(opening))?.[1] ??
    categories.get(code ?? '') ??
    (http === undefined ? undefined : categoryOfStatus(http)) ??
    categories.get(type ?? '') ??
    categories.get(word ?? '') ??
    (word === 'unknown' && http === undefined && status === null ? 'network' : undefined)
  return faultOf(text, { category, http, code: code ?? type ?? (word === 'unknown' ? undefined : (word ?? undefined)) })
}

/** `API Error: 429 {…}` */
function statusIn(text: string): number | undefined {
  if (!text.startsWith('API Error: ')) return undefined
  const status = Number.parseInt(text.slice(11, 14), 10)
  return status >= 400 && status < 600 ? status : undefined
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Who let a call run or stopped it: `tool_result_meta[].permission_decision`, `permission_denied`. */
export function decider(source: unknown, reason: unknown, allow: boolean): Decider {
  if (reason === 'rule' || reason === 'mode' || reason === 'hook') return reason
  if (reason === 'permissionPromptTool') return 'host'
  if (source === 'hook') return 'hook'
  if (typeof source === 'string' && source.startsWith('user')) return 'user'
  return allow ? 'agent' : 'headless'
}

/** Results of calls that never ran, in the words of the versions that say it in no other way. */
const refusals = [
  'Claude requested permissions to',
  "The user doesn't want to",
  'Permission to use ',
  'This command requires approval',
  'This Bash command contains multiple operations',
  'Cannot write to ',
]
export const soundsRefused = (text: string): boolean => refusals.some((opening) => text.startsWith(opening))
export const soundsInterrupted = (text: string): boolean => text.startsWith('[Request interrupted by user')
/** A call that was ended while it ran is marked as refused; only a sentence at the end of its text says otherwise. */
export const soundsStopped = (text: string): boolean => text.includes('this call was stopped while running')

/** `Exit code 3` opens the result of a failed command. */
export function exitCodeIn(text: string): number | undefined {
  if (!text.startsWith('Exit code ')) return undefined
  const code = Number.parseInt(text.slice(10, 16), 10)
  return Number.isSafeInteger(code) ? code : undefined
}
