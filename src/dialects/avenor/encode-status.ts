// What the agent is doing. Avenor tells that beside the record that shows it, so that a status waits for its record: most for the next
// one, thinking until a thought comes, and that work goes on until the answer to a question is told.
import type { Event, EventOf } from '../../model/event.ts'
import { type Sink, syntheticOf } from '../contract.ts'
import type { Session } from './encode-session.ts'
import type { AnyWire } from './wire.ts'
import { statusSourceOf } from './words.ts'

type Status = EventOf<'status.update'>
type Put = (session: Session, event: Event, record: AnyWire, synthetic: string | undefined) => void

/** The record that comes after a status of Avenor's own making. */
const announced: Readonly<Record<string, string>> = {
  thinking: 'agent.thought_chunk',
  working: 'tool.call',
  waiting: 'permission.request',
  done: 'session.end',
}
export const isTold = ({ phase }: Status): boolean => phase in announced

export function createStatuses(sink: Sink, put: Put) {
  /** Avenor need not say twice that the same work goes on; what stood in between may have been left out. If its own log does, it stays. */
  function tell(session: Session, event: Status): void {
    const { phase, label, origin } = event
    const source = statusSourceOf(event.source)
    const told = `${phase} ${label ?? ''}`
    const isOwn = origin?.dialect === 'avenor'
    if (phase === 'working' && source === 'avenor' && session.status === told && !isOwn) return sink.lost(event)
    session.status = told
    put(session, event, { event: 'agent.status', phase, label, source }, syntheticOf(event))
  }

  function take(session: Session, event: Status): void {
    forgetThinking(session)
    const isAsked = session.request !== undefined && session.request.withdrawn === undefined
    const isFree =
      event.phase === 'waiting' // stands before the question that it is about, unless Avenor itself has told it otherwise
        ? session.isChoosing || (isAsked && event.origin?.dialect === 'avenor')
        : statusSourceOf(event.source) !== 'avenor' || (event.phase === 'working' && session.last === 'permission.response')
    if (isFree) tell(session, event)
    else session.heldStatus = event
  }

  /** What was held back is told, or given up, before the next record. */
  function settle(session: Session, next: string): void {
    const status = session.heldStatus!
    session.heldStatus = undefined
    if (announced[status.phase] === next) tell(session, status)
    else if (status.phase === 'thinking') session.heldThinking = status
    else sink.lost(status)
  }

  /** A thought has come. */
  function think(session: Session, { at }: Event): void {
    const status = session.heldThinking!
    session.heldThinking = undefined
    tell(session, { ...status, at })
  }

  function forgetThinking(session: Session): void {
    if (session.heldThinking !== undefined) sink.lost(session.heldThinking)
    session.heldThinking = undefined
  }

  /** A status that belongs to a call which is held as well stays with it. */
  function heldBack(session: Session, phase: Status['phase']): Status | undefined {
    const { heldStatus } = session
    if (heldStatus?.phase !== phase || session.heldCall !== undefined) return undefined
    session.heldStatus = undefined
    return heldStatus
  }

  return {
    take,
    settle,
    tell,
    /** The status that belongs to a question: it stays with it, also while the question waits for another. */
    waitingFor: (session: Session): Status | undefined => heldBack(session, 'waiting'),
    think,
    forgetThinking,
    /** That work goes on is known before the answer is told, and stands after it. */
    after(session: Session, answer: () => void): void {
      const working = heldBack(session, 'working')
      answer()
      if (working !== undefined) take(session, working)
    },
    /** Avenor has no record of a choice; that the agent waits for one is told all the same. */
    choice(session: Session | undefined, event: EventOf<'question.request' | 'question.answer'>): void {
      const isAsked = event.kind === 'question.request'
      sink.lost(event) // no record tells of it; a status may
      if (session === undefined) return
      const status = heldBack(session, isAsked ? 'waiting' : 'working')
      session.isChoosing = isAsked
      if (status !== undefined) tell(session, status)
    },
  }
}
