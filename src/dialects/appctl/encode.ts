// events → appctl. Writes whole turns: a user_prompt first, every call answered, one done last.
// Three surprises. Text streamed without a closing whole (Avenor, ACP) is joined here, since a turn's text must end in an
// assistant_message. appctl names no session, so a second session waits until the turn of the first is over. And a call that
// tells its arguments only later waits for the next event, so that it has them.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { outcomeOf, toolFailed } from '../../model/outcome.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { type Encoder, type Sink, syntheticOf, wireId } from '../contract.ts'
import { resultOf } from './encode-result.ts'
import type { AnyWire, Wire } from './wire.ts'

export function encode(sink: Sink): Encoder {
  const openCalls = new Map<string, { at: number | undefined }>()
  const waiting = new Map<string | undefined, Event[]>() // of other sessions, in the order in which they came
  const prompts = new Map<string | undefined, string>() // told in parts, until the turn begins
  const endings = new Map<string | undefined, { reason: Reason; text: string | undefined }>() // how the last turn of a session ended
  let heldCall: EventOf<'tool.start'> | undefined
  let current: { session: string | undefined } | undefined // whose turn is being written
  let failure: { message: string; synthetic: string | undefined } | undefined
  const queued = new Map<string | undefined, EventOf<'prompt.submit'>>() // until their turn comes
  let alone: string | undefined // a failure that stood outside any session
  let spoke = false // an answer stands in the turn
  const joined = { text: '', thought: '' } // a thought may end after the answer's first deltas

  const write = (record: AnyWire, synthetic?: string): void => sink.write(record as Rec, synthetic)

  /** A prompt comes first, whether the source told it or not. */
  function openTurn(event: Event, text: string | undefined): void {
    if (current !== undefined) return
    current = { session: event.session }
    const early = prompts.get(event.session)
    const whole = early === undefined ? text : early + (text ?? '')
    prompts.delete(event.session)
    queued.delete(event.session)
    if (whole === undefined) sink.added('user_prompt.text')
    write({ kind: 'user_prompt', text: whole ?? '' }, whole === undefined ? 'required' : syntheticOf(event))
  }

  function prompt(event: EventOf<'prompt.submit'>): void {
    const instructs = event.by === 'system' || event.by === 'hook' // not what the user said
    if (event.state === 'queued' && current === undefined && !endings.has(event.session)) return void queued.set(event.session, event)
    if (event.state === 'queued' || current !== undefined || instructs) return sink.lost(event)
    if (event.text === undefined) sink.lost(event) // a prompt stands there with or without it
    if (event.partial !== true) return openTurn(event, event.text)
    prompts.set(event.session, (prompts.get(event.session) ?? '') + (event.text ?? ''))
  }

  function closeTurn(message: string | undefined, synthetic: string | undefined): void {
    if (current === undefined) return
    if (heldCall !== undefined) toolCall(heldCall, undefined)
    for (const call of openCalls.keys()) toolResult(call, { result: 'abandoned', status: 'error' }, undefined, 'cut')
    const text = failure?.message ?? message
    if (text === undefined && joined.thought !== '') write({ kind: 'assistant_thought', text: joined.thought }, 'cut')
    if (text === undefined && joined.text !== '') write({ kind: 'assistant_message', text: joined.text }, 'cut') // its source lacks the whole
    if (text !== undefined) write({ kind: 'error', message: text }, failure === undefined ? synthetic : failure.synthetic)
    write({ kind: 'done' }, synthetic)
    current = failure = undefined
    spoke = false
    joined.text = joined.thought = ''
  }

  function toolCall(event: EventOf<'tool.start'>, input: unknown): void {
    heldCall = undefined
    if (event.agent === undefined && joined.text !== '') {
      write({ kind: 'assistant_message', text: joined.text }, 'required') // its source ends no text before a call
      joined.text = ''
    }
    openCalls.set(event.call ?? '', { at: event.at })
    write(
      { kind: 'tool_call', id: wireId(event.call ?? ''), name: event.name, arguments: input === undefined ? {} : input },
      syntheticOf(event),
    )
  }

  function toolUpdate(event: EventOf<'tool.update'>): void {
    if (heldCall === undefined || heldCall.call !== event.call || event.input === undefined) sink.lost(event)
    else toolCall(heldCall, event.input)
  }

  function toolResult(
    call: string,
    body: Pick<Wire<'tool_result'>, 'result' | 'status'>,
    durationMs: number | undefined,
    synthetic: string | undefined,
  ): void {
    openCalls.delete(call)
    if (durationMs === undefined) sink.added('tool_result.duration_ms')
    write({ kind: 'tool_result', id: wireId(call), result: body.result, status: body.status, duration_ms: durationMs ?? 0 }, synthetic)
  }

  function toolEnd(event: EventOf<'tool.end'>): void {
    const call = event.call ?? ''
    const open = openCalls.get(call)
    if (open === undefined) return sink.lost(event)
    const took = event.durationMs ?? (open.at !== undefined && event.at !== undefined ? Math.max(0, event.at - open.at) : undefined)
    const told = resultOf(event)
    if (told === undefined) sink.added('tool_result.result')
    const result = told === undefined ? (event.status === 'ok' ? '' : event.status) : told
    toolResult(call, { result, status: toolFailed(event) ? 'error' : 'ok' }, took, syntheticOf(event))
  }

  function delta(event: EventOf<'text.delta' | 'thought.delta'>): void {
    const isText = event.kind === 'text.delta'
    joined[isText ? 'text' : 'thought'] += event.text
    spoke ||= isText
    write({ kind: isText ? 'assistant_delta' : 'assistant_thought_delta', text: event.text }, syntheticOf(event))
  }

  function whole(event: EventOf<'text.end' | 'thought.end'>): void {
    const isText = event.kind === 'text.end'
    const kind = isText ? 'assistant_message' : 'assistant_thought'
    const before = joined[isText ? 'text' : 'thought']
    const text = event.text ?? before
    joined[isText ? 'text' : 'thought'] = ''
    spoke ||= isText
    if (before !== '' && text !== '' && text !== before) write({ kind, text: '' }, 'required') // the deltas were another text
    write({ kind, text }, syntheticOf(event))
  }

  /** Nothing can be taken back: a whole that is empty stands for it. */
  function withdraw(event: EventOf<'message.drop'>): void {
    if (joined.text === '') sink.lost(event)
    else write({ kind: 'assistant_message', text: '' }, syntheticOf(event))
    if (joined.thought !== '') write({ kind: 'assistant_thought', text: '' }, syntheticOf(event))
    joined.text = joined.thought = ''
  }

  /** A turn has one error. */
  function countError(event: EventOf<'turn.end' | 'session.end'>): void {
    if (failure !== undefined && event.error !== undefined && event.error.text !== failure.message) sink.lost(event, 'error')
  }

  /** A session that failed before its first turn is a turn that failed: its prompt is the one that waited. */
  function neverBegan(event: EventOf<'session.end'>): void {
    const text = failureText(event)
    const isKnown = event.synthetic === undefined || queued.has(event.session) // else nobody has said that it failed
    if (endings.has(event.session) || text === undefined || text === alone || !isKnown) return
    openTurn(event, queued.get(event.session)?.text)
  }

  /** Nothing is written then: what the end says is lost, unless the turn has said it. */
  function afterTurn(event: EventOf<'session.end'>): void {
    const text = failureText(event)
    const told = endings.get(event.session)
    if (text === undefined || (told?.reason === event.reason && told.text === text)) return
    if (told?.reason !== event.reason) sink.lost(event)
    else if (event.synthetic === undefined) sink.lost(event, 'error') // one that we added repeats the turn's
  }

  function encodeEvent(event: Event): void {
    if (event.agent !== undefined && !laneKinds.has(event.kind)) return sink.lost(event)
    if (current === undefined && needsTurn.has(event.kind)) openTurn(event, undefined)
    if (heldCall !== undefined && event.kind !== 'tool.update') toolCall(heldCall, undefined)
    switch (event.kind) {
      case 'prompt.submit':
        return prompt(event)
      case 'text.delta':
      case 'thought.delta':
        return delta(event)
      case 'text.end':
      case 'thought.end':
        return whole(event)
      case 'message.drop':
        return withdraw(event)
      case 'tool.start':
        if (openCalls.has(event.call ?? '')) return sink.lost(event)
        if (event.input !== undefined) return toolCall(event, event.input)
        heldCall = event
        return
      case 'tool.update':
        return toolUpdate(event)
      case 'tool.end':
        return toolEnd(event)
      case 'permission.request': {
        const id = event.call !== undefined && openCalls.has(event.call) ? wireId(event.call) : undefined
        return write({ kind: 'awaiting_input', id, name: event.name, arguments: event.input }, syntheticOf(event))
      }
      case 'context.trim':
        return write({ kind: 'context_notice', message: event.text ?? trimText(event) }, syntheticOf(event))
      case 'session.update':
        if (event.native === undefined || event.length === undefined) return sink.lost(event)
        return write(
          {
            kind: 'session_state',
            session_id: event.native,
            transcript_len: event.length,
            resumed: event.how === undefined ? undefined : event.how === 'resumed',
          },
          syntheticOf(event),
        )
      case 'error': {
        if (!event.fatal || (failure !== undefined && failure.message !== event.error.text)) return sink.lost(event) // one error a turn
        const isAlone = current === undefined && isOutside(event)
        openTurn(event, undefined)
        failure ??= { message: event.error.text, synthetic: syntheticOf(event) }
        if (isAlone) alone = event.error.text
        return isAlone ? closeTurn(undefined, syntheticOf(event)) : undefined
      }
      case 'turn.end':
        countError(event)
        if (failure !== undefined) failure = { ...failure, message: worded(event.reason, failure.message) }
        endings.set(event.session, { reason: event.reason, text: failure?.message ?? failureText(event) })
        if (event.text && !spoke && event.text !== (failure?.message ?? failureText(event))) sink.lost(event, 'text')
        return closeTurn(failureText(event), syntheticOf(event))
      case 'session.end':
        if (current === undefined) neverBegan(event)
        if (current === undefined) afterTurn(event)
        else countError(event)
        endings.delete(event.session)
        queued.delete(event.session)
        return closeTurn(failureText(event), syntheticOf(event))
    }
  }

  /** Another session's event waits; trouble with no session at all belongs to the turn that is open. */
  const mustWait = (event: Event): boolean => current !== undefined && event.session !== current.session && !isOutside(event)

  function goOn(): void {
    while (current === undefined) {
      const [next] = waiting
      if (next === undefined) return
      waiting.delete(next[0])
      for (const event of next[1]) encodeEvent(event)
    }
  }

  return {
    push(event) {
      if (mustWait(event)) {
        const queue = waiting.get(event.session)
        if (queue === undefined) waiting.set(event.session, [event])
        else queue.push(event)
        return
      }
      encodeEvent(event)
      if (current === undefined && waiting.size > 0) goOn()
    },
    end() {
      do {
        closeTurn(undefined, 'cut')
        goOn()
      } while (current !== undefined)
      for (const session of prompts.keys()) {
        current = { session }
        write({ kind: 'user_prompt', text: prompts.get(session)! })
        closeTurn(undefined, 'cut')
      }
    },
  }
}

const needsTurn: ReadonlySet<string> = new Set([
  'text.delta',
  'text.end',
  'thought.delta',
  'thought.end',
  'tool.start',
  'permission.request',
  'context.trim',
  'turn.end',
])
const isOutside = (event: Event): boolean =>
  event.kind === 'error' && event.session === undefined && (event.scope === 'connection' || event.scope === 'supervisor')
const laneKinds: ReadonlySet<string> = new Set(['tool.start', 'tool.update', 'tool.end', 'permission.request'])

/** The cap on iterations is told in the document's words. */
const failureText = ({ reason, error }: EventOf<'turn.end' | 'session.end'>): string | undefined => {
  if (reason === 'max_turns') return reasonText(reason)
  return error === undefined ? (outcomeOf(reason) === 'ok' ? undefined : reasonText(reason)) : worded(reason, error.text)
}

/** The message is all that tells the token limit from other failures. */
const worded = (reason: Reason, text: string): string =>
  reason === 'max_tokens' && !text.startsWith(reasonText(reason)) ? `${reasonText(reason)}: ${text}` : text

const reasonText = (reason: Reason): string => (reason === 'max_turns' ? 'max iterations reached' : reason.replaceAll('_', ' '))

const trimText = (event: EventOf<'context.trim'>): string =>
  event.before === undefined || event.after === undefined
    ? `context was reduced (${event.why})`
    : `context was reduced (${event.why}) from ${event.before} to ${event.after} tokens`
