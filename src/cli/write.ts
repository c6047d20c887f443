// Output, written to its last byte or not at all: who has gone ends the command without a word, a full disk with one.
import { writeSync } from 'node:fs'
import { ClosedPipe, CommandError, exitCodes, hasCode, systemReason } from './exit.ts'

export function writeAll(fd: number, data: Uint8Array): void {
  let done = 0
  while (done < data.length) {
    try {
      done += writeSync(fd, data, done)
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) Atomics.wait(pause, 0, 0, 1) // a pipe that its reader has made non-blocking is full
      else if (hasCode(error, 'EPIPE')) throw new ClosedPipe()
      else throw new CommandError(`cannot write the output: ${systemReason(error)}`, exitCodes.failed, { cause: error })
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
