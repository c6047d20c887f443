// Going on with a session from its file: all its events, the ends that a crash left out, and the number to go on from.
import { createPen } from '../model/pen.ts'
import type { Event } from '../model/event.ts'
import { claim, listSessions, openSessionLog, readSession, type SessionLog, startOf } from '../log/sessions.ts'

export type Resumed = { id: string; history: Event[]; log: SessionLog; forkedFrom?: string }

export type Wanted = { how: 'resumed' | 'forked'; id: string | undefined; cwd: string }

/** Its message says what to do. */
export class ResumeError extends Error {
  override readonly name = 'ResumeError'
}

/** A fork is a copy under an id of its own: its file, too, is all there is of it. */
export async function resumeSession(folder: string, { how, id, cwd }: Wanted, newId: () => string): Promise<Resumed> {
  const from = id ?? (await lastOf(folder, cwd))
  if (how === 'resumed') return goOn(folder, from)
  const { found, missing } = await whole(folder, from)
  const copy = newId()
  const log = openSessionLog(folder, copy)
  const history = [...found, ...missing].map((event, index) => ({ ...event, seq: index + 1, session: copy }))
  for (const event of history) log.append(event)
  return { id: copy, history, log, forkedFrom: from }
}

async function goOn(folder: string, id: string): Promise<Resumed> {
  const claimed = claim(folder, id) // what is read here must not go on elsewhere
  try {
    const { found, missing } = await whole(folder, id)
    const log = openSessionLog(folder, id, lastSeq(found), claimed)
    for (const event of missing) log.append(event)
    return { id, history: [...found, ...missing], log }
  } catch (error) {
    claimed.release()
    throw error
  }
}

async function whole(folder: string, id: string): Promise<{ found: Event[]; missing: Event[] }> {
  const found = await legalIn(await readSession(folder, id), id)
  if (found.find(({ kind }) => kind !== 'raw' && kind !== 'issue')?.kind !== 'session.start')
    throw new ResumeError(`the file of session ${JSON.stringify(id)} does not begin with its start`)
  return { found, missing: endsOf(found) }
}

/** A file may have been changed by anybody who can write to it: what is no event of this session is passed over. */
async function legalIn(events: readonly Event[], session: string): Promise<Event[]> {
  const { sluice } = await import('../dialects/sluice/index.ts') // its shapes are large
  const { checks } = sluice.shapes
  return events.filter((event) => event.session === session && Object.hasOwn(checks, event.kind) && checks[event.kind]!(event))
}

/** The events to come are counted from there. */
function lastSeq(events: readonly Event[]): number {
  const last = events.reduce((most, { seq }) => Math.max(most, seq), 0)
  if (last > 2 ** 40) throw new ResumeError('the events of the session are not counted as sluice counts them; its file has been changed')
  return last
}

/** The session that worked here last. */
async function lastOf(folder: string, cwd: string): Promise<string> {
  for (const id of await listSessions(folder)) {
    const start = await startOf(folder, id)
    if (start?.kind === 'session.start' && start.cwd === cwd) return id
  }
  throw new ResumeError(`there is no session of ${JSON.stringify(cwd)} to continue; start one without --continue`)
}

/** What was open when the program was killed is closed now, and says that it was cut. */
function endsOf(events: readonly Event[]): Event[] {
  const pen = createPen()
  for (const event of events) pen.follow(event)
  pen.end({ reason: 'cut', synthetic: 'cut' })
  const last = lastSeq(events)
  return pen.take().map((event, index) => ({ ...event, seq: last + index + 1 }))
}
