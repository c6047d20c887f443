// What went wrong with a call of a model. Errors are known by their fields, not by their class: a class may be there in several copies,
// some servers send plain objects, and the errors of a script are ours.
import { isRecord, type Rec } from '../../../base/json.ts'
import type { Fault } from '../../../model/event.ts'
import { categoryOfStatus, codeText, faultOf } from '../../../model/fault.ts'
import type { FaultCategory } from '../../../model/vocabulary.ts'
import { longestWaitMs } from './retry.ts'

/** As the providers' packages throw them. */
export const apiError = (status: number, message: string, headers: Record<string, string>): Error =>
  Object.assign(new Error(message), { name: 'AI_APICallError', statusCode: status, responseHeaders: headers })

/** The connection broke. */
export const brokenOff = (message = 'the answer of the model broke off'): Error => Object.assign(new Error(message), { code: 'ECONNRESET' })

export type Failure = { finish: 'error' | 'cut'; error: Fault; retryAfterMs?: number }

/** `begun`: a part of the answer had come already. */
export function failureOf(error: unknown, begun: boolean, now = Date.now): Failure {
  const causes = causesOf(error)
  const http = firstOf(causes, statusOf)
  const said = firstOf(causes, messageOf) ?? 'the call of the model failed, and nothing says why'
  const isNetwork = http === undefined && causes.some(isOfNetwork)
  const category = isNetwork ? 'network' : (categoryOfText(causes, http, said) ?? (http === undefined ? undefined : categoryOfStatus(http)))
  const retryAfterMs = firstOf(causes, (cause) => retryAfterOf(cause, now))
  const isTooLong = retryAfterMs !== undefined && retryAfterMs > longestWaitMs
  const text = isTooLong ? `${said} (the provider asks to wait ${Math.ceil(retryAfterMs / 60_000)} minutes; that is too long)` : said
  return {
    finish: isNetwork && begun ? 'cut' : 'error',
    error: faultOf(text, {
      category,
      http,
      code: http === undefined ? firstOf(causes, ({ code }) => codeText(code)) : String(http),
      retryable: !isTooLong && (isNetwork || isRetryable(category, http, causes)),
    }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): Rec[] {
  const causes: Rec[] = []
  for (let cause = error; isRecord(cause) && causes.length < 8; cause = cause['cause'] ?? cause['lastError']) causes.push(cause)
  return causes.length > 0 ? causes : [{ message: String(error) }]
}

function firstOf<Value>(causes: readonly Rec[], read: (cause: Rec) => Value | undefined): Value | undefined {
  for (const cause of causes) {
    const value = read(cause)
    if (value !== undefined) return value
  }
  return undefined
}

/** An answer that says 200 and cannot be read has no status worth telling. */
const statusOf = ({ statusCode, status, code }: Rec): number | undefined =>
  [statusCode, status, code].find((value): value is number => typeof value === 'number' && value >= 400 && value < 600)

const messageOf = ({ message }: Rec): string | undefined => (typeof message === 'string' && message.trim() !== '' ? message : undefined)

const networkCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_)/
const networkMessages = /^terminated$|fetch failed|socket hang up|other side closed|network error|stream ended without/i
/** Answers that cannot be read: mostly cut ones. */
const unreadable = new Set(['AI_InvalidResponseDataError', 'AI_JSONParseError', 'AI_EmptyResponseBodyError'])

const isOfNetwork = (cause: Rec): boolean =>
  networkCodes.test(codeText(cause['code']) ?? '') || unreadable.has(String(cause['name'])) || networkMessages.test(messageOf(cause) ?? '')

const overflow =
  /prompt is too long|context[ _]?(length|window|limit)|maximum context|too many (input )?tokens|token count.*exceeds|exceeds.*(token limit|maximum.*tokens)/i
const billing = /insufficient_quota|credit balance|exceeded your current quota.*billing|payment required/i

/** What the status does not tell. */
function categoryOfText(causes: readonly Rec[], http: number | undefined, text: string): FaultCategory | undefined {
  if (http !== undefined && (http < 400 || http >= 500)) return undefined
  const all = `${text} ${firstOf(causes, ({ responseBody }) => (typeof responseBody === 'string' ? responseBody : undefined)) ?? ''}`
  if (http !== 429 && http !== 401 && http !== 403 && overflow.test(all)) return 'context'
  if ((http === 429 || http === 400 || http === 403) && billing.test(all)) return 'billing'
  return undefined
}

function isRetryable(category: FaultCategory | undefined, http: number | undefined, causes: readonly Rec[]): boolean {
  if (category === 'context' || category === 'billing') return false
  if (http !== undefined) return http === 408 || http === 409 || http === 429 || http >= 500
  return causes.some((cause) => cause['isRetryable'] === true)
}

function retryAfterOf(cause: Rec, now: () => number): number | undefined {
  const headers = isRecord(cause['responseHeaders']) ? cause['responseHeaders'] : {}
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  const after = headers['retry-after']
  if (typeof after === 'string' && after.trim() !== '') {
    const ms = Number.isNaN(Number(after)) ? Date.parse(after) - now() : Number(after) * 1000
    if (Number.isFinite(ms)) return Math.max(0, ms)
  }
  // Gemini says it in the body alone.
  const delay = typeof cause['responseBody'] === 'string' ? /"retryDelay":\s*"([\d.]+)s"/.exec(cause['responseBody'])?.[1] : undefined
  return delay === undefined ? undefined : Number(delay) * 1000
}
