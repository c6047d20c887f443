// Permission questions, which Avenor tells strictly one after another: a second one waits until the first is answered.
// A decision without a question (a rule's, a hook's) gets the question that Avenor would have told before it.
import type { Event, EventOf, Option } from '../../model/event.ts'
import { type Sink, syntheticOf, wireId } from '../contract.ts'
import { type Asked, type Choice, keptIn, type Session } from './encode-session.ts'
import type { AnyWire } from './wire.ts'
import { answerWordOf, isOnScreen, sourceOfDecider } from './words.ts'

type Put = (session: Session, event: Event, record: AnyWire, synthetic: string | undefined) => void

type Status = EventOf<'status.update'>
type TellStatus = (session: Session, status: Status) => void

export function createDesk(sink: Sink, put: Put, tellStatus: TellStatus) {
  let made = 0

  /** Every request has its response, but for a dialog on a screen: what was withdrawn, or what nobody answered, is a no. */
  function tellNo(
    session: Session,
    { id: request_id, choices, onScreen }: NonNullable<Session['request']>,
    why: Event,
    synthetic?: string,
  ): void {
    session.request = undefined
    if (onScreen) return
    const option_id = pick(choices, 'reject')
    put(session, why, { event: 'permission.response', request_id, option_id, kind: 'reject', source: 'avenor' }, synthetic)
  }

  function ask(session: Session, event: EventOf<'permission.request'>, waiting: Status | undefined, synthetic = syntheticOf(event)): void {
    const { request } = session
    if (request?.withdrawn !== undefined) {
      if (request.onScreen) sink.lost(request.withdrawn)
      tellNo(session, request, request.withdrawn)
    }
    if (waiting !== undefined) tellStatus(session, waiting)
    if (event.options.length === 0) sink.added('permission.request.options')
    const choices = event.options.length === 0 ? yesOrNo : event.options.map(choiceOf)
    session.request = { id: wireId(event.id), choices, onScreen: isOnScreen(event.source), withdrawn: undefined }
    put(
      session,
      event,
      {
        event: 'permission.request',
        request_id: session.request.id,
        tool: event.name ?? event.permission,
        question: event.question,
        options: choices,
        source: event.source,
      } as AnyWire,
      synthetic,
    ) // a choice without a name is told without one
  }

  function respond(session: Session, event: EventOf<'permission.answer'>): void {
    const { request } = session
    if (request === undefined) return
    if (request.withdrawn !== undefined) sink.lost(request.withdrawn)
    if (event.decision === 'withdrawn') return void (request.withdrawn = event) // told if another question comes
    const kind = event.decision === 'allow' ? 'allow' : 'reject'
    const chosen = event.option !== undefined && request.choices.some(({ optionId }) => optionId === event.option)
    session.request = undefined
    put(
      session,
      event,
      {
        event: 'permission.response',
        request_id: request.id,
        option_id: chosen ? event.option : pick(request.choices, kind),
        kind,
        source: keptIn(event, 'source') ?? sourceOfDecider(event.by),
      },
      syntheticOf(event),
    )
  }

  /** A dialog on a screen goes away without a word, so the next one need not wait for it. */
  const isFree = ({ request }: Session): boolean => request === undefined || request.onScreen || request.withdrawn !== undefined

  /** A question for a decision that came without one. */
  function questionFor(event: EventOf<'permission.answer'>): EventOf<'permission.request'> {
    const { id = `request-${++made}`, name, toolKind, permission, patterns, option } = event
    const kind = event.decision === 'allow' ? 'allow_once' : 'reject_once'
    const chosen: Option[] = option === undefined || option === '' ? [] : [{ id: option, kind }]
    const options = event.options ?? chosen
    const { v, seq, session, run, at, agent, turn } = event
    return { v, seq, session, run, at, agent, turn, kind: 'permission.request', id, name, toolKind, permission, patterns, options }
  }

  /** Never told. What was asked only for the answer's sake is no event of the source's. */
  function forget({ request, answer, waiting }: Asked): void {
    if (waiting !== undefined) sink.lost(waiting)
    if (request.seq !== answer?.seq) sink.lost(request)
    if (answer !== undefined) sink.lost(answer)
  }

  return {
    request(session: Session, event: EventOf<'permission.request'>, waiting: Status | undefined): void {
      if (isFree(session)) ask(session, event, waiting)
      else session.queue.push({ request: event, answer: undefined, waiting })
    },
    answer(session: Session, event: EventOf<'permission.answer'>): void {
      const waiting = session.queue.findIndex(({ request }) => request.id === event.id)
      if (session.request !== undefined && event.id !== undefined && session.request.id === wireId(event.id)) respond(session, event)
      else if (event.decision === 'withdrawn') {
        if (waiting >= 0) forget(session.queue.splice(waiting, 1)[0]!)
        sink.lost(event)
      } else if (waiting >= 0) session.queue[waiting]!.answer = event
      else if (!isFree(session)) session.queue.push({ request: questionFor(event), answer: event })
      else {
        ask(session, questionFor(event), undefined, 'required')
        respond(session, event)
      }
      while (isFree(session) && session.queue.length > 0) {
        const { request, answer, waiting } = session.queue.shift()!
        ask(session, request, waiting, request.origin === undefined && request.synthetic === undefined ? 'required' : syntheticOf(request))
        if (answer !== undefined) respond(session, answer)
      }
    },
    /** The session ends: nothing more can be asked in it. An end that is `well` leaves no question open. */
    close(session: Session, well: Event | undefined): void {
      const { request, queue } = session
      if (request !== undefined && well !== undefined && !request.onScreen)
        tellNo(session, request, request.withdrawn ?? well, request.withdrawn === undefined ? 'cut' : syntheticOf(request.withdrawn))
      else if (request?.withdrawn !== undefined) sink.lost(request.withdrawn)
      for (const asked of queue) forget(asked)
    },
  }
}

const yesOrNo: Choice[] = [
  { optionId: 'allow', kind: 'allow', name: undefined },
  { optionId: 'reject', kind: 'reject', name: undefined },
]
const choiceOf = ({ id, kind, label }: Option): Choice => ({ optionId: id, kind: answerWordOf(kind), name: label })
const pick = (choices: Choice[], kind: Choice['kind']): string | undefined => choices.find((choice) => choice.kind === kind)?.optionId
