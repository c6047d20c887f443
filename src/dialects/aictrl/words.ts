// aictrl's words and ours, both ways. The program says the AI SDK's finish words, the document three of its own: we read
// both and write the document's.
import type { Fault } from '../../model/event.ts'
import { categoryOfStatus } from '../../model/fault.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { type FaultCategory, faultCategories, type Reason, reasons } from '../../model/vocabulary.ts'

/** How the ids begin that we give to calls without one. */
export const unnamedCall = '~call-'

// ── finish ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const finishRead = new Map<string, Reason>([
  ['tool-calls', 'tool_use'],
  ['end_turn', 'end_turn'],
  ['max_tokens', 'max_tokens'],
  ['stop', 'end_turn'],
  ['other', 'end_turn'],
  ['length', 'max_tokens'],
  ['content-filter', 'refusal'],
  ['error', 'error'],
  ['unknown', 'unknown'],
])
/** A call that failed or was cut has no finish word: the program leaves the key out too. */
const finishWritten = new Map<Reason, 'tool-calls' | 'end_turn' | 'max_tokens'>([
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'max_tokens'],
  ['end_turn', 'end_turn'],
  ['stop_sequence', 'end_turn'],
  ['refusal', 'end_turn'],
  ['exit', 'end_turn'],
  ['max_iterations', 'end_turn'],
])

export const isFinishWord = (word: string): boolean => finishRead.has(word)
export const finishOf = (word: string): Reason => finishRead.get(word) ?? 'unknown'
export const finishWord = (reason: Reason): 'tool-calls' | 'end_turn' | 'max_tokens' | undefined => finishWritten.get(reason)

// ── how a session ended ──────────────────────────────────────────────────────────────────────────────────────────────────

/** aictrl calls these a normal end: no session_error. */
const normal: ReadonlySet<Reason> = new Set<Reason>(['end_turn', 'stop_sequence', 'exit', 'max_iterations'])
export const isAbnormal = (reason: Reason): boolean => !normal.has(reason)

const errorRead = new Map<string, FaultCategory>([
  ['rate_limit', 'rate_limit'],
  ['auth', 'auth'],
  ['timeout', 'timeout'],
  ['oom', 'oom'],
  ['provider', 'provider'],
  ['unknown', 'unknown'],
  ['interrupted', 'cancelled'],
  ['terminated', 'cancelled'], // newer programs, for SIGINT and SIGTERM
])
const errorWritten = new Map<FaultCategory, string>([
  ['rate_limit', 'rate_limit'],
  ['auth', 'auth'],
  ['timeout', 'timeout'],
  ['oom', 'oom'],
  ['provider', 'provider'],
  ['overloaded', 'provider'],
  ['network', 'provider'],
])
const knownReasons: ReadonlySet<string> = new Set(reasons)
/** A cap goes by its own name, so that of the model's limit has another. */
const caps: ReadonlySet<string | undefined> = new Set(['max_cost', 'max_tokens', 'max_tool_calls'])
const tokenLimit = 'token_limit'
const knownCategories: ReadonlySet<string> = new Set(faultCategories)

export const isErrorWord = (word: string): boolean => errorRead.has(word)

/** What session_error says. Its code may be a word of ours, which says more: a cap, a signal's exit code, a category. */
export function readSessionError(word: string, code: string | undefined, text: string): { fault: Fault; reason: Reason } {
  const told = code !== undefined && knownCategories.has(code) ? (code as FaultCategory) : (errorRead.get(word) ?? 'unknown')
  const http = statusOf(code)
  const byStatus = http !== undefined && (told === 'unknown' || told === 'provider') ? categoryOfStatus(http) : undefined // says more
  const category = byStatus ?? (told === 'unknown' && isSignal(code) ? 'cancelled' : told)
  // A timeout of the provider (504) is not that of the session.
  const reason = namedBy(code) ?? reasonOf(category === 'timeout' ? told : category)
  return { fault: { category, text, code, http }, reason }
}

function namedBy(code: string | undefined): Reason | undefined {
  if (caps.has(code)) return 'budget'
  if (code === tokenLimit) return 'max_tokens'
  return code !== undefined && knownReasons.has(code) ? (code as Reason) : undefined
}

const isSignal = (code: string | undefined): boolean => code === '130' || code === '143'

const reasonOf = (category: FaultCategory): Reason =>
  category === 'timeout' || category === 'cancelled' || category === 'context' ? category : 'error'

export function writeSessionError(
  reason: Reason,
  fault: Fault | undefined,
  signal: string | undefined,
): { reason: string; code: string | undefined } {
  const plain = reason === 'error' || reason === 'unknown' || reason === 'cut' // says less than the fault does
  const word = plain
    ? wordOf(fault)
    : reason === 'timeout' || reason === 'stall'
      ? 'timeout'
      : reason === 'degenerate'
        ? 'provider'
        : 'unknown'
  return { reason: word, code: codeOf(reason, fault, signal, word) }
}

const wordOf = (fault: Fault | undefined): string =>
  fault === undefined
    ? 'unknown'
    : fault.http !== undefined && fault.http >= 500
      ? 'provider'
      : (errorWritten.get(fault.category) ?? 'unknown')

const exitCodes = new Map([
  ['SIGINT', '130'],
  ['SIGTERM', '143'],
  ['SIGHUP', '143'],
  ['SIGQUIT', '143'],
])

export const isToldSignal = (signal: string): boolean => exitCodes.has(signal)

/** The status if there is one, else the name that says more than `word`. */
function codeOf(reason: Reason, fault: Fault | undefined, signal: string | undefined, word: string): string | undefined {
  const isStopped = outcomeOf(reason) === 'cancelled' || reason === 'error' || reason === 'unknown' || reason === 'cut'
  const left = signal === undefined || !isStopped ? undefined : exitCodes.get(signal) // else the signal was ours, for that reason
  if (left !== undefined) return left
  if (fault?.http !== undefined) return String(fault.http)
  if (reason === 'max_tokens') return tokenLimit
  if (reason === 'budget' && caps.has(fault?.code)) return fault?.code
  if (reason !== 'error' && reason !== 'unknown' && reason !== word)
    return reason === 'cancelled' && isSignal(fault?.code) ? fault?.code : reason
  if (fault === undefined) return undefined
  return fault.code ?? (fault.category === word || fault.category === 'unknown' ? undefined : fault.category)
}

const reasonTexts = new Map<Reason, string>([
  ['cut', 'the stream ended early'],
  ['tool_use', 'ended while a tool was awaited'],
  ['max_tokens', 'the answer was cut at the token limit'],
  ['max_turns', 'the turn limit was reached'],
  ['budget', 'the budget was used up'],
  ['context', 'the context window is full'],
  ['timeout', 'timed out'],
  ['stall', 'no progress'],
  ['cancelled', 'cancelled'],
  ['cancelled_forced', 'cancelled by force'],
  ['refusal', 'the model refused'],
  ['error', 'failed'],
  ['unknown', 'ended for an unknown reason'],
])
export const reasonText = (reason: Reason): string => reasonTexts.get(reason) ?? reason.replaceAll('_', ' ')

// ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const named = new Map<string, FaultCategory>([
  ['ProviderAuthError', 'auth'],
  ['ContextOverflowError', 'context'],
  ['MessageAbortedError', 'cancelled'],
])
const names = new Map<FaultCategory, string>([
  ['auth', 'ProviderAuthError'],
  ['context', 'ContextOverflowError'],
  ['cancelled', 'MessageAbortedError'],
])

export const categoryOfName = (name: string | undefined): FaultCategory | undefined => (name === undefined ? undefined : named.get(name))
export const errorName = ({ code, category, http }: Fault): string =>
  code !== undefined && code !== String(http) ? code : (names.get(category) ?? (http === undefined ? 'Unknown' : 'APIError'))

/** A code that is an HTTP status of a failure. */
function statusOf(code: string | undefined): number | undefined {
  const status = Number(code)
  return status >= 400 && status <= 599 && Number.isInteger(status) ? status : undefined
}
