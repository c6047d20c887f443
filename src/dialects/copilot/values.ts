// Copilot's words and numbers in ours. Pure functions; anything that is not what it should be is absent.
import { isRecord } from '../../base/json.ts'
import type { Fault, Usage } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Decider, Decision, FaultCategory, Reason } from '../../model/vocabulary.ts'
import { nat } from '../values.ts'
import { usageOfWholes } from '../../model/usage.ts'

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Tokens = {
  inputTokens?: number | null | undefined
  outputTokens?: number | null | undefined
  reasoningTokens?: number | null | undefined
  cacheReadTokens?: number | null | undefined
  cacheWriteTokens?: number | null | undefined
}

export const usageOf = (tokens: Tokens): Usage =>
  usageOfWholes(
    nat(tokens.inputTokens),
    nat(tokens.outputTokens),
    nat(tokens.reasoningTokens),
    nat(tokens.cacheReadTokens),
    nat(tokens.cacheWriteTokens),
  )

// ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const finishes = new Map<string, Reason>([
  ['stop', 'end_turn'],
  ['end_turn', 'end_turn'],
  ['tool_calls', 'tool_use'],
  ['tool_use', 'tool_use'],
  ['function_call', 'tool_use'],
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['content_filter', 'refusal'],
  ['refusal', 'refusal'],
  ['stop_sequence', 'stop_sequence'],
])
export const finishOf = (word: string | null | undefined): Reason | undefined => finishes.get(word ?? '')

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const categories = new Map<string, FaultCategory>([
  ['authentication', 'auth'],
  ['authentication_error', 'auth'],
  ['authorization', 'auth'],
  ['permission_error', 'auth'],
  ['rate_limit', 'rate_limit'],
  ['rate_limit_error', 'rate_limit'],
  ['quota', 'billing'],
  ['billing_error', 'billing'],
  ['overloaded_error', 'overloaded'],
  ['context_limit', 'context'],
  ['invalid_request_error', 'invalid'],
  ['not_found_error', 'invalid'],
  ['api_error', 'provider'],
  ['transport', 'network'],
  ['timeout', 'timeout'],
])

type Trouble = { word?: string | null | undefined; kind?: string | null | undefined; status?: number | null | undefined }

/** `word` is the error's type, `kind` where it came from: the provider (`api`) or the way there (`transport`). */
export function faultFrom(text: string, { word, kind, status }: Trouble): Fault {
  const category = categories.get(word ?? '') ?? categories.get(kind ?? '')
  return faultOf(text, { category, http: nat(status), code: word ?? undefined })
}

const longestMessage = 65_536

/** A provider's error comes as JSON: an object with a `message`, or a bare string. */
export function messageIn(text: string): string {
  if ((!text.startsWith('{') && !text.startsWith('"')) || text.length > longestMessage) return text
  try {
    const value: unknown = JSON.parse(text)
    const inner = isRecord(value) ? value['message'] : value
    return typeof inner === 'string' ? inner : text
  } catch {
    return text
  }
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const deciders = new Map<string, Decider>([
  ['denied-by-rules', 'rule'],
  ['denied-interactively-by-user', 'user'],
  ['denied-no-approval-rule-and-could-not-request-from-user', 'headless'],
  ['denied-by-content-exclusion-policy', 'policy'],
  ['denied-by-permission-request-hook', 'hook'],
  ['approved-for-session', 'user'],
  ['approved-for-location', 'user'],
])

/** Who decided: the verdict says it, else the word for where it came from. */
export function deciderOf(verdict: string, source: string | null | undefined): Decider {
  const told = deciders.get(verdict)
  if (told !== undefined || !source) return told ?? 'unknown'
  if (source.includes('unattended')) return 'headless'
  return sources.find((word) => source.includes(word)) ?? 'unknown'
}
const sources = ['user', 'hook', 'rule', 'policy', 'host', 'mode'] as const

export const decisionOf = (verdict: string): Decision =>
  verdict.startsWith('approved') ? 'allow' : verdict === 'cancelled' ? 'cancelled' : 'reject'

/** On stdout only the text of a refused call says who refused it. */
export function refuserIn(text: string): Decider {
  if (text.includes('denied due to the following rules')) return 'rule'
  if (text.includes('no interactive user response') || text.includes('could not request permission')) return 'headless'
  return text.startsWith('The user') ? 'user' : 'unknown'
}

// ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const tail = 100

/** What the agent itself writes under a command's output: `<shellId: 0 completed with exit code 3>`. */
export function exitCodeIn(text: string): number | undefined {
  const found = /<[^<>]*exit code (-?\d{1,10})>\s*$/.exec(text.slice(-tail))
  return found === null ? undefined : Number(found[1])
}
