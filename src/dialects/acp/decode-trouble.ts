// What Codex tells of trouble. The protocol has no word for it: a retry and the state of the thread stand in `_meta`, what went wrong is
// said like an answer of the model, but under no message's id, and the turn then ends as if it were done.
import { isRecord } from '../../base/json.ts'
import type { Fault } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { FaultCategory } from '../../model/vocabulary.ts'
import type { Reader, Session } from './decode-state.ts'
import { at, soundOf, statusIn, str } from './words.ts'

/** Of a turn. `isOver`: it has failed, whatever its answer says; `told`: as an error of its own. */
export type Trouble = { isOver: boolean; last: Fault | undefined; told: Fault | undefined }

export const noTrouble = (): Trouble => ({ isOver: false, last: undefined, told: undefined })

const byWord: ReadonlyMap<string, FaultCategory> = new Map([
  ['contextWindowExceeded', 'context'],
  ['sessionBudgetExceeded', 'billing'],
  ['usageLimitExceeded', 'rate_limit'],
  ['rateLimitExceeded', 'rate_limit'],
  ['unauthorized', 'auth'],
  ['serverOverloaded', 'overloaded'],
  ['internalServerError', 'provider'],
  ['badRequest', 'invalid'],
  ['httpConnectionFailed', 'network'],
  ['responseStreamConnectionFailed', 'network'],
  ['responseStreamDisconnected', 'network'],
])

/** `info` is a word, or an object whose one key is the word: `{responseStreamDisconnected: {httpStatusCode: 429}}`. */
function faultIn(text: string, info?: unknown): Fault {
  const [word, body] = isRecord(info) ? (Object.entries(info)[0] ?? []) : [str(info), undefined]
  const status = at(body, 'httpStatusCode')
  const http = typeof status === 'number' ? status : statusIn(text)
  const category = http === undefined ? ((word === undefined ? undefined : byWord.get(word)) ?? soundOf(text)) : undefined
  return faultOf(text, { category, http, code: word === 'other' ? undefined : word })
}

/** `_meta.codex.error`: it is tried again, or something beside the turn went wrong. */
export function trouble(on: Reader, session: Session, error: unknown): void {
  const text = str(at(error, 'message')) ?? 'Codex met with an error'
  const fault = faultIn(str(at(error, 'additionalDetails')) ?? text, at(error, 'codexErrorInfo'))
  if (at(error, 'willRetry') !== true) return on.pen.emit('error', { scope: 'turn', fatal: false, error: fault })
  session.trouble.last = fault
  withdraw(on, session)
  const [, attempt, max] = /(\d{1,6})\/(\d{1,6})/.exec(text.slice(0, 40)) ?? []
  on.pen.emit('retry.start', {
    scope: 'model',
    attempt: Number(attempt ?? 1),
    max: max === undefined ? undefined : Number(max),
    error: fault,
  })
}

/** What was said when the connection broke is said again, in another message. */
function withdraw({ pen }: Reader, { speaking: message }: Session): void {
  if (message === undefined || !(pen.isStreaming('text.delta') || pen.isStreaming('thought.delta'))) return
  pen.emit('message.drop', { fromBlock: 0, why: 'stream_error' }, { message })
}

/** Words of a turn that has failed: why it did. */
export function lastWords(on: Reader, { trouble: so }: Session, words: string): void {
  const text = words.trim()
  if (text === '') return on.pen.raw(on.tag, 'redundant')
  so.told = so.last?.text === text ? so.last : faultIn(text)
  on.pen.emit('error', { scope: 'turn', fatal: true, error: so.told })
}

/** Why the turn that ends has failed, told once; undefined if it has not. */
export function failureOf(on: Reader, { trouble: { isOver, last, told } }: Session): Fault | undefined {
  if (!isOver) return undefined
  const error = told ?? last ?? faultOf('Codex could not go on, and did not say why')
  if (told === undefined) on.pen.emit('error', { scope: 'turn', fatal: true, error })
  return error
}
