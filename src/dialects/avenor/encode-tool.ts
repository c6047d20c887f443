// Calls and how they ended. What a tool answered has no place in Avenor's log.
import type { EventOf } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { type Sink, syntheticOf, wireId } from '../contract.ts'
import { labelOf, type Session, updateOf } from './encode-session.ts'
import type { AnyWire } from './wire.ts'
import { kindWordOf } from './words.ts'

type Send = (session: Session, record: AnyWire, synthetic: string | undefined) => void

/** `settle`: what was held back is told now. */
export function createTools(sink: Sink, send: Send, settle: (session: Session) => void) {
  function toolStart(session: Session, event: EventOf<'tool.start'>): void {
    if (event.call === undefined || session.calls.has(event.call) || session.heldCall?.call === event.call) return sink.lost(event)
    if (event.input !== undefined) return tellCall(session, event, event.input, event.title)
    if (session.heldCall !== undefined) settle(session)
    session.heldCall = event
  }

  function tellCall(session: Session, event: EventOf<'tool.start' | 'tool.end'>, input: unknown, title: string | undefined): void {
    const { call = '', name = '' } = event
    const kind = kindWordOf(name, event.toolKind)
    if (title !== undefined && title !== name && kind !== name) sink.lost(event, 'name', 'drop')
    session.calls.set(call, kind)
    send(
      session,
      {
        event: 'tool.call',
        session_id: session.id,
        run_id: session.run,
        run_label: labelOf(session, event),
        toolCallId: wireId(call),
        title: title ?? (name === '' ? undefined : name),
        kind,
        status: 'pending',
        rawInput: input,
        session_update: updateOf(event),
        ts: event.at,
      },
      event.kind === 'tool.end' ? 'required' : syntheticOf(event),
    )
  }

  function toolUpdate(session: Session, event: EventOf<'tool.update'>): void {
    const { heldCall: call } = session
    if (call === undefined || call.call !== event.call || (event.input ?? event.title) === undefined) return sink.lost(event)
    session.heldCall = undefined
    if (event.input !== undefined) tellCall(session, call, event.input, event.title ?? call.title)
    else session.heldCall = { ...call, title: event.title ?? call.title }
  }

  function toolEnd(session: Session, event: EventOf<'tool.end'>): void {
    if (event.call === undefined) return sink.lost(event)
    if (session.heldCall?.call === event.call) settle(session)
    if (!session.calls.has(event.call)) tellCall(session, event, undefined, event.title)
    const kind = session.calls.get(event.call)!
    session.calls.delete(event.call)
    send(
      session,
      {
        event: 'tool.call_update',
        session_id: session.id,
        run_id: session.run,
        run_label: labelOf(session, event),
        toolCallId: wireId(event.call),
        kind,
        status: toolFailed(event) ? 'failed' : 'completed',
        session_update: updateOf(event),
        ts: event.at,
      },
      syntheticOf(event),
    )
  }

  return { start: toolStart, tell: tellCall, update: toolUpdate, end: toolEnd }
}
