// Messages for somebody outside, one at a time and in order. Whoever is slow gets fewer of them: the oldest go first, and the next one
// says how many are missing. The run never waits for it.
import { setTimeout as sleep } from 'node:timers/promises'

/** Undefined when it arrived, else why it did not. It never rejects, and ends soon after the signal. */
export type Deliver = (message: string, signal: AbortSignal) => Promise<string | undefined>

export type QueueParts = {
  deliver: Deliver
  onFailure(why: string): void
  /** Messages and characters that may wait. */
  most?: number | undefined
  mostChars?: number | undefined
  /** From the end of one delivery to the next. */
  gapMs?: number | undefined
}

/** `late`: still waiting when the time was over. */
export type Tally = { delivered: number; failed: number; dropped: number; late: number }

export type Queue = {
  /** A JSON object as text. */
  push(message: string): void
  /** No more will come. What waits is delivered as far as the time allows; what then still runs is ended. */
  close(withinMs: number): Promise<Tally>
}

export function createQueue({ deliver, onFailure, most = 1000, mostChars = 1 << 24, gapMs = 0 }: QueueParts): Queue {
  const tally: Tally = { delivered: 0, failed: 0, dropped: 0, late: 0 }
  const over = new AbortController()
  const hurry = new AbortController()
  let waiting: string[] = []
  let chars = 0
  let missed = 0 // since the last one that arrived
  let isOpen = true
  let work = Promise.resolve()
  let isWorking = false

  function take(): string {
    const message = waiting.shift()!
    chars -= message.length
    return message
  }

  async function deliverAll(): Promise<void> {
    while (waiting.length > 0 && !over.signal.aborted) {
      const message = take()
      const before = missed
      missed = 0
      const why = await deliver(before === 0 ? message : withMissed(message, before), over.signal)
      if (why === undefined) tally.delivered++
      else {
        missed += before + 1
        tally.failed++
        onFailure(why)
      }
      if (gapMs > 0 && isOpen) await sleep(gapMs, undefined, { signal: hurry.signal }).catch(() => {})
    }
    isWorking = false
  }

  return {
    push(message) {
      if (!isOpen) return
      waiting.push(message)
      chars += message.length
      while (waiting.length > most || (chars > mostChars && waiting.length > 1)) {
        take()
        missed++
        tally.dropped++
      }
      if (isWorking) return
      isWorking = true
      work = deliverAll()
    },
    async close(withinMs) {
      isOpen = false
      hurry.abort()
      const timer = setTimeout(() => over.abort(), withinMs)
      await work
      clearTimeout(timer)
      tally.late += waiting.length
      waiting = []
      return tally
    },
  }
}

const withMissed = (message: string, missed: number): string => `{"missed":${missed},${message.slice(1)}`
