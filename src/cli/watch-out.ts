// stdout of `watch`: lines go out as soon as they are flushed, and whoever flushes waits until they are taken. Not blocking as
// elsewhere: while a slow reader keeps us waiting, a signal must still be heard.
import { utf8 } from '../base/bytes.ts'
import { harmless } from '../views/harmless.ts'
import { ClosedPipe, CommandError, exitCodes, hasCode, systemReason } from './exit.ts'
import type { Put } from './watch-view.ts'

export type Out = Put & {
  flush(): Promise<void>
  /** Nothing can be shown any more, whoever asks. */
  isBroken(): boolean
}

const usualSize = 1 << 18

export function createOut(): Out {
  const { stdout } = process
  const isTerminal = stdout.isTTY === true
  stdout.on('error', () => {}) // the write that failed tells
  const spare: Buffer<ArrayBuffer>[] = [] // while one is written, others are filled
  let buffer: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(usualSize)
  let size = 0
  let broken = false

  function makeRoom(more: number): void {
    if (size + more <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, size + more))
    buffer.copy(larger, 0, 0, size)
    buffer = larger
  }

  function made(text: string): void {
    makeRoom(text.length * 3 + 1)
    size += buffer.write(text, size)
    buffer[size++] = 0x0a
  }

  const write = (data: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(data, (error) => {
        if (!error) return resolve()
        broken = true
        if (hasCode(error, 'EPIPE')) reject(new ClosedPipe())
        else reject(new CommandError(`cannot write the output: ${systemReason(error)}`, exitCodes.failed, { cause: error }))
      })
    })

  return {
    isBroken: () => broken,
    made,
    line: isTerminal ? (text) => made(harmless(text)) : made,
    bytes(bytes) {
      if (isTerminal) return made(harmless(utf8(bytes, 0, bytes.length)))
      makeRoom(bytes.length + 1)
      buffer.set(bytes, size)
      size += bytes.length
      buffer[size++] = 0x0a
    },
    async flush() {
      if (size === 0) return
      const full = buffer
      const ready = full.subarray(0, size)
      buffer = spare.pop() ?? Buffer.allocUnsafeSlow(usualSize)
      size = 0
      await write(ready)
      if (full.length === usualSize) spare.push(full)
    },
  }
}
