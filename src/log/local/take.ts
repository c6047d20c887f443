// Takes a session for a run: its next part is made, if no run that is not over has it. Two that try at once: the one whose part is there
// first has it.
import type { Part, SessionJoin } from '../contract.ts'
import { LogError, SessionTaken } from '../errors.ts'
import { reapRun } from './end.ts'
import type { Place } from './files.ts'
import { endOf, generationsOf } from './generation.ts'
import { addPart, lastPart } from './parts.ts'

export async function takeSession(
  place: Place,
  { session, in: name = session, ...about }: SessionJoin,
  own: { run: string; gen: number; from: number },
): Promise<Part> {
  const before = await freeAfter(place, session)
  const part: Part = {
    v: 1,
    session,
    part: (before?.part ?? 0) + 1,
    ...own,
    in: name,
    ...(before !== undefined && { prev: { part: before.part, last: await lastOf(place, before) } }),
    ...about,
    at: place.now(),
  }
  if (await addPart(place, part)) return part
  throw new SessionTaken(session, (await lastPart(place, session))?.run ?? 'unknown')
}

/** Its last part, of a run that is over; undefined when it is new. */
async function freeAfter(place: Place, session: string): Promise<Part | undefined> {
  let part = await lastPart(place, session)
  for (;;) {
    if (part === undefined || part.to !== undefined) return part // up to there it is a copy
    const state = await reapRun(place, part.run).catch(missing)
    if (state === 'alive') throw new SessionTaken(session, part.run)
    if (state === 'unknown') throw new SessionTaken(session, part.run, 'of which nobody here can tell whether it has ended')
    if (state === 'dead') throw new SessionTaken(session, part.run, 'which was killed, and whose end cannot be written')
    const now = await lastPart(place, session)
    if (now?.part === part.part) return part
    part = now // it got its end, or somebody was faster
  }
}

/** The last number of the run that the part can hold. */
export async function lastOf(place: Place, { run, gen, to }: Part): Promise<number> {
  if (to !== undefined) return to
  const generation = (await generationsOf(place, run)).find((each) => each.gen === gen)
  return generation === undefined ? 0 : (await endOf(generation)).last
}

/** A run that was removed is over. */
function missing(error: unknown): 'ended' {
  if (error instanceof LogError && error.code === 'not-found') return 'ended'
  throw error
}
