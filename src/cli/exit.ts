// Exit codes and the errors that end a command. stdout is data, stderr is talk.
import { writeSync } from 'node:fs'
import type { Fault } from '../model/event.ts'
import { notStarted } from '../model/fault.ts'
import type { Reason } from '../model/vocabulary.ts'
import { harmless } from '../views/harmless.ts'

export const exitCodes = {
  /** All went well; warnings may have been told. */
  ok: 0,
  /** The input has faults, something was lost under --strict, or reading or writing failed. */
  failed: 1,
  /** The command line is wrong, the input is of no known dialect, or the agent could not be started. */
  usage: 2,
} as const

/** Of `run` and `chat`: how the session ended. A signal counts more than the reason it led to. */
const reasonCodes: Partial<Record<Reason, number>> = {
  end_turn: 0,
  stop_sequence: 0,
  max_tokens: 3,
  context: 3,
  max_turns: 4,
  budget: 4,
  blocked: 5,
  timeout: 124,
  stall: 124,
  cancelled: 130, // by whoever may: over the control socket it is what Ctrl-C is at the terminal
  cancelled_forced: 130,
}
export function exitCodeOf({ reason, error }: Ended, signal?: keyof typeof signalCodes): number {
  if (signal !== undefined) return signalCodes[signal]
  return error?.code === notStarted ? exitCodes.usage : (reasonCodes[reason] ?? exitCodes.failed)
}

type Ended = { reason: Reason; error?: Fault | undefined }

/** Of a command that hears them, so that it can leave things in order. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143, SIGQUIT: 143 } as const

/** Ends the command with a message for the user; never a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** What was found can no longer be told: that is no fault of whatever was read. */
export class OutputError extends CommandError {}

/** By its name: each bundle has its own copy of the class. */
const isRequestError = (error: unknown): error is Error => error instanceof Error && error.name === 'RequestError'

/** What a command that failed with this exits with. */
export const codeOfError = (error: unknown): number =>
  error instanceof CommandError ? error.exitCode : isRequestError(error) ? exitCodes.usage : exitCodes.failed

export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage)

/** The reader of our output has gone: nobody is left to tell, so the command ends without a word. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

let before: (() => void) | undefined

/** What has to leave the terminal first: a line that is only there for the moment. */
export const beforeSaying = (act: (() => void) | undefined): void => void (before = act)

/** One line for people. Whatever of it came from a stream is made harmless here. */
export function say(line: string): void {
  before?.()
  try {
    writeSync(2, `${harmless(line)}\n`)
  } catch {
    // stderr is gone or full: there is no other place to say it
  }
}

export { hasCode, systemReason } from '../files/system-error.ts'
