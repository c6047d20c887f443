// A stream to many subscribers, in the frames of their transport. Those who keep up share the frames of each batch as it comes; one who is
// behind, or takes no more for now, is served from the log until he has caught up. So a slow reader costs neither memory nor the writer's
// time, and misses nothing.
import { cursorAt, splitLines } from './batch.ts'
import type { Batch, Cursor, EndReason, Item, Log, Stream, Writer } from './contract.ts'
import { compareCursors, parseCursor, start } from './cursor.ts'

export type Frames = string | Uint8Array

export type Framing = {
  /** A copy: the lines of the batch are valid during the call. */
  events(batch: Batch): Frames
  /**
   * `after`: the last event that the reader has. What lies between comes from the log now; or it was dropped, when `after` is before what he
   * had; or it is `lost`, so many events, since the log could not be written.
   */
  gap(gap: { after: Cursor; head: Cursor; lost?: number }): Frames
  end(end: { head: Cursor; why: EndReason }): Frames
}

export type Out = {
  /** False: no more for now; `drained` says when. */
  write(frames: Frames): boolean
  /** The log cannot be read any further. */
  failed(error: unknown): void
}

export type Subscription = { drained(): void; close(): void }

export type Tail = {
  /** Of the last event that came; undefined until somebody has read as far. */
  head(): Cursor | undefined
  subscribe(after: Cursor, out: Out): Subscription
  /** Nobody waits for an event any more. */
  isServed(): boolean
  close(): void
}

/** What the tail is told of events: by `listen` of those that come after `after`, by `read` of any. */
type Source = {
  head: Cursor | undefined
  listen(after: Cursor, hear: (item: Item) => void): () => void
  read(after: Cursor, signal: AbortSignal): AsyncIterable<Item>
}

/** In the process of the run. */
export function tailOfWriter(log: Log, writer: Writer, framing: Framing): Tail {
  writer.flush()
  return createTail(framing, {
    head: writer.head(),
    listen: (_after, hear) =>
      writer.listen((batch) => hear(batch ?? { type: 'end', why: writer.failed.aborted ? 'failed' : 'ended', last: writer.head() })),
    read: (after, signal) => log.read({ run: writer.run }, after, signal),
  })
}

/** In any process: the stream is followed once for all who have caught up. */
export function tailOf(log: Log, stream: Stream, framing: Framing): Tail {
  const read: Source['read'] = (after, signal) => log.read(stream, after, signal)
  return createTail(framing, {
    head: undefined,
    read,
    listen(after, hear) {
      const stop = new AbortController()
      const follow = async (): Promise<void> => {
        for await (const item of read(after, stop.signal)) hear(item)
      }
      follow().catch(() => {}) // each subscriber meets it, too, when he reads on
      return () => stop.abort()
    },
  })
}

/** `isReading`: he is served from the log. `missed`: something came while he was full. */
type Subscriber = { out: Out; last: Cursor; isReading: boolean; isFull: boolean; missed: boolean; isEnded: boolean; stop: AbortController }

function createTail(framing: Framing, source: Source): Tail {
  const subscribers = new Set<Subscriber>()
  let head: Cursor | undefined
  let over: EndReason | undefined
  let stop: (() => void) | undefined
  const begin = (at: Cursor): void => {
    head = at
    stop = source.listen(at, hear)
  }
  const hasAll = ({ last }: Subscriber): boolean => head !== undefined && compareCursors(last, head) >= 0

  function write(one: Subscriber, frames: Frames): void {
    if (!one.out.write(frames)) one.isFull = true
  }

  function hear(item: Item): void {
    if (item.type === 'live') return
    if (item.type === 'end') over = item.why
    const before = head!
    const now = (head = item.type === 'end' ? before : item.type === 'dropped' ? item.after : item.last)
    let frames: Frames | undefined
    for (const one of subscribers) {
      if (one.isReading) continue
      if (one.isFull) one.missed ||= item.type !== 'end'
      else if (item.type === 'end') tellEnd(one)
      else if (one.last === before) {
        one.last = now
        write(one, (frames ??= item.type === 'events' ? framing.events(item) : framing.gap({ after: now, head: now })))
      } else if (compareCursors(one.last, now) < 0) void readOn(one) // he has a part of it
    }
  }

  /** From the log, until he has all that came, or takes no more. */
  async function readOn(one: Subscriber): Promise<void> {
    one.isReading = true
    try {
      for await (const item of source.read(one.last, one.stop.signal)) {
        if (item.type === 'live') {
          if (head === undefined) begin(one.last)
        } else if (item.type === 'end') tellEnd(one, item.why)
        else {
          one.last = item.type === 'events' ? item.last : item.after
          write(one, item.type === 'events' ? framing.events(item) : framing.gap({ after: item.after, head: head ?? item.after }))
        }
        if (one.isFull || one.isEnded || hasAll(one)) {
          one.isReading = false // at once: what comes while the reading is ended is his
          break
        }
      }
    } catch (error) {
      if (!one.stop.signal.aborted) one.out.failed(error)
      subscribers.delete(one)
    }
    if (!one.isReading) tellEnd(one)
  }

  /** When it is over and he has all, or all that there is. */
  function tellEnd(one: Subscriber, why = hasAll(one) ? over : undefined): void {
    if (one.isFull || one.isEnded || why === undefined) return
    one.isEnded = true
    const at = head ?? one.last
    if (compareCursors(one.last, at) < 0) write(one, framing.gap({ after: at, head: at, lost: seqOf(at) - seqOf(one.last) }))
    write(one, framing.end({ head: at, why }))
  }

  if (source.head !== undefined) begin(source.head)
  return {
    head: () => head,
    subscribe(after, out) {
      const one = { out, last: after, isReading: false, isFull: false, missed: false, isEnded: false, stop: new AbortController() }
      subscribers.add(one)
      if (hasAll(one)) tellEnd(one)
      else void readOn(one)
      return {
        drained() {
          if (!one.isFull) return
          one.isFull = false
          if (one.missed && head !== undefined) write(one, framing.gap({ after: one.last, head }))
          one.missed = false
          if (hasAll(one)) tellEnd(one)
          else if (!one.isReading) void readOn(one)
        },
        close() {
          subscribers.delete(one)
          one.stop.abort()
        },
      }
    },
    isServed: () => [...subscribers].every((one) => one.isEnded || (over === undefined && hasAll(one))),
    close() {
      stop?.()
      for (const one of subscribers) one.stop.abort()
      subscribers.clear()
    },
  }
}

const seqOf = (cursor: Cursor): number => parseCursor(cursor)?.seq ?? 0

/** At most `limit` events and `maxBytes` bytes after the cursor, but always one: as lines of JSON, with the cursor of the last. */
export async function history(
  log: Log,
  stream: Stream,
  { after = start, limit = Infinity, maxBytes = Infinity }: { after?: Cursor; limit?: number; maxBytes?: number } = {},
): Promise<{ lines: string[]; last: Cursor }> {
  const lines: string[] = []
  let size = 0
  let last = after
  for await (const item of log.read(stream, after)) {
    if (item.type === 'live' || item.type === 'end') break
    if (item.type === 'dropped') continue
    let place = 0
    for (const line of splitLines(item.lines)) {
      size += line.length
      if (lines.length === limit || (size > maxBytes && lines.length > 0)) return { lines, last }
      lines.push(Buffer.from(line).toString('utf8', 0, line.length - 1))
      last = cursorAt(item, place++)
    }
  }
  return { lines, last }
}
