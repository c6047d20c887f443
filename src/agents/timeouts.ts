// How long a program that is an agent is waited for, in milliseconds.
import type { State } from './lifecycle.ts'
import type { Progress } from './progress.ts'

export type Timeouts = {
  /** For an interrupted turn to end, before the session is ended. */
  interruptMs: number
  /** Between TERM and KILL. */
  termMs: number
  /** For the program to leave after its input is closed and its turns are done. */
  lingerMs: number
  /** The same while something that it started in the background still runs, and says nothing. */
  tasksMs: number
  /** For a turn that a finished task may bring. */
  settleMs: number
  /** For output after the exit, since something else may hold the pipe open: as long as more comes, ten times that. */
  drainMs: number
}
export const timeouts: Timeouts = { interruptMs: 1500, termMs: 1500, lingerMs: 10_000, tasksMs: 120_000, settleMs: 300, drainMs: 300 }

/** How long it may stay in a state. */
export function timeOf(state: State, times: Timeouts, { openTasks, openCommands }: Progress): number | undefined {
  switch (state) {
    case 'interrupting':
      return times.interruptMs * 4
    case 'stopping':
      return times.interruptMs
    case 'settling': // an end that is never told must not hold the run
      return openTasks() > 0 ? times.tasksMs : times.settleMs
    case 'background':
    case 'leaving':
      return openCommands() > 0 ? times.tasksMs : times.lingerMs
    case 'unanswered':
    case 'silent':
      return times.lingerMs
    default:
      return undefined
  }
}
