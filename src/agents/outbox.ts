// What is said to a program. It waits until the program runs, and is kept until its first record comes: a second start says it again.
import type { Connection } from './transport/contract.ts'

type Saying = (to: Connection) => void

export function createOutbox(hasAnswered: () => boolean) {
  let kept: Saying[] = []
  let connection: Connection | undefined
  let isClosed = false

  return {
    say(saying: Saying): void {
      if (isClosed) return
      if (hasAnswered()) kept = []
      else kept.push(saying)
      if (connection !== undefined) saying(connection)
    },
    connect(to: Connection): void {
      connection = to
      for (const saying of kept) saying(to)
      if (isClosed) to.close()
    },
    /** No more input will come. */
    close(): void {
      isClosed = true
      connection?.close()
    },
    isClosed: (): boolean => isClosed,
  }
}
