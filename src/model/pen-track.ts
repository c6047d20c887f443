// Writes an event in its turn, and remembers in its session what it opens or closes.
import type { Kind, Payload, Place } from './event.ts'
import { type Closer, deltaKinds, type Put } from './pen-close.ts'
import { own } from './pen-event.ts'
import { type DeltaKind, type Session, spot } from './pen-state.ts'
import { loose, ofCall, traitOf } from './pen-traits.ts'

export const mostOpenCalls = 4096

type Prepare = (session: Session, kind: Kind, place: Place, trait: number) => void

/** `prepare` comes before an event that is implied; `overflow` closes the oldest call. */
export function createTracker(
  put: Put,
  { closeBlock, endMessages, endLane }: Closer,
  prepare: Prepare,
  overflow: (session: Session) => void,
) {
  return function track<K extends Kind>(session: Session, kind: K, payload: Payload<K>, place: Place, trait: number): void {
    const turn =
      trait & loose ? place.turn : ((trait & ofCall ? session.calls.get(place.call!)?.turn : undefined) ?? turnOf(session, place))
    const lane = place.agent
    switch (kind) {
      case 'text.delta':
      case 'thought.delta': {
        const open = session.blocks[kind as DeltaKind]
        if (!open.has(lane)) open.set(lane, spot(place, turn))
        break
      }
      case 'text.end':
        return put('text.end', closeBlock(session, 'text.delta', own<'text.end'>(payload), place), place, undefined, turn)
      case 'thought.end':
        return put('thought.end', closeBlock(session, 'thought.delta', own<'thought.end'>(payload), place), place, undefined, turn)
      case 'message.drop':
        for (const delta of deltaKinds) session.blocks[delta].delete(lane)
        break
      case 'message.start':
        endMessages(session, lane, place)
        session.messages.set(lane, opened(spot(place, turn), own<'message.start'>(payload)))
        break
      case 'message.end':
        session.messages.delete(lane)
        break
      case 'tool.start':
        if (session.calls.size >= mostOpenCalls) overflow(session)
        if (place.call !== undefined) session.calls.set(place.call, spot(place, turn))
        break
      case 'tool.end':
        if (place.call !== undefined && !session.calls.delete(place.call)) {
          const { name = '', toolKind = 'other' } = own<'tool.end'>(payload)
          prepare(session, 'tool.start', place, traitOf('tool.start')) // it ends a text that is open, like one that was told
          put('tool.start', { name, toolKind }, place, 'implied', turn)
        }
        break
      case 'permission.request':
        session.requests.set(own<'permission.request'>(payload).id, { kind: 'permission.answer', place: spot(place, turn) })
        break
      case 'question.request':
        session.requests.set(own<'question.request'>(payload).id, { kind: 'question.answer', place: spot(place, turn) })
        break
      case 'permission.answer':
      case 'question.answer': {
        const { id = '' } = own<'permission.answer'>(payload)
        const asked = session.requests.get(id)
        session.requests.delete(id)
        return put(kind, payload, place, undefined, asked?.place.turn ?? turn)
      }
      case 'hook.start':
        session.hooks.set(own<'hook.start'>(payload).id, spot(place, turn))
        break
      case 'hook.end':
        session.hooks.delete(own<'hook.end'>(payload).id)
        break
      case 'task.start': {
        const { task } = own<'task.start'>(payload)
        session.tasks.set(task, spot(place, turn))
        if (turn !== undefined) session.laneTurns.set(task, turn)
        break
      }
      case 'task.end':
        endLane(session, own<'task.end'>(payload).task, place)
        session.tasks.delete(own<'task.end'>(payload).task)
        break
    }
    put(kind, payload, place, undefined, turn)
  }
}

/** The turn an event belongs to: a lane keeps the turn its task began in. */
const turnOf = (session: Session, place: Place): number | undefined =>
  place.turn ??
  (place.agent === undefined
    ? session.turns[0]
    : (session.laneTurns.get(place.agent) ?? session.turns[0] ?? (session.turnCount || undefined)))

const opened = (place: Place, { usage }: Payload<'message.start'>) => (usage === undefined ? place : { ...place, usage })
