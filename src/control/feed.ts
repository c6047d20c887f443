// A run's events to those who have subscribed. Who keeps up gets them as they come; who asks for earlier ones, or cannot take what
// comes, is served from the log until he has caught up. So a slow reader costs neither time nor memory, and misses nothing.
import { stringifyJson } from '../base/json.ts'
import { lineOf } from '../log/line.ts'
import type { Event } from '../model/event.ts'
import type { EventSink } from '../run/contract.ts'
import { type Cursor, type LogPlace, openReplay, type Piece } from './replay.ts'
import { notice } from './rpc.ts'

export type Out = {
  /** False: no more for now; `drained` says when. */
  write(text: string | Uint8Array): boolean
  /** Whether it may still look at bytes that it was given. */
  isReading(): boolean
}

export type Subscription = { drained(): void; close(): void }

export type History = { events: string[]; head: number }

export type Feed = {
  sink: EventSink
  /** The number of the last event. */
  head(): number
  subscribe(after: number, out: Out): Subscription
  /** Lines of events that are in the log, no more than `limit`, nor than `longest` bytes unless it is one. */
  history(after: number, limit: number, longest: number): History
  /** All that comes from now on is kept in another log; what came until now is in the last one. */
  follow(log: LogPlace): void
  /** Nobody waits for an event any more. */
  isServed(): boolean
  close(): void
}

/** `next`: the number of the event that comes next. A cursor: it comes from the log. */
type Subscriber = {
  out: Out
  next: number
  cursor: Cursor | undefined
  isFull: boolean
  missed: boolean
  isScheduled: boolean
  told: boolean
}

const [beforeEvent = '', afterEvent = ''] = notice('event', '\n').split('\n')
const [prefix, suffix] = [Buffer.from(beforeEvent), Buffer.from(`${afterEvent}\n`)]
/** Of lines whose characters are bytes. One join: lines come in thousands when somebody is behind. */
const noticesOf = (lines: readonly string[]): Uint8Array =>
  Buffer.from(`${beforeEvent}${lines.join(`${afterEvent}\n${beforeEvent}`)}${afterEvent}\n`, 'latin1')

const mostHeld = 1 << 20 // bytes that wait for the end of a turn of the event loop
const usualHeld = 1 << 17
const leastShared = 1 << 15 // bytes; less is copied, so that one who waits for a little does not keep a whole block
const blocksATurn = 64 // of 64 KiB

/** Notices of events without a gap, as bytes: all who keep up get the same. */
function createBatch() {
  let block = Buffer.allocUnsafeSlow(usualHeld)
  let size = 0
  let first = 0
  let last = 0
  let isShared = false // what was taken is the block itself

  /** For the events from this one on. */
  function begin(seq: number, count: number): void {
    if (size === 0 || last !== seq - 1) [first, size] = [seq, 0] // nobody wanted those between
    last = seq + count - 1
  }

  /** Where it ends when so many bytes are added. */
  function endWith(added: number): number {
    const end = size + added
    if (end > block.length) {
      const larger = Buffer.allocUnsafeSlow(2 * end)
      block.copy(larger, 0, 0, size)
      block = larger
    }
    return end
  }

  return {
    size: () => size,
    add(event: Event): void {
      begin(event.seq, 1)
      const { text } = lineOf(event)
      const end = endWith(prefix.length + text.length + suffix.length)
      block.set(prefix, size)
      block.set(text, size + prefix.length)
      block.set(suffix, end - suffix.length)
      size = end
    },
    /** The bytes are good until `release`. */
    take(): { first: number; last: number; bytes: Uint8Array } {
      isShared = size >= leastShared
      const bytes = block.subarray(0, size)
      const taken = { first, last, bytes: isShared ? bytes : Buffer.from(bytes) }
      first = last = size = 0
      return taken
    },
    /** `isRead`: somebody still looks at what was taken. */
    release(isRead: boolean): void {
      if ((isRead && isShared) || block.length > 2 * mostHeld) block = Buffer.allocUnsafeSlow(usualHeld)
    },
  }
}

export function createFeed(log: LogPlace): Feed {
  const replay = openReplay(log)
  const subscribers = new Set<Subscriber>()
  let head = 0
  let logged = 0 // the last that is in the file
  const batch = createBatch() // what is new since the last flush
  let isWanted = false // somebody would take the batch
  let isOver = false
  let isClosed = false

  const keepsUp = ({ cursor, isFull }: Subscriber): boolean => cursor === undefined && !isFull
  const look = (): void => void (isWanted = [...subscribers].some(keepsUp))

  function write(one: Subscriber, text: string | Uint8Array): void {
    if (!one.out.write(text)) one.isFull = true
  }

  function push(event: Event): void {
    const { seq } = event
    head = seq
    if (isWanted && batch.size() <= mostHeld) batch.add(event) // too much at once is read from the log
  }

  function flush(): void {
    if (isClosed) return
    replay.mark(head)
    logged = head
    const { first, last, bytes } = batch.take()
    let isRead = false
    for (const one of subscribers) {
      if (one.next > head) continue
      if (one.isFull) one.missed ||= one.cursor === undefined
      else if (one.cursor === undefined && one.next === first && last === head) {
        one.next = head + 1
        write(one, bytes)
        isRead ||= one.out.isReading()
      } else if (!one.isScheduled) readOn(one)
    }
    batch.release(isRead)
    look()
  }

  /** Some blocks from the log, and the next when all others have had their turn: more than a flood brings meanwhile, else he is never done. */
  function readOn(one: Subscriber): void {
    one.isScheduled = false
    if (one.isFull || !subscribers.has(one)) return
    one.cursor ??= replay.cursor(one.next - 1)
    let piece: Piece | undefined
    for (let blocks = 0; blocks < blocksATurn && one.next <= head && !one.isFull; blocks++) {
      piece = one.cursor.read()
      if (piece === undefined) break
      one.next += piece.lines.length
      write(one, noticesOf(piece.lines))
    }
    if (piece === undefined && one.next <= logged) {
      // It should be there: the log could not be written. What it does not hold is lost to those who were late.
      write(one, notice('gap', stringifyJson({ after: head, head, lost: head - one.next + 1 })))
      one.next = head + 1
    }
    if (one.next > head) {
      one.cursor = undefined
      tellEnd(one)
      return look()
    }
    one.isScheduled = piece !== undefined && !one.isFull
    if (one.isScheduled) setImmediate(readOn, one)
  }

  function tellEnd(one: Subscriber): void {
    if (!isOver || one.told || one.next <= head) return
    one.told = true
    write(one, notice('end', stringifyJson({ head })))
  }

  return {
    sink: {
      push,
      flush,
      end() {
        isOver = true
        for (const one of subscribers) tellEnd(one)
      },
    },
    head: () => head,
    subscribe(after, out) {
      const one: Subscriber = { out, next: after + 1, cursor: undefined, isFull: false, missed: false, isScheduled: false, told: false }
      subscribers.add(one)
      if (one.next <= head) readOn(one)
      else tellEnd(one)
      look()
      return {
        drained() {
          if (!one.isFull) return
          one.isFull = false
          if (one.missed) write(one, notice('gap', stringifyJson({ after: one.next - 1, head })))
          one.missed = false
          if (one.next <= logged || one.cursor !== undefined) readOn(one)
          else tellEnd(one)
          look()
        },
        close() {
          subscribers.delete(one)
          look()
        },
      }
    },
    history(after, limit, longest) {
      const cursor = replay.cursor(after)
      const events: string[] = []
      let size = 0
      for (let piece = cursor.read(); piece !== undefined; piece = cursor.read())
        for (const line of piece.lines) {
          size += line.length
          if (events.length === limit || (size > longest && events.length > 0)) return { events, head }
          events.push(Buffer.from(line, 'latin1').toString())
        }
      return { events, head }
    },
    follow: (next) => replay.follow(next, head),
    isServed: () => [...subscribers].every(({ next, told }) => next > head && (told || !isOver)),
    close() {
      isClosed = true
      subscribers.clear()
      replay.close()
    },
  }
}
