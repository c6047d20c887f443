// Permission questions and their answers, and what a repair adds to them.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Breaks, Session } from './order.ts'
import type { Wire } from './wire.ts'
import { isOnScreen } from './words.ts'

export type Request = {
  id: string | undefined
  options: readonly string[] | undefined
  /** The word of each option's kind, where it has one. */
  kinds: ReadonlyMap<string, string>
  onScreen: boolean
}

const endsWell: ReadonlySet<string> = new Set(['end_turn', 'stop_sequence'])

export function ask(session: Session, { request_id: wire, options, source }: Wire<'permission.request'>, breaks: Breaks): void {
  const id = wire === undefined ? undefined : String(wire)
  const { request } = session
  if (id === undefined) breaks('request-first', 'permission.request without request_id')
  // A dialog on a screen goes away without a word when a person answers it. And the program may tell a request twice.
  if (request !== undefined && !request.onScreen)
    breaks('one-request', `permission.request ${quoted(id)} while ${quoted(request.id)} is pending`, request.id === id ? 'warn' : 'error')
  const offered = options?.map((option) => (typeof option === 'string' ? option : (option.optionId ?? option.id ?? '')))
  const kinds = new Map(
    options?.flatMap((option) =>
      typeof option !== 'string' && option.kind ? [[option.optionId ?? option.id ?? '', answerOf(option.kind)] as const] : [],
    ),
  )
  session.request = { id, options: offered, kinds, onScreen: isOnScreen(source) }
}

/** allow_once, allow_always, reject_once, deny … */
const answerOf = (kind: string): string => {
  const word = kind.trim().toLowerCase()
  return word.startsWith('allow') ? 'allow' : word.startsWith('reject') || word.startsWith('deny') ? 'reject' : word
}

export function answer(session: Session, { request_id: wire, option_id: option, kind }: Wire<'permission.response'>, breaks: Breaks): void {
  const { request } = session
  const id = String(wire)
  if (request === undefined || request.id !== id)
    return breaks('request-first', `permission.response to ${quoted(id)}, which was not asked`)
  session.request = undefined
  session.answered = id
  if (option && request.options !== undefined && !request.options.includes(option))
    breaks('known-option', `option ${quoted(option)} was not offered`)
  const chosen = option ? request.kinds.get(option) : undefined
  if (chosen !== undefined && kind && answerOf(kind) !== chosen)
    breaks('answer-kind', `permission.response says ${quoted(kind)}, its option ${quoted(option)} is of kind ${quoted(chosen)}`)
}

/** A session that ends well leaves no question open, but for a dialog on a screen. */
export const unanswered = ({ request, backend, ended }: Session, { stop_reason: reason }: Wire<'session.end'>): Request | undefined =>
  request?.id === undefined || request.onScreen || backend === 'claude' || ended !== undefined || !endsWell.has(reason)
    ? undefined
    : request

export function answering(session: Session, end: Wire<'session.end'>): Rec[] {
  const request = unanswered(session, end)
  if (request === undefined) return []
  const { session_id, run_id, ts } = end
  const [option_id] = [...request.kinds].find(([, kind]) => kind === 'reject') ?? []
  return [{ event: 'permission.response', session_id, run_id, request_id: request.id, option_id, kind: 'reject', source: 'avenor', ts }]
}

/** An answer that comes again lacks no request; nor does one to another request than the open one, for that cannot be mended. */
export const lacksRequest = (session: Session | undefined, { request_id: id }: Wire<'permission.response'>): boolean =>
  session?.ended === undefined && session?.request === undefined && session?.answered !== String(id)

export const requestOf = ({ session_id, run_id, request_id, option_id, kind, ts }: Wire<'permission.response'>): Rec => ({
  event: 'permission.request',
  session_id,
  run_id,
  request_id,
  options: option_id ? [{ optionId: option_id, kind: kind ?? undefined }] : undefined,
  ts,
})
