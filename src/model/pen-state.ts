// What a pen remembers of one session: only what is open. Never text, input or output.
import { type Fault, type Place, placeOf, type Usage } from './event.ts'
import type { Reason } from './vocabulary.ts'

export type DeltaKind = 'text.delta' | 'thought.delta'
type OpenRequest = { kind: 'permission.answer' | 'question.answer'; place: Place }
/** With the tokens that were last told of it, for an end that is missing. */
type OpenMessage = Place & { usage?: Usage }

export type Session = ReturnType<typeof createSession>

/** A session that starts again goes on counting its turns. */
export function createSession(pastTurns?: number) {
  return {
    started: false,
    again: pastTurns !== undefined,
    turnCount: pastTurns ?? 0,
    /** Numbers of the turns that are open, oldest first: a new one may start before the former ends. */
    turns: [] as number[],
    lastAt: undefined as number | undefined,
    lastReason: undefined as Reason | undefined,
    lastError: undefined as Fault | undefined,
    calls: new Map<string, Place>(),
    requests: new Map<string, OpenRequest>(),
    hooks: new Map<string, Place>(),
    tasks: new Map<string, Place>(),
    laneTurns: new Map<string, number>(),
    messages: new Map<string | undefined, OpenMessage>(),
    /** Blocks whose deltas were told and whose end was not, per lane. */
    blocks: { 'text.delta': new Blocks(), 'thought.delta': new Blocks() },
  }
}

/** By their lanes. That of the main lane is at hand: nearly every delta asks for it. */
class Blocks extends Map<string | undefined, Place> {
  main: Place | undefined

  override set(lane: string | undefined, place: Place): this {
    if (lane === undefined) this.main = place
    return super.set(lane, place)
  }

  override delete(lane: string | undefined): boolean {
    if (lane === undefined) this.main = undefined
    return super.delete(lane)
  }
}

/** Where something was opened that must be closed later. */
export function spot({ session, run, agent, message, block, call, synthetic, ext }: Place, turn: number | undefined): Place {
  const place = placeOf(agent, turn, message, block, call, synthetic)
  place.session = session
  place.run = run
  place.ext = ext
  return place
}
