// The protocol as it is read while it is spoken. We know more than the wire tells: which prompt of ours is sent, and that there will be
// no session. What an agent says in its own name, amid the words of the model, is told as what it is.
import { isRecord, type Rec } from '../../base/json.ts'
import { acp } from '../../dialects/acp/index.ts'
import type { Decoder, Dialect } from '../../dialects/contract.ts'
import type { Event, EventOf, Fault, Payload } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import { makeEvent } from '../../model/make.ts'
import type { StderrEvent, Prompt } from '../driver.ts'
import { promptOf } from '../prompt.ts'
import { readAsked } from './asked.ts'
import { createTurn, type Judge, type TurnSoFar } from './turn.ts'

/** What the one who speaks tells the one who reads. */
export type Line = {
  /** The agent's name of the session that prompts go to. */
  session?: string | undefined
  /** The prompt that is being said. */
  saying?: Prompt | undefined
  /** The turn that runs was cancelled by us. */
  isStopping?: boolean
  /** There is no session to be had: said by this record, which goes to nobody. */
  lost?: Lost | undefined
}
/** `said`: the prompt that it would not take; `waiting`: those that it never got. */
export type Lost = { record: Rec; error: Fault; said?: Prompt | undefined; waiting: readonly Prompt[]; isTold: boolean }

export type Truths = {
  judge?: Judge | undefined
  /** A piece of an answer that is the agent's own, not the model's. */
  aside?: ((text: string, turn: number) => Aside | undefined) | undefined
}
export type Aside = StderrEvent | { kind: 'context.trim'; payload: Payload<'context.trim'> }

export const liveAcp = (line: Line, truths: Truths): Dialect => ({ ...acp, decoder: () => liveDecoder(acp.decoder(), line, truths) })

function liveDecoder(inner: Decoder, line: Line, { judge, aside }: Truths): Decoder {
  const turn = createTurn((end, so) => judge?.(end, so) ?? judgeRefused(end, so, line))
  return {
    ...inner,
    push(record, origin) {
      if (line.lost?.record === record) return lostEvents(line.lost, turn.last() + 1)
      const number = turn.number()
      const said = aside === undefined || number === undefined ? undefined : aside(pieceIn(record), number)
      if (said !== undefined) {
        const event = makeEvent(said.kind, said.payload as never, { turn: number })
        turn.onEvent(event)
        return [event]
      }
      const events = inner.push(record, origin)
      for (const event of events) {
        if (event.kind === 'prompt.submit' && line.saying !== undefined && event.state === 'sent') sign(event, line.saying)
        else if (event.kind === 'permission.request') readAsked(record, event)
        if (event.session === undefined || event.session === line.session) turn.onEvent(event)
      }
      return events
    },
  }
}

/** Many agents give up when a call is refused, and call it done, or cancelled. */
function judgeRefused({ reason }: EventOf<'turn.end'>, { answer, denied }: TurnSoFar, { isStopping }: Line): ReturnType<Judge> {
  const gaveUp = (reason === 'cancelled' && isStopping !== true) || (reason === 'end_turn' && answer === '')
  return gaveUp && denied > 0
    ? { reason: 'blocked', error: faultOf('a call was refused, and the agent gave up', { code: 'refused' }) }
    : undefined
}

/** Of an answer; empty where the record is something else. */
function pieceIn({ method, params }: Rec): string {
  const update = method === 'session/update' && isRecord(params) ? params['update'] : undefined
  if (!isRecord(update) || update['sessionUpdate'] !== 'agent_message_chunk' || !isRecord(update['content'])) return ''
  const { text } = update['content']
  return typeof text === 'string' ? text : ''
}

export function sign(event: EventOf<'prompt.submit'>, { text, id, by = 'user' }: Prompt): void {
  event.text = text
  event.by = by
  if (id !== undefined) event.id = id
}

/** A session that never was has its prompts all the same, and one turn that failed. */
export function lostEvents({ error, said, waiting, isTold }: Lost, turn: number): Event[] {
  const place = { turn, synthetic: 'implied' }
  return [
    makeEvent('session.start', {}, { synthetic: 'implied' }),
    makeEvent('turn.start', { trigger: 'prompt' }, place),
    ...(said === undefined ? [] : [makeEvent('prompt.submit', promptOf(said), place)]),
    ...waiting.map((prompt) => makeEvent('prompt.submit', promptOf(prompt, 'queued'), place)),
    ...(isTold ? [] : [makeEvent('error', { scope: 'session', fatal: true, error }, place)]),
    makeEvent('turn.end', { reason: 'error', error }, place),
  ]
}
