// What the decoder remembers of one session, and how that session ended.
import type { Fault, Payload, Place } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Reason } from '../../model/vocabulary.ts'
import type { Wire } from './wire.ts'

export type Session = ReturnType<typeof createSession>
export type Step = Pick<Payload<'message.end'>, 'finish' | 'usage' | 'cost'> & {
  id: string | undefined
  message: string | undefined
  ext: Place['ext']
}

const mostErrors = 256

export const createSession = () => ({
  messages: 0,
  calls: 0,
  /** Texts of the errors that were told: session_complete.error may be no more than these joined. Undefined: too many to compare. */
  errors: new Set<string>() as Set<string> | undefined,
  aborted: false,
  fatal: undefined as { fault: Fault; reason: Reason } | undefined,
  finish: undefined as Reason | undefined,
  /** What step_finish told of the main lane's message, until message_complete tells it; where none follows, nothing else does. */
  step: undefined as Step | undefined,
  /** The last such part, which nobody has looked at yet: mostly message_complete says the same. */
  unread: undefined as Wire<'step_finish'>['part'] | undefined,
  /** The message that ended with its step. */
  stepped: undefined as string | undefined,
  /** MCP tool to its server. */
  servers: undefined as Map<string, string> | undefined,
  rejected: new Set<string>(),
  laneFaults: new Map<string, Fault>(),
})

export function noteError(session: Session, { text }: Fault): void {
  if (session.errors?.add(text).size === mostErrors) session.errors = undefined
}

/** Non-fatal errors are told one by one, so a complaint that no `error` told before is the failure itself. */
export function endOf({ fatal, errors, aborted, finish }: Session, text: string | undefined): { reason: Reason; error: Fault | undefined } {
  if (fatal !== undefined) {
    const { fault } = fatal
    if (aborted && fault.category === 'unknown' && fault.code === undefined)
      return { reason: 'cancelled', error: { ...fault, category: 'cancelled' } }
    return { reason: fatal.reason, error: fault }
  }
  if (text !== undefined && isNew(text, errors)) return { reason: 'error', error: faultOf(text) }
  return {
    reason: finish === 'max_tokens' || finish === 'refusal' || finish === 'cancelled' ? finish : 'end_turn',
    error: undefined,
  }
}

/** What session_complete.error says beside a session_error of another text. */
export const complaintBeside = ({ fatal, errors }: Session, text: string | undefined): string | undefined =>
  fatal !== undefined && text !== undefined && isNew(text, errors && new Set([...errors, fatal.fault.text])) ? text : undefined

/** More than texts that were told before, joined. */
function isNew(text: string, told: ReadonlySet<string> | undefined): boolean {
  if (told === undefined) return false
  let rest = text
  for (const one of [...told].toSorted((a, b) => b.length - a.length)) rest = rest.replaceAll(one, '') // one may be a part of another
  return /[^\s;,]/.test(rest)
}
