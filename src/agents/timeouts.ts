// How long a program that is an agent is waited for, in milliseconds.

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
