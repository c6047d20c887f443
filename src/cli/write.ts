// Output, written to its last byte or not at all: who has gone ends the command without a word, a full disk with one.
import { writeSync } from 'node:fs'
import { ClosedPipe, exitCodes, hasCode, OutputError, systemReason } from './exit.ts'

/** `name`: what is written, for the message. */
export function writeAll(fd: number, data: Uint8Array, name = 'the output'): void {
  let done = 0
  while (done < data.length) {
    try {
      done += writeSync(fd, data, done)
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) Atomics.wait(pause, 0, 0, 1) // a pipe that its reader has made non-blocking is full
      else if (hasCode(error, 'EPIPE')) throw new ClosedPipe()
      else throw new OutputError(`cannot write ${name}: ${systemReason(error)}`, exitCodes.failed, { cause: error })
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
