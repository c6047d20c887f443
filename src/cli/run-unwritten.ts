// What of a run could not be written. The run goes on without that output; its exit code says in the end that something is missing. A
// reader that went away, or reads no more, has what it wanted: that is no failure.
import { ClosedPipe, CommandError, exitCodes, hasCode, say, systemReason } from './exit.ts'

export type Unwritten = {
  /** Takes why this output cannot be written any more. */
  by(output: string): (error: unknown) => void
  /** The same of stdout, whose reader may leave, as `head` does, and nobody need know. */
  byStdout(error: unknown): void
  /** The exit code of a run that ended with this one: what is worse stays. */
  code(ended: number): number
}

export function createUnwritten(): Unwritten {
  let isSome = false
  const by =
    (output: string) =>
    (error: unknown): void => {
      isSome ||= !isReaderGone(error)
      say(`sluice: ${output} cannot be written any more (${unwrittenReason(error)}); the run goes on`)
    }
  return {
    by,
    byStdout: (error) => (isReaderGone(error) ? undefined : by('stdout')(error)),
    code: (ended) => (isSome && ended === exitCodes.ok ? exitCodes.failed : ended),
  }
}

/** EAGAIN: a pipe stayed full for longer than is waited for. */
export const isReaderGone = (error: unknown): boolean => error instanceof ClosedPipe || hasCode(error, 'EPIPE') || hasCode(error, 'EAGAIN')

/** In a few words, without those that the command itself would end with. */
export const unwrittenReason = (error: unknown): string => systemReason(error instanceof CommandError ? (error.cause ?? error) : error)
