// Our end of the way to a program. What is said before the program runs waits, and is kept until its first record comes: a second start
// says it again. What is said after its input was closed is lost.
import type { Program } from './driver.ts'
import { type Tail, tailOf } from './process/tail.ts'
import type { Connection, Transport } from './transport/contract.ts'

type Saying = (to: Connection) => void

export function createLink(transport: Transport, hasAnswered: () => boolean) {
  let kept: Saying[] = []
  let connection: Connection | undefined
  let stderr: Tail | undefined
  let isClosed = false

  return {
    /** `listen` is called before anything is read. */
    async start(program: Program, listen: (running: Connection) => void): Promise<Connection> {
      connection = await transport.start(program)
      stderr = tailOf(connection.stderr)
      listen(connection)
      for (const saying of kept) saying(connection)
      if (isClosed) connection.close()
      return connection
    },
    say(saying: Saying): void {
      if (isClosed) return
      if (hasAnswered()) kept = []
      else kept.push(saying)
      if (connection !== undefined) saying(connection)
    },
    /** No more input will come. */
    close(): void {
      isClosed = true
      connection?.close()
    },
    isClosed: (): boolean => isClosed,
    /** Undefined: the program was not started, or not yet. */
    connection: (): Connection | undefined => connection,
    stderr: (): Tail | undefined => stderr,
  }
}
