// The protocol's words and ours, both ways: reasons, tools, options, tokens, failures.
import { isRecord } from '../../base/json.ts'
import type { Fault, Option, Usage } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { totalTokens } from '../../model/usage.ts'
import type { Decision, FaultCategory, Reason, ToolKind } from '../../model/vocabulary.ts'
import type { Tool, WireError } from './wire.ts'

export const str = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const nat = (value: unknown): number | undefined => (typeof value === 'number' && value >= 0 ? Math.trunc(value) : undefined)
/** A member of something that may be no object. */
export const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined)

// ── reasons ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const readReasons: ReadonlyMap<string, Reason> = new Map([
  ['end_turn', 'end_turn'],
  ['max_tokens', 'max_tokens'],
  ['max_turn_requests', 'max_turns'],
  ['refusal', 'refusal'],
  ['cancelled', 'cancelled'],
])
export const reasonOf = (word: string): Reason => readReasons.get(word) ?? 'unknown'

const stopReasons: Partial<Record<Reason, string>> = {
  end_turn: 'end_turn',
  stop_sequence: 'end_turn',
  exit: 'end_turn',
  max_iterations: 'end_turn',
  max_tokens: 'max_tokens',
  max_turns: 'max_turn_requests',
  refusal: 'refusal',
  cancelled: 'cancelled',
  cancelled_forced: 'cancelled',
}
/** Undefined: the turn failed, and that is said by an error. */
export const stopReasonOf = (reason: Reason): string | undefined => stopReasons[reason]

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const readKinds: ReadonlyMap<string, ToolKind> = new Map([
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch'] as const).map((kind) => [kind, kind] as const),
  ['switch_mode', 'mode'],
])

/** The protocol has no word for tasks, plans, skills and questions; agents call them think or other, and the name tells more. */
function toolKindFrom(kind: string | null | undefined, name: string): ToolKind {
  const told = readKinds.get(kind ?? '')
  if (told !== undefined && told !== 'think') return told
  const byName = toolKindOf(name)
  return byName === 'other' ? (told ?? 'other') : byName
}

const wireKinds: Record<ToolKind, string> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'execute',
  fetch: 'fetch',
  think: 'think',
  task: 'think',
  plan: 'think',
  skill: 'other',
  question: 'other',
  mode: 'switch_mode',
  other: 'other',
}
export const wireKindOf = (kind: ToolKind): string => wireKinds[kind]

/** `mcp__server__tool`, as Claude names them; Codex names server and tool in the input. */
function serverOf(name: string, isMcp: boolean, input: unknown): string | undefined {
  if (isMcp) return str(at(input, 'server'))
  const end = name.startsWith('mcp__') ? name.indexOf('__', 5) : -1
  return end === -1 ? undefined : name.slice(5, end)
}

/**
 * What is called. Newer agents tell the name; Claude's tells it in `_meta`, Gemini's as the opening of the call's id. Else the title is
 * taken for the name if it is that of a tool we know, or if no kind says more; else the kind is.
 */
export function toolOf(
  { toolCallId: id, title, name, kind, rawInput, _meta: meta }: Tool,
  program?: string,
): {
  name: string
  toolKind: ToolKind
  server: string | undefined
} {
  const isMcp = at(meta, 'is_mcp_tool_call') === true
  const sort = isMcp || kind === 'other' ? '' : (kind ?? '')
  const label = title ?? ''
  const called =
    str(name) ??
    str(at(at(meta, 'claudeCode'), 'toolName')) ??
    nameInId(id, program) ??
    (label !== '' && (sort === '' || isTool(label, sort)) ? label : sort)
  const server = serverOf(called, isMcp, rawInput)
  return { name: called, toolKind: toolKindFrom(isMcp || server !== undefined ? 'other' : kind, called), server }
}

/** A command may be called like a tool of another kind. */
const isTool = (title: string, kind: string): boolean => toolKindOf(title) !== 'other' && toolKindFrom(kind, title) === toolKindOf(title)

/** `write_file__write_file_1794773642572_0`; of Gemini whatever stands before, for the model's own id may follow it. */
function nameInId(id: string, program: string | undefined): string | undefined {
  const end = id.indexOf('__')
  return end > 0 && (program === 'gemini-cli' || id.startsWith(`${id.slice(0, end)}_`, end + 2)) ? id.slice(0, end) : undefined
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const optionKinds: ReadonlySet<string> = new Set(['allow_once', 'allow_always', 'reject_once', 'reject_always'])

/** What nobody can tell counts as a no: a policy that looks for an allow must not find one by guess. */
export const optionKindOf = (kind: string | undefined, id: string): Option['kind'] => {
  if (kind !== undefined && optionKinds.has(kind)) return kind as Option['kind']
  const word = id.toLowerCase()
  if (/reject|deny|cancel|\bno\b/.test(word)) return 'reject_once'
  if (!/allow|proceed|approve|accept|once|always|\byes\b/.test(word)) return 'reject_once'
  return word.includes('always') ? 'allow_always' : 'allow_once'
}

const wireOptions: Record<Option['kind'], string> = {
  allow_once: 'allow_once',
  allow_session: 'allow_always',
  allow_always: 'allow_always',
  reject_once: 'reject_once',
  reject_always: 'reject_always',
  cancel: 'reject_once',
}
export const wireOptionOf = (kind: Option['kind']): string => wireOptions[kind]

const actions: ReadonlyMap<string, Decision> = new Map([
  ['accept', 'allow'],
  ['decline', 'reject'],
])
/** What became of a question with a form. */
export const decisionOf = (action: string): Decision => actions.get(action) ?? 'cancelled'

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Buckets by the names of the protocol, and those that agents use in `_meta`. Undefined where none is told. */
export function usageFrom(wire: unknown): Usage | undefined {
  if (!isRecord(wire)) return undefined
  const first = (...keys: string[]): number | undefined => nat(wire[keys.find((key) => nat(wire[key]) !== undefined) ?? ''])
  const usage: Usage = {
    input: first('inputTokens', 'input_tokens'),
    output: first('outputTokens', 'output_tokens'),
    reasoning: first('thoughtTokens', 'reasoningOutputTokens', 'thought_tokens'),
    cacheRead: first('cachedReadTokens', 'cachedInputTokens', 'cached_read_tokens'),
    cacheWrite: first('cachedWriteTokens', 'cacheWriteInputTokens', 'cached_write_tokens'),
  }
  if (Object.values(usage).every((bucket) => bucket === undefined)) return undefined
  return apart(usage, first('totalTokens', 'total_tokens'))
}

/** A total of input and output alone says that what was cached or thought is contained in them. */
function apart(usage: Usage, total: number | undefined): Usage {
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = usage
  if (total !== input + output || total === totalTokens(usage)) return usage
  return { ...usage, input: Math.max(0, input - cacheRead - cacheWrite), output: Math.max(0, output - reasoning) }
}

export type WireUsage = { [Key in 'totalTokens' | 'inputTokens' | 'outputTokens']: number } & {
  [Key in 'thoughtTokens' | 'cachedReadTokens' | 'cachedWriteTokens']: number | undefined
}
export const wireUsageOf = (usage: Usage): WireUsage => ({
  totalTokens: totalTokens(usage),
  inputTokens: usage.input ?? 0,
  outputTokens: usage.output ?? 0,
  thoughtTokens: usage.reasoning,
  cachedReadTokens: usage.cacheRead,
  cachedWriteTokens: usage.cacheWrite,
})

/** Dollars, without the dust that differences of binary fractions leave. */
export const usd = (amount: number): number => (Math.abs(amount) < 1e6 ? Math.round(amount * 1e9) / 1e9 : amount)

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const cancelledCode = -32800
export const authCode = -32000
export const internalCode = -32603

const categories: ReadonlyMap<number, FaultCategory> = new Map([
  [authCode, 'auth'],
  [cancelledCode, 'cancelled'],
  [-32700, 'invalid'],
  [-32600, 'invalid'],
  [-32601, 'invalid'],
  [-32602, 'invalid'],
  [-32002, 'invalid'],
])
/** The request itself was wrong: it is no failure of a turn. */
export const isBadRequest = (code: number): boolean => code === -32700 || (code >= -32602 && code <= -32600)

const sounds: readonly (readonly [RegExp, FaultCategory])[] = [
  [/api key|invalid key|authenticat|unauthorized/i, 'auth'],
  [/rate limit|too many requests|usage limit/i, 'rate_limit'],
  [/overloaded/i, 'overloaded'],
  [/prompt is too long|context (?:length|window)/i, 'context'],
  [/credit balance|billing/i, 'billing'],
  [
    /^(?:Internal error: )?(?:terminated|fetch failed|socket hang up|other side closed|stream disconnected|error sending request)\b/i,
    'network',
  ],
]
export const soundOf = (text: string): FaultCategory | undefined => sounds.find(([words]) => words.test(text.slice(0, 2000)))?.[1]

/** The status of an HTTP answer that the text tells of. */
export const statusIn = (text: string): number | undefined =>
  nat(Number(/\b(?:API Error:|HTTP|status(?: code)?:?|Request rejected) ?\(?([45]\d\d)\b/i.exec(text.slice(0, 2000))?.[1]))

/** Claude's own words for what went wrong with the model. */
const errorKinds: ReadonlyMap<unknown, FaultCategory> = new Map<unknown, FaultCategory>([
  ['rate_limit', 'rate_limit'],
  ['overloaded', 'overloaded'],
  ['authentication_failed', 'auth'],
  ['oauth_org_not_allowed', 'auth'],
  ['billing_error', 'billing'],
  ['invalid_request', 'invalid'],
  ['model_not_found', 'invalid'],
  ['server_error', 'provider'],
  ['transport_lost', 'network'],
])

/** Gemini passes on what the provider answered, as JSON. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    return str(at(at(JSON.parse(text), 'error'), 'message')) ?? text
  } catch {
    return text
  }
}

/** Some agents write the status of an HTTP answer in place of a code, or in the text. */
export function faultFrom({ code, message: said, data }: WireError): Fault {
  const message = messageIn(said)
  const details = str(data) ?? str(at(data, 'details')) ?? str(at(data, 'message'))
  const text = details === undefined || message.includes(details) ? message : `${message}: ${details}`
  const status = code >= 400 && code < 600 ? code : (nat(at(data, 'statusCode')) ?? nat(at(data, 'status')))
  const http = status ?? statusIn(text)
  const sound = soundOf(text) ?? errorKinds.get(at(data, 'errorKind'))
  const isCut = sound === 'network' // then there was no answer that could have had a status
  const category = categories.get(code) ?? (http === undefined || isCut ? sound : undefined)
  return faultOf(text, { category, http: isCut ? undefined : http, code: String(code) })
}

const cuts: readonly (readonly [RegExp, Reason])[] = [
  [/Incomplete response returned, reason: max_output_tokens/, 'max_tokens'],
  [/Incomplete response returned, reason: content_filter/, 'refusal'],
  [/response exceeded the \d+ output token maximum/, 'max_tokens'],
]

/** Adapters pass on as a failure what Codex and Claude say of a limit, or of a refusal of the model. */
export const reasonOfFault = ({ category, text }: Fault): Reason =>
  cuts.find(([words]) => words.test(text.slice(0, 400)))?.[1] ?? (category === 'context' ? 'context' : 'error')
