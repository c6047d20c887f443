// Gemini's words and numbers in ours. Pure functions; anything that is not what it should be is absent.
import { isRecord } from '../../base/json.ts'
import type { Fault, Payload, Usage } from '../../model/event.ts'
import { codeText, faultOf } from '../../model/fault.ts'
import type { Decider, FaultCategory, Reason, ToolKind, ToolStatus } from '../../model/vocabulary.ts'
import { nat, str } from '../values.ts'
import type { Wire } from './wire.ts'

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const less = (whole: number | undefined, part: number | undefined): number | undefined =>
  whole === undefined ? undefined : Math.max(0, whole - (part ?? 0))
const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined ? a : (a ?? 0) + (b ?? 0)

type Counts = NonNullable<NonNullable<Wire<'result'>['stats']>['models']>[string]

/** `stats` of a result: cached tokens are part of the input, and thoughts of the total alone. */
export function usageOfStats(stats: Counts): Usage {
  const [total, input, output, cacheRead] = [stats.total_tokens, stats.input_tokens, stats.output_tokens, stats.cached].map(nat)
  const rest = total === undefined || input === undefined || output === undefined ? undefined : less(total, input + output)
  return { input: less(input, cacheRead) ?? nat(stats.input), output, reasoning: rest, cacheRead }
}

/** Tokens by name, in a chat file and in the one object: `prompt` has the cached ones, `tool` is what a tool of the provider read. */
export function usageOfTokens(prompt: unknown, output: unknown, { cached, thoughts, tool }: { [key: string]: unknown }): Usage {
  const cacheRead = nat(cached)
  return { input: sum(less(nat(prompt), cacheRead), nat(tool)), output: nat(output), reasoning: nat(thoughts), cacheRead }
}

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const categories = new Map<string, FaultCategory>([
  ['FatalAuthenticationError', 'auth'],
  ['FatalInputError', 'invalid'],
  ['FatalConfigError', 'invalid'],
  ['FatalCancellationError', 'cancelled'],
])
const reasons = new Map<string, Reason>([
  ['FatalTurnLimitedError', 'max_turns'],
  ['FatalCancellationError', 'cancelled'],
])

export type Stop = { reason: Reason; error: Fault | undefined }

/** `error` of a result or of the one object. Its code is an exit code, or the status that the provider gave. */
export function stopOf(error: { type?: string | undefined; message?: string | undefined; code?: unknown }): Stop {
  const { type = '', message = '' } = error
  const http = statusOf(nat(Number(error.code))) ?? statusIn(message)
  const code = type === '' || type === 'unknown' ? codeText(error.code) : type
  return { reason: reasons.get(type) ?? 'error', error: faultOf(message, { category: categories.get(type), code, http }) }
}

const statusOf = (code: number | undefined): number | undefined => (code !== undefined && code >= 400 && code < 600 ? code : undefined)

/** `[API Error: {"error":{"code":400,…`, `got status: 429 Too Many Requests` */
function statusIn(message: string): number | undefined {
  const found = /"code":\s*(\d{3})\b|\bstatus: (\d{3})\b/.exec(message.slice(0, 2000))
  return found === null ? undefined : statusOf(Number(found[1] ?? found[2]))
}

export const faultIn = (message: string): Fault => faultOf(message, { http: statusIn(message) })

const openings: readonly (readonly [opening: string, code: string, reason: Reason])[] = [
  ['Loop detected', 'loop', 'degenerate'],
  ['Maximum session turns exceeded', 'max_turns', 'max_turns'],
  ['Reached max session turns', 'max_turns', 'max_turns'],
  ['Agent execution blocked', 'blocked', 'blocked'],
  ['Agent execution stopped', 'stopped', 'blocked'],
]

/** What the program says when it stops by itself; the result that follows still claims success. */
export function ownStop(message: string): (Stop & { code: string }) | undefined {
  const found = openings.find(([opening]) => message.startsWith(opening))
  return found === undefined
    ? undefined
    : { code: found[1], reason: found[2], error: { category: 'unknown', text: message, code: found[1] } }
}

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `mcp_server_tool`; in older versions `server__tool`. */
export function serverOf(name: string): string | undefined {
  const parts = name.startsWith('mcp_') ? name.slice(4).split('_') : name.split('__')
  return parts.length > 1 && parts[0] !== '' ? parts[0] : undefined
}

export function pathsOf(input: unknown): string[] | undefined {
  if (!isRecord(input)) return undefined
  const path = str(input['file_path']) ?? str(input['absolute_path']) ?? str(input['dir_path']) ?? str(input['path'])
  return path === undefined ? undefined : [path]
}

const refusals: readonly (readonly [words: string, by: Decider])[] = [
  ['Tool execution denied by policy', 'rule'],
  ['[Operation Cancelled] Reason: User d', 'user'], // denied execution, did not allow
  ['requires user confirmation, which is not supported', 'headless'],
]

/** Who refused the call, if somebody did. */
function refuserIn(text: string, code: string | undefined): Decider | undefined {
  const head = text.slice(0, 300)
  return refusals.find(([words]) => head.includes(words))?.[1] ?? (code === 'policy_violation' ? 'rule' : undefined)
}

const statuses = new Map<string, ToolStatus>([
  ['success', 'ok'],
  ['error', 'error'],
  ['cancelled', 'cancelled'],
])

/** Undefined while the call goes on. */
export const toolStatusOf = (status: string | undefined): ToolStatus | undefined => statuses.get(status ?? '')

type Ending = Pick<Payload<'tool.end'>, 'status' | 'exitCode' | 'error' | 'permitted'>

/**
 * How a call ended, from its status and its text: what became of a command, and that a call was refused, is often told only there.
 * `text` is what the program made, for the model or for people.
 */
export function endingOf(toolKind: ToolKind, status: ToolStatus, text: string, code?: string): Ending {
  if (status !== 'ok') {
    const by = refuserIn(text, code)
    const error = faultOf(text, { code })
    return by === undefined ? { status, error } : { status: 'denied', error, permitted: { allow: false, by } }
  }
  if (toolKind !== 'execute') return { status }
  const exitCode = exitCodeIn(text)
  if (exitCode !== undefined) return { status, exitCode }
  if (text.startsWith('Command was automatically cancelled'))
    return { status: 'error', error: faultOf(text.slice(0, 300), { category: 'timeout' }) }
  if (text.startsWith('Command was cancelled by user') || text.startsWith('Command cancelled by user')) return { status: 'cancelled' }
  return text.startsWith('Command terminated by signal: ') && text.length < 60 ? { status: 'error', error: faultOf(text) } : { status }
}

/** After the output the program lists what else is to know; a command that printed nothing has its code in a sentence. */
const exitLine =
  /(?:^|\n)Exit Code: (-?\d{1,10})(?:\nSignal: [^\n]*)?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?(?:\n<\/untrusted_context>)?\s*$/
const exitSentence = /^Command exited with code: (-?\d{1,10})$/

function exitCodeIn(text: string): number | undefined {
  const found = exitLine.exec(text.slice(-500)) ?? (text.length < 60 ? exitSentence.exec(text) : null)
  return found === null ? undefined : Number(found[1])
}
