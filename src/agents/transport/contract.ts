// How a program that is an agent is reached: started, written to, read, and ended with all that it has started. A transport knows
// nothing of what is said. Each one runs in a process group with a mark, so nothing of it outlives the run, even when we are killed.
import type { Readable } from 'node:stream'
import type { Program } from '../driver.ts'
import type { Exit } from '../process/group.ts'
import type { Timeouts } from '../timeouts.ts'

export type { Exit } from '../process/group.ts'

export type Transport = {
  /** Throws when the program cannot be started. One that does not exist starts and exits with code 127. */
  start(program: Program): Promise<Connection>
}

export type Connection = {
  /** Records in any framing that `src/framing` reads. It may end before the program leaves. */
  output: Readable
  /** What it writes for people, and what the transport has to say about it. */
  stderr: Readable
  /** To its input. A program that is reached by requests has none. */
  write(text: string): void
  /** To a program that is a server. Requests wait until its events can be read, so none is missed. `then` is called once. */
  request?(request: Request, then: (reply: Reply) => void): void
  /** Bytes that were written and not read. */
  unread(): number
  /** There is no more input: the program may leave. */
  close(): void
  /** How the program left; what it started may still run. Never rejects. */
  exited: Promise<Exit>
  /** After the exit: the last output arrives, what the program left behind is ended, and nothing is read any more. */
  drain(times: Pick<Timeouts, 'drainMs' | 'termMs'>): Promise<void>
  /** To the whole process group. */
  signal(name: NodeJS.Signals): void
  /** TERM to all that runs, KILL to what is left after the grace. It may be called again. */
  end(graceMs?: number): Promise<unknown>
  /** KILL, now. `end` is still needed. */
  kill(): void
}

export type Request = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: unknown }

/** `status` 0: there was no reply, and `body` says why. A body that is not JSON is its text. */
export type Reply = { status: number; body: unknown }
