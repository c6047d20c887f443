// Ends what is open in a session, innermost first: streamed blocks, calls, questions, hooks, tasks, messages. What the source did not end
// itself is marked `synthetic`. Turns and sessions are the pen's own.
import type { Kind, Payload, Place, Usage } from './event.ts'
import type { DeltaKind, Session } from './pen-state.ts'
import { keepsBlock } from './pen-traits.ts'

export type Put = <K extends Kind>(kind: K, payload: Payload<K>, place: Place, synthetic: string | undefined, turn?: number) => void

export type Closer = ReturnType<typeof createCloser>

export function createCloser(put: Put) {
  function endBlock(session: Session, delta: DeltaKind, open: Place): void {
    session.blocks[delta].delete(open.agent)
    put(endOf[delta], { streamed: true }, open, 'implied')
  }

  /** The whole of a text. It ends the pieces that are open only if it is said to, and is of the same block; other pieces end before it. */
  function closeBlock<P extends { streamed: boolean }>(session: Session, delta: DeltaKind, payload: P, place: Place): P {
    const open = session.blocks[delta].get(place.agent)
    const streamed = payload.streamed && open !== undefined && open.message === place.message && open.block === place.block
    if (streamed) session.blocks[delta].delete(place.agent)
    else if (open !== undefined) endBlock(session, delta, open)
    return streamed === payload.streamed ? payload : { ...payload, streamed }
  }

  /** A new message of the lane, or the end of its turn or task, ends the message that is open there. */
  function endMessages(session: Session, lane: string | undefined, place: Place): void {
    const open = session.messages.get(lane)
    if (isStreaming(session))
      for (const delta of deltaKinds) {
        const block = session.blocks[delta].get(lane)
        if (block !== undefined) endBlock(session, delta, block)
      }
    if (open === undefined) return
    session.messages.delete(lane)
    put('message.end', usageIn(open), { ...open, at: place.at }, 'implied')
  }

  function endLane(session: Session, lane: string, place: Place): void {
    for (const [call, where] of session.calls) if (where.agent === lane) abandon(session, call, where)
    endMessages(session, lane, place)
  }

  function abandon(session: Session, call: string, where: Place): void {
    session.calls.delete(call)
    put('tool.end', { status: 'abandoned' }, where, 'cut')
  }

  /** All but turns. */
  function endOpen(session: Session): void {
    for (const delta of deltaKinds) for (const block of session.blocks[delta].values()) endBlock(session, delta, block)
    for (const [call, where] of session.calls) abandon(session, call, where)
    for (const [id, { kind, place: where }] of session.requests) {
      put(kind, { id, decision: 'withdrawn', by: 'unknown' }, where, 'cut')
    }
    for (const [id, where] of session.hooks) put('hook.end', { id, status: 'abandoned' }, where, 'cut')
    for (const [task, where] of session.tasks) put('task.end', { task, status: 'abandoned' }, where, 'cut')
    for (const where of session.messages.values()) put('message.end', { finish: 'cut', ...usageIn(where) }, where, 'cut')
  }

  return { endBlock, closeBlock, endMessages, endLane, abandon, endOpen }
}

const usageIn = ({ usage }: { usage?: Usage }) => (usage === undefined ? {} : { usage, usageFinal: false })

export const isStreaming = ({ blocks }: Session): boolean => blocks['text.delta'].size > 0 || blocks['thought.delta'].size > 0

/** A delta goes on with the open block when kind, message and block agree; the block's own end is no cut. */
export function cutsOff(delta: DeltaKind, open: Place, kind: Kind, place: Place, trait: number): boolean {
  if (kind === delta) return place.message !== open.message || place.block !== open.block
  return kind !== endOf[delta] && !(trait & keepsBlock)
}
export const deltaKinds = ['thought.delta', 'text.delta'] as const
export const endOf = { 'text.delta': 'text.end', 'thought.delta': 'thought.end' } as const
