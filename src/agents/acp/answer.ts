// Our answers in the words of the protocol: the option that somebody chose, or else the one whose kind fits, since every agent offers them
// in another order and under other names. What allows for longer than this call is only ever chosen by somebody.
import type { Rec } from '../../base/json.ts'
import { optionKindOf } from '../../dialects/acp/words.ts'
import { isRecord } from '../../base/json.ts'
import type { Answer } from '../../supervise/contract.ts'
import { distinct } from '../options.ts'

export const cancelledOutcome: Rec = { outcome: { outcome: 'cancelled' } }

/** The protocol can neither change what a call is given nor put something in its place: that is a no. */
export function outcomeFor(options: unknown, { decision, option, input, instead, stop }: Answer): Rec {
  if (decision === 'cancelled' || stop === true) return cancelledOutcome
  const allows = decision === 'allow' && input === undefined && instead === undefined
  const isChosen = option !== undefined && (allows || decision !== 'allow')
  const optionId = isChosen ? chosenIn(options, option) : optionOf(options, allows ? 'allow_once' : 'reject_once')
  return optionId === undefined ? cancelledOutcome : { outcome: { outcome: 'selected', optionId } }
}

const listed = (options: unknown): Rec[] => (Array.isArray(options) ? options : []).filter(isRecord)

function chosenIn(options: unknown, chosen: string): unknown {
  const ids = listed(options).map(({ optionId }) => optionId)
  return ids[distinct(ids.map(String)).indexOf(chosen)]
}

function optionOf(options: unknown, wanted: 'allow_once' | 'reject_once'): string | undefined {
  for (const { optionId, kind } of listed(options))
    if (typeof optionId === 'string' && optionKindOf(typeof kind === 'string' ? kind : undefined, optionId) === wanted) return optionId
  return undefined
}
