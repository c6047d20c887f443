// Codex's words in ours: failures, what became of a call, decisions.
import { isRecord } from '../../base/json.ts'
import type { Fault, Option } from '../../model/event.ts'
import { categoryOfStatus, faultOf } from '../../model/fault.ts'
import type { FaultCategory, Reason, ToolStatus } from '../../model/vocabulary.ts'
import { nat, str } from '../values.ts'

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const byInfo = new Map<string, FaultCategory>([
  ['contextwindowexceeded', 'context'],
  ['sessionbudgetexceeded', 'billing'],
  ['usagelimitexceeded', 'rate_limit'],
  ['ratelimitexceeded', 'rate_limit'],
  ['modelcap', 'rate_limit'],
  ['unauthorized', 'auth'],
  ['serveroverloaded', 'overloaded'],
  ['internalservererror', 'provider'],
  ['badrequest', 'invalid'],
  ['cyberpolicy', 'invalid'],
  ['misalignmentpolicyviolation', 'invalid'],
])
/** Without a status of its own, a failed connection is one of the network. */
const connections: ReadonlySet<string> = new Set(['httpconnectionfailed', 'responsestreamconnectionfailed', 'responsestreamdisconnected'])

const openings: readonly (readonly [string, FaultCategory])[] = [
  ['Missing environment variable', 'auth'], // of the provider's key
  ['stream disconnected', 'network'],
  ['error sending request', 'network'],
  ["You've hit your usage limit", 'rate_limit'],
  ['Quota exceeded', 'billing'],
  ['Codex ran out of room', 'context'],
  ['Selected model is at capacity', 'overloaded'],
]

/** `info` is a word, or an object whose one key is the word: `{httpConnectionFailed: {httpStatusCode: 401}}`. */
export function faultFrom(text: string, info?: unknown, details?: string | null): Fault {
  const [word, body] = isRecord(info) ? (Object.entries(info)[0] ?? []) : [str(info), undefined]
  const told = isRecord(body) ? nat(body['httpStatusCode'] ?? body['http_status_code']) : undefined
  const cause = details || text
  const http = told ?? statusIn(cause)
  const name = word?.replaceAll('_', '').toLowerCase() ?? ''
  const category =
    (cutBy(cause) === 'refusal' ? 'invalid' : undefined) ?? // told as a broken stream
    byInfo.get(name) ??
    (http === undefined ? undefined : categoryOfStatus(http)) ??
    openings.find(([opening]) => cause.startsWith(opening))?.[1] ??
    (connections.has(name) ? 'network' : undefined)
  return faultOf(cause, { category, http, code: name === 'other' ? undefined : word })
}

/** `unexpected status 401 Unauthorized`, `last status: 429 Too Many Requests` */
function statusIn(text: string): number | undefined {
  const found = /\bstatus:? (\d{3})\b/.exec(text.slice(0, 400))
  return found === null ? undefined : Number(found[1])
}

/** `Incomplete response returned, reason: max_output_tokens` */
function cutBy(text: string): Reason | undefined {
  const word = /Incomplete response returned, reason: (\w+)/.exec(text.slice(0, 400))?.[1]
  return word === 'max_output_tokens' ? 'max_tokens' : word === 'content_filter' ? 'refusal' : undefined
}

export const reasonOfFault = ({ category, code, text }: Fault): Reason =>
  cutBy(text) ??
  (category === 'context' ? 'context' : code?.replaceAll('_', '').toLowerCase() === 'sessionbudgetexceeded' ? 'budget' : 'error')

/** `Reconnecting... 1/2 (why)`: tried again, nothing is lost yet. */
export function retryIn(text: string): { attempt: number; max: number; why: string | undefined } | undefined {
  if (!text.startsWith('Reconnecting')) return undefined
  const found = /^Reconnecting\D{0,8}(\d{1,6})\/(\d{1,6})/.exec(text.slice(0, 40))
  if (found === null) return undefined
  const rest = text.slice(found[0].length).trim()
  return { attempt: Number(found[1]), max: Number(found[2]), why: rest.startsWith('(') ? rest.slice(1, -1) : rest || undefined }
}

// ── turns, calls, agents ─────────────────────────────────────────────────────────────────────────────────────────────────

const statuses = new Map<string, ToolStatus>([
  ['completed', 'ok'],
  ['failed', 'error'],
  ['errored', 'error'],
  ['notfound', 'error'],
  ['declined', 'denied'],
  ['denied', 'denied'],
  ['interrupted', 'cancelled'],
  ['shutdown', 'cancelled'],
  ['inprogress', 'abandoned'], // said to be over while it was not
])
/** What became of an item, a turn or an agent; undefined while it goes on, or when nothing is said. */
export const statusOf = (word: unknown): ToolStatus | undefined =>
  typeof word === 'string' ? statuses.get(word.replaceAll('_', '').toLowerCase()) : undefined

/** The lines before `Output:`, in which a shell tool tells how its command went. */
function headerOf(output: string): string {
  const head = output.slice(0, 300)
  const end = head.indexOf('Output:')
  return end === -1 ? '' : head.slice(0, end)
}

/** In the form of its time: `Process exited with code 3`, `Exit code: 3`, or JSON with metadata. */
export function exitCodeIn(output: string): number | undefined {
  const found = output.startsWith('{"output"')
    ? /"exit_code":(-?\d{1,10})\b/.exec(output.slice(-200))
    : /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/m.exec(headerOf(output))
  return found === null ? undefined : Number(found[1])
}

/** The command goes on by itself, under this number. */
export const processIn = (output: string): string | undefined => /^Process running with session ID (\d{1,12})$/m.exec(headerOf(output))?.[1]

const refusals = ['patch rejected', 'rejected by user', 'approval policy is', 'exec command rejected', 'exec_command failed: Rejected']
const failures = [
  'unsupported call',
  'unsupported custom tool call',
  'failed to parse function arguments',
  'exec_command failed',
  'apply_patch verification failed',
  'tool call error',
  'err: ',
]

/** What an answer says in words alone, for calls that never ran. */
export function soundsLike(output: string): ToolStatus | undefined {
  if (refusals.some((opening) => output.startsWith(opening))) return 'denied'
  if (output.startsWith('aborted')) return 'cancelled'
  return failures.some((opening) => output.startsWith(opening)) ? 'error' : undefined
}

// ── decisions ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Decided = { decision: 'allow' | 'reject'; kind: Option['kind']; scope?: 'once' | 'session' | 'always'; stop?: true }

const decided = new Map<string, Decided>([
  ['accept', { decision: 'allow', kind: 'allow_once', scope: 'once' }],
  ['approved', { decision: 'allow', kind: 'allow_once', scope: 'once' }],
  ['acceptForSession', { decision: 'allow', kind: 'allow_session', scope: 'session' }],
  ['approved_for_session', { decision: 'allow', kind: 'allow_session', scope: 'session' }],
  ['acceptWithExecpolicyAmendment', { decision: 'allow', kind: 'allow_always', scope: 'always' }],
  ['approved_execpolicy_amendment', { decision: 'allow', kind: 'allow_always', scope: 'always' }],
  ['applyNetworkPolicyAmendment', { decision: 'allow', kind: 'allow_always', scope: 'always' }],
  ['decline', { decision: 'reject', kind: 'reject_once' }],
  ['denied', { decision: 'reject', kind: 'reject_once' }],
  ['timed_out', { decision: 'reject', kind: 'reject_once' }],
  ['cancel', { decision: 'reject', kind: 'cancel', stop: true }],
  ['abort', { decision: 'reject', kind: 'cancel', stop: true }],
])

/** A decision is a word, or an object whose one key is the word. One that nobody knows counts as a no. */
export function decidedBy(decision: unknown): Decided & { id: string } {
  const id = str(decision) ?? (isRecord(decision) ? Object.keys(decision)[0] : undefined) ?? ''
  if (id === 'applyNetworkPolicyAmendment' && denies(decision)) return { id, decision: 'reject', kind: 'reject_always', scope: 'always' }
  return { id, ...(decided.get(id) ?? { decision: 'reject', kind: 'reject_once' }) }
}

function denies(decision: unknown): boolean {
  const body = isRecord(decision) ? decision['applyNetworkPolicyAmendment'] : undefined
  const rule = isRecord(body) ? body['network_policy_amendment'] : undefined
  return isRecord(rule) && rule['action'] === 'deny'
}

const usualDecisions = ['accept', 'acceptForSession', 'decline', 'cancel']
export const optionsOf = (decisions: readonly unknown[] | null | undefined): Option[] =>
  (decisions ?? usualDecisions).map((decision) => {
    const { id, kind } = decidedBy(decision)
    return { id, kind }
  })
