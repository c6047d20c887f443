// Parts of opencode's records as parts of events: tokens, cost, times, errors, and what became of a call.
import { isRecord } from '../../base/json.ts'
import type { Cost, Fault, Option, Payload, Rule, Usage } from '../../model/event.ts'
import { codeText, faultOf } from '../../model/fault.ts'
import type { FaultCategory, Reason } from '../../model/vocabulary.ts'
import { textOf } from '../contract.ts'
import type { PartOf, Tokens } from './wire.ts'

// ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const count = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined

/** Five buckets that do not overlap. Where a `total` shows that some provider's reasoning is part of its output, it is taken out. */
export function usageOf(tokens: Tokens): Usage | undefined {
  if (tokens === undefined || tokens === null) return undefined
  const [input, output, reasoning] = [count(tokens.input), count(tokens.output), count(tokens.reasoning)]
  const [cacheRead, cacheWrite] = [count(tokens.cache?.read), count(tokens.cache?.write)]
  const outside = (input ?? 0) + (output ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const inside = output !== undefined && reasoning !== undefined && reasoning <= output && tokens.total === outside
  return { input, output: inside ? output - reasoning : output, reasoning, cacheRead, cacheWrite }
}

export const costOf = (usd: number | null | undefined): Cost | undefined => (typeof usd === 'number' ? { usd, by: 'source' } : undefined)

const span = 2 ** 36

/** Ids of events begin with the time: nine hex digits of milliseconds, which go round every two years, then a counter. */
function millisOfId(id: string | undefined): number | undefined {
  if (id === undefined || id.length < 16 || !id.startsWith('evt_')) return undefined
  let millis = 0
  for (let at = 4; at < 13; at++) {
    const code = id.charCodeAt(at)
    const digit = code < 58 ? code - 48 : code - 87 // a is 97
    if (digit < 0 || digit > 15 || (code > 57 && digit < 10)) return undefined
    millis = millis * 16 + digit
  }
  return millis
}

/** The time of an event that says it only in its id; `near` is any time of these years. */
export function timeOfId(id: string | undefined, near: number | undefined): number | undefined {
  const millis = millisOfId(id)
  if (millis === undefined || !Number.isSafeInteger(near)) return undefined
  const away = (millis - near!) % span
  return near! + (away > span / 2 ? away - span : away < -span / 2 ? away + span : away)
}

// ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const finishes = new Map<string, Reason>([
  ['stop', 'end_turn'],
  ['end_turn', 'end_turn'],
  ['other', 'end_turn'],
  ['tool-calls', 'tool_use'],
  ['length', 'max_tokens'],
  ['max_tokens', 'max_tokens'],
  ['content-filter', 'refusal'],
  ['error', 'error'],
])
export const finishOf = (word: string | null | undefined): Reason | undefined =>
  typeof word === 'string' ? (finishes.get(word) ?? 'unknown') : undefined

export const planStatus = (status: string | null | undefined): 'pending' | 'active' | 'done' =>
  status === 'in_progress' ? 'active' : status === 'completed' || status === 'cancelled' ? 'done' : 'pending'

const changes = new Map<string, 'add' | 'update' | 'delete'>([
  ['add', 'add'],
  ['added', 'add'],
  ['unlink', 'delete'],
  ['deleted', 'delete'],
])
export const changeOf = (word: string | null | undefined): 'add' | 'update' | 'delete' => changes.get(word ?? '') ?? 'update'

/** The three answers that a permission may get. */
export const permissionOptions = (): Option[] => [
  { id: 'once', kind: 'allow_once' },
  { id: 'always', kind: 'allow_always' },
  { id: 'reject', kind: 'reject_once' },
]

export function rulesOf(permission: unknown): Rule[] | undefined {
  if (!Array.isArray(permission)) return undefined
  return permission.flatMap((rule: unknown) => {
    if (!isRecord(rule)) return []
    const { permission: name, pattern, action } = rule
    return typeof name === 'string' && typeof pattern === 'string' && typeof action === 'string'
      ? [{ permission: name, pattern, action }]
      : []
  })
}

// ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const categories = new Map<string, FaultCategory>([
  ['ProviderAuthError', 'auth'],
  ['ContextOverflowError', 'context'],
  ['MessageAbortedError', 'cancelled'],
  ['StructuredOutputError', 'invalid'],
])

/** `name` and `data` in all versions we know; it may be anything in others. */
export function faultOfError(error: unknown): Fault {
  if (!isRecord(error)) return faultOf(error === undefined ? 'the session failed' : textOf(error))
  const data = isRecord(error['data']) ? error['data'] : {}
  const name = codeText(error['name'])
  const text = codeText(data['message']) ?? codeText(error['message']) ?? name ?? textOf(error)
  const http = data['statusCode']
  const retryable = data['isRetryable']
  return faultOf(text, {
    category: name === undefined ? undefined : categories.get(name),
    code: name,
    http: typeof http === 'number' ? count(http) : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
  })
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Tool = PartOf<'tool'>

/** Somebody was asked and said no; opencode then stops. A rule's no is only told to the model. */
export const isRefused = ({ state }: Tool): boolean => {
  if (state.status !== 'error') return false
  const head = textOf(state.error).slice(0, 200)
  return head.includes('rejected permission') || head.includes('dismissed this question')
}

/** How a call ended. `headless`: nobody is asked in a run, every question is answered with no. */
export function resultOf(part: Tool, headless: boolean): Payload<'tool.end'> {
  const { state } = part
  if (state.status === 'error') {
    const text = textOf(state.error ?? state.output ?? '')
    const head = text.slice(0, 200)
    if (isRefused(part)) return { status: 'denied', text, permitted: headless ? { allow: false, by: 'headless' } : undefined }
    if (head.includes('specified a rule which prevents')) return { status: 'denied', text, permitted: { allow: false, by: 'rule' } }
    return head.includes('Tool execution aborted') ? { status: 'cancelled', text } : { status: 'error', text, error: faultOf(text) }
  }
  const text = shownText(state)
  if (part.tool === 'invalid') return invalidResult(state.input, text)
  const exit = state.metadata?.['exit']
  const data = typeof state.output === 'string' ? undefined : (state.metadata ?? undefined) // beside an output only a side note
  return {
    ...(exit === null ? stoppedResult(text) : { status: 'ok' }),
    text,
    content: state.attachments ?? undefined,
    data,
    exitCode: Number.isSafeInteger(exit) ? (exit as number) : undefined,
  }
}

/** The output, or as much of it as a running command has shown. */
export function shownText({ output, metadata }: Tool['state']): string | undefined {
  const shown = output ?? metadata?.['output']
  return typeof shown === 'string' ? shown : undefined
}

/** A command that left no exit code was stopped; the last lines of its output say why. */
function stoppedResult(text = ''): Payload<'tool.end'> {
  const tail = text.slice(-500)
  if (tail.includes('aborted the command')) return { status: 'cancelled' }
  return tail.includes('exceeding timeout')
    ? { status: 'error', error: faultOf('the command timed out', { category: 'timeout' }) }
    : { status: 'ok' }
}

/** Tools that opencode always offers; only a rule of the user takes them away. */
const offered: ReadonlySet<unknown> = new Set(['bash', 'read', 'write', 'edit', 'glob', 'grep', 'task', 'todowrite', 'webfetch', 'skill'])

/** Calls of tools that are not there, and calls that cannot be read. A tool that a rule forbids is not there either. */
function invalidResult(input: unknown, text: string | undefined): Payload<'tool.end'> {
  const { tool, error: why } = isRecord(input) ? input : {}
  const reason = typeof why === 'string' ? why : (text ?? 'invalid call')
  const head = reason.slice(0, 2000)
  // Some models get apply_patch in place of these two.
  const replaced = (tool === 'write' || tool === 'edit') && head.includes('apply_patch')
  if (head.includes('unavailable tool') && offered.has(tool) && !replaced)
    return { status: 'denied', text, permitted: { allow: false, by: 'rule' } }
  return { status: 'error', text, error: faultOf(reason, { category: 'invalid' }) }
}
