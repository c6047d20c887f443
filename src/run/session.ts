// The session that a run works in, with its file: a new one, or one that goes on.
import { newId } from '../agents/builtin/id.ts'
import { systemReason } from '../files/system-error.ts'
import { SessionTaken } from '../log/claim.ts'
import { openSessionLog, SessionNotFound } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { RequestError } from './errors.ts'
import type { SessionWanted } from './request.ts'
import { ResumeError, resumeSession, type Resumed } from './resume.ts'

export type Opened = Omit<Resumed, 'forkedFrom'> & { how: 'new' | 'resumed' | 'forked'; forkedFrom?: string; history: Event[] }

/** Rejects with a RequestError. */
export async function openSession(wanted: SessionWanted, folder: string, cwd: string): Promise<Opened> {
  try {
    if (wanted.how === 'new') {
      const id = newId('ses')
      return { id, how: 'new', history: [], log: openSessionLog(folder, id) }
    }
    return { how: wanted.how, ...(await resumeSession(folder, { ...wanted, cwd }, () => newId('ses'))) }
  } catch (error) {
    if (error instanceof SessionNotFound || error instanceof ResumeError || error instanceof SessionTaken)
      throw new RequestError(error.message)
    throw new RequestError(
      `the session cannot be kept in ${folder}: ${systemReason(error)}; make that folder writable, or set XDG_DATA_HOME to one that is`,
    )
  }
}
