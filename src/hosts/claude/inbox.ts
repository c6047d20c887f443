// Messages of a host in their order, as they come on its input. A line that is none is passed over.
import type { Readable } from 'node:stream'
import { createFramer } from '../../framing/framer.ts'
import { hostMessage, type HostMessage } from './input.ts'

export type Inbox = AsyncIterable<HostMessage> & {
  /** The next message, which stays; undefined when there is none. */
  peek(): Promise<HostMessage | undefined>
  close(): void
}

/** Messages as they come; closed, it gives what it has and ends. */
function createInbox(onClose: () => void): Inbox & { push(message: HostMessage): void } {
  const queue: HostMessage[] = []
  let isOver = false
  let wake = (): void => {}
  const some = async (): Promise<boolean> => {
    while (queue.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
    return queue.length > 0
  }
  return {
    push(message) {
      queue.push(message)
      wake()
    },
    peek: async () => ((await some()) ? queue[0] : undefined),
    close() {
      isOver = true
      onClose()
      wake()
    },
    async *[Symbol.asyncIterator]() {
      while (await some()) yield queue.shift()!
    },
  }
}

/** What the host says on its input, if there is one, after a prompt that is known already. */
export function openInbox(input: Readable | undefined, first: readonly HostMessage[]): Inbox {
  const inbox = createInbox(() => void input?.destroy())
  for (const message of first) inbox.push(message)
  if (input === undefined) {
    inbox.close()
    return inbox
  }
  const framer = createFramer({
    record: (record) => inbox.push(hostMessage(record)),
    bad: (code, text) => code !== 'utf8' && inbox.push({ type: 'nothing', why: `a line that is no JSON object (${text})` }),
  })
  const end = (): void => {
    framer.end()
    inbox.close()
  }
  input.on('data', (block: Buffer) => framer.push(block))
  input.once('end', end)
  input.once('error', end)
  if (input.readableEnded) end() // the prompt was read from it
  return inbox
}
