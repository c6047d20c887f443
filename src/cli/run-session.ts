// The session that a run works in, with its file: a new one, or one that goes on.
import { newId } from '../agents/builtin/id.ts'
import { SessionTaken } from '../log/claim.ts'
import { openSessionLog, SessionNotFound } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { ResumeError, resumeSession, type Resumed } from '../run/resume.ts'
import { systemReason, usageError } from './exit.ts'
import type { AgentFlags } from './run-options.ts'

export type Opened = Omit<Resumed, 'forkedFrom'> & { how: 'new' | 'resumed' | 'forked'; forkedFrom?: string; history: Event[] }

export async function sessionOf({ session }: Pick<AgentFlags, 'session'>, folder: string, cwd: string): Promise<Opened> {
  try {
    if (session.how === 'new') {
      const id = newId('ses')
      return { id, how: 'new', history: [], log: openSessionLog(folder, id) }
    }
    return { how: session.how, ...(await resumeSession(folder, { ...session, cwd }, () => newId('ses'))) }
  } catch (error) {
    if (error instanceof SessionNotFound || error instanceof ResumeError || error instanceof SessionTaken) throw usageError(error.message)
    throw usageError(
      `the session cannot be kept in ${folder}: ${systemReason(error)}; make that folder writable, or set XDG_DATA_HOME to one that is`,
    )
  }
}
