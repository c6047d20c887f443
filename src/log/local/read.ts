// Reads a stream: what was, then what comes. A stream is a row of segments, each the events of one generation up to a limit: for a run all
// its generations, for a session its parts. A limit may appear late, when a new writer goes on from an earlier place; what was given beyond
// it is dropped then.
import { batchOf, splitLines } from '../batch.ts'
import type { Batch, EndReason, Item } from '../contract.ts'
import { formatCursor, type Position } from '../cursor.ts'
import { LogError } from '../errors.ts'
import { parseLine } from './control-line.ts'
import { damaged, type Generation, type GenerationReader, openGeneration, type Piece } from './generation.ts'
import { numberAt } from './lines.ts'
import type { Waker } from './wake.ts'

export type Segment = {
  /** The first number of its cursors. */
  index: number
  run: string
  generation: Generation
  /** The first event that may belong to the stream, and the last. */
  from: number
  limit: number
  /** Only events of this session. */
  session?: string
}

export type Source = {
  /** The first segment of that index or a later one, as far as it is known now. */
  find(index: number): Promise<Segment | undefined>
  /** More may come when the last segment is over. */
  isEndless: boolean
  /** For whoever waits for more of that segment, or for one after it. */
  waker(segment: Segment): Waker
  /** To be asked when nothing has come for a while. `more`: a writer had died, or was closed, and all is there now. */
  revive(segment: Segment): Promise<'more' | 'wait' | 'dead'>
}

type Turn = 'again' | 'over' | { end: EndReason }
const maxInvalid = 10 // looks at what is no line, while somebody may be about to end the run before it

export async function* readStream(source: Source, position: Position, signal?: AbortSignal): AsyncGenerator<Item, void, void> {
  const has = { ...position } // what the reader has
  let isLive = false
  let segment = await source.find(has.index)
  if (segment === undefined) throw new LogError('bad-cursor', 'the stream has no such part; read it from its start')

  const isAborted = (): boolean => signal?.aborted === true

  while (segment !== undefined && !isAborted()) {
    const current: Segment = segment
    const reader: GenerationReader = await openGeneration(current.generation, startIn(current, has))
    const waker = lazy(() => source.waker(current))
    try {
      const turn = yield* follow(current, reader, waker.get)
      if (typeof turn === 'object') return yield { type: 'end', why: turn.end, last: formatCursor(current.index, reader.last()) }
      if (turn === 'again') segment = await source.find(current.index)
      else segment = yield* after(current, reader, waker.get)
    } finally {
      waker.close()
      await reader.close()
    }
  }

  /** To the end of a segment, or until it has to be read anew. */
  async function* follow(current: Segment, reader: GenerationReader, waker: () => Waker): AsyncGenerator<Item, Turn, void> {
    let { limit } = current
    let isComplete = false // the run is over: no more will be there than is now
    for (let invalid = 0; !isAborted();) {
      if (has.index === current.index && has.seq > limit) yield dropTo(limit)
      const piece = await reader.next(limit)
      if (piece.type === 'lines') {
        const batch = current.session === undefined ? whole(piece, current.index) : ofSession(piece, current.index, current.session)
        if (batch === undefined) continue
        Object.assign(has, { index: current.index, seq: batch.seqs?.at(-1) ?? piece.last })
        yield batch
        continue
      }
      if (has.index === current.index && reader.last() < has.seq) {
        yield dropTo(reader.last())
        return 'again'
      }
      if (piece.type === 'over' || reader.closed() !== undefined) return 'over'
      if (current.generation.gen === 0) return 'over' // nobody writes to it any more
      const now = await source.find(current.index)
      if (now?.index !== current.index) return 'over' // it was removed
      if (now.limit !== limit) {
        ;({ limit } = now)
        continue
      }
      if (isComplete || now.generation.limit !== Infinity || (piece.type === 'invalid' && ++invalid > maxInvalid))
        throw damaged(now.generation, reader.last())
      if (isLive && (await waker().wait(signal))) continue
      if (isAborted()) break
      const found = await source.revive(now)
      if (found === 'dead' && !source.isEndless) return { end: 'died' }
      isComplete = found === 'more'
      if (!isComplete) yield* live()
    }
    return 'over'
  }

  /** The segment that follows when there is one. */
  async function* after(
    { index, run }: Segment,
    reader: GenerationReader,
    waker: () => Waker,
  ): AsyncGenerator<Item, Segment | undefined, void> {
    for (;;) {
      const next = await source.find(index + 1)
      if (next !== undefined || isAborted()) return next
      if (!source.isEndless) {
        yield { type: 'end', why: reader.closed()?.why ?? 'died', last: formatCursor(index, reader.last()) }
        return undefined
      }
      if ((await source.find(index))?.run !== run) return undefined // it was removed
      yield* live()
      await waker().wait(signal)
    }
  }

  function* live(): Generator<Item, void, void> {
    if (!isLive) yield { type: 'live' }
    isLive = true
  }

  function dropTo(seq: number): Item {
    has.seq = seq
    return { type: 'dropped', after: formatCursor(has.index, seq) }
  }
}

const startIn = ({ index, from, limit }: Segment, has: Position): number =>
  index === has.index ? Math.min(limit, Math.max(has.seq, from - 1)) : from - 1

type LinesOf = Extract<Piece, { type: 'lines' }>

const whole = ({ lines, first, last }: LinesOf, index: number): Batch => batchOf(lines, index, first, last)

/** Most runs have one session: then it is all of it but what is of no session. */
function ofSession({ lines }: LinesOf, index: number, session: string): Batch | undefined {
  const mark = Buffer.from(`"session":${JSON.stringify(session)}`)
  const kept: Buffer[] = []
  const numbers: number[] = []
  for (const line of splitLines(lines) as Generator<Buffer>) {
    if (!line.includes(mark) || parseLine(line)?.['session'] !== session) continue // the mark may stand deeper in an event
    kept.push(line)
    numbers.push(numberAt(line, 0, line.length - 1))
  }
  return kept.length === 0 ? undefined : batchOf(Buffer.concat(kept), index, numbers[0]!, numbers.at(-1)!, numbers)
}

function lazy(make: () => Waker): { get(): Waker; close(): void } {
  let made: Waker | undefined
  return { get: () => (made ??= make()), close: () => made?.close() }
}
