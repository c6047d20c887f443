// Our answers in the words of the protocol: the option is chosen by its kind, since every agent offers them in another order and under
// other names. What allows for ever is never chosen: our own rules remember such things.
import type { Rec } from '../../base/json.ts'
import { optionKindOf } from '../../dialects/acp/words.ts'
import { isRecord } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import type { Answer } from '../../supervise/contract.ts'

export const cancelledOutcome: Rec = { outcome: { outcome: 'cancelled' } }

/** The protocol can neither change what a call is given nor put something in its place: that is a no. */
export function outcomeFor(options: unknown, { decision, input, instead, stop }: Answer): Rec {
  if (decision === 'cancelled' || stop === true) return cancelledOutcome
  const allows = decision === 'allow' && input === undefined && instead === undefined
  const optionId = optionOf(options, allows ? 'allow_once' : 'reject_once')
  return optionId === undefined ? cancelledOutcome : { outcome: { outcome: 'selected', optionId } }
}

/** Told before anybody is asked, so that the stream never says yes where the agent is told no. */
export const canAllow = ({ options }: Payload<'permission.request'>): boolean => options.some(({ kind }) => kind === 'allow_once')

function optionOf(options: unknown, wanted: 'allow_once' | 'reject_once'): string | undefined {
  const known = (Array.isArray(options) ? options : []).filter(isRecord)
  for (const { optionId, kind } of known)
    if (typeof optionId === 'string' && optionKindOf(typeof kind === 'string' ? kind : undefined, optionId) === wanted) return optionId
  return undefined
}
