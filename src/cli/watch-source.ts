// One file or stdin of `watch`, to its end: of the input, of the session in it, or of our patience with a silent one.
// The surprise: with a cursor the file is still read from its start, only nothing is shown before the cursor. So lines are
// numbered as in the file, and what is open at the cursor (a loop, a call) is known.
import { setImmediate as turn } from 'node:timers/promises'
import { quoted } from '../base/text.ts'
import { follow, isStream, type Piece } from '../files/follow.ts'
import { CommandError, exitCodes, say, systemReason } from './exit.ts'
import { isGzip, isGzipAt } from './gzip.ts'
import { type Blocks, blocks, mustNotBeOutput, pipeBlocks, statOf } from './io.ts'
import type { Out } from './watch-out.ts'
import { createStream, type StreamOptions } from './watch-stream.ts'

/** Ms of silence after a turn that are taken for the end, where a log tells none. */
const silence = 2000
/** The longest delay before another attempt, and the time in which that tells its first record. */
const silenceOfRetry = 35_000

export type SourceOptions = Omit<StreamOptions, 'put' | 'skip'> & {
  file: string
  /** Wait for more, until the session is over. */
  follows: boolean
  cursor: { start: number; move(offset: number): void } | undefined
  out: Out
  signal: AbortSignal
}

export async function watchSource({ file, follows, cursor, out, signal, ...options }: SourceOptions): Promise<void> {
  if (file !== '-') mustNotBeOutput(statOf(file), quoted(file, 500))
  if (cursor !== undefined && isFile(file) && isGzipAt(file)) throw refused(file, '--since-cursor')
  const stream = createStream({ ...options, put: out, skip: cursor?.start ?? 0 })
  const silent = new AbortController()
  const ending = AbortSignal.any([signal, silent.signal])
  let grows = follows && isFile(file)
  let timer: NodeJS.Timeout | undefined
  let began = 0 // where in the stream the file begins: before it were others of its name
  let wholeLines = 0 // where in the file the last whole line ends

  /** The cursor follows what has been taken from us, and never passes a line that is not whole. */
  async function flush(): Promise<void> {
    await out.flush()
    cursor?.move(Math.max(began > 0 ? 0 : cursor.start, Math.min(wholeLines, stream.shown() - began)))
  }

  async function take({ bytes, offset }: Extract<Piece, { type: 'bytes' }>): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    await stream.push(bytes)
    const last = bytes.lastIndexOf(0x0a)
    if (last >= 0) wholeLines = offset + last + 1
  }

  async function startAnew(what: 'truncated' | 'replaced'): Promise<void> {
    say(`sluice: ${quoted(file, 500)} was ${what}; it is read from its start`)
    await stream.anew(what)
    began = stream.size()
    wholeLines = 0
  }

  async function* pieces(): AsyncGenerator<Piece, void, void> {
    if (grows) yield* followed(file, ending)
    if (ending.aborted) return
    grows = false // what came to be there is a pipe
    yield* once(file === '-' || isFile(file) ? blocks(file) : pipeBlocks(file, ending), ending)
  }

  try {
    for await (const piece of pieces()) {
      if (piece.type === 'bytes') await take(piece)
      else if (piece.type === 'idle') await stream.rest()
      else await startAnew(piece.type)
      await flush()
      if (piece.type !== 'idle' || !follows) continue
      if (stream.state() === 'over' && grows) break // all of the file has been read; of a pipe nobody knows
      if (stream.state() !== 'open') timer ??= setTimeout(() => silent.abort(), stream.state() === 'failed' ? silenceOfRetry : silence)
    }
    if (!signal.aborted) await stream.end(cursor === undefined) // what is not whole is for the next time
    await stream.settle()
    await flush()
  } finally {
    clearTimeout(timer)
  }
}

/** Pipes and devices end by themselves; what is not there yet may become a file, and so may a folder. */
const isFile = (file: string): boolean => file !== '-' && !isStream(statOf(file))

async function* followed(file: string, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
  try {
    for await (const piece of follow(file, { signal })) {
      if (piece.type === 'bytes' && piece.offset === 0 && isGzip(piece.bytes)) throw refused(file, '--follow')
      yield piece
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`cannot read ${quoted(file, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
  }
}

const refused = (file: string, option: string): CommandError =>
  new CommandError(`${quoted(file, 500)} is compressed with gzip: it is read without ${option}`, exitCodes.usage)

/** What is piped in, or a file as it is now. */
async function* once(source: Blocks, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
  const wake = (): void => void process.stdin.destroy()
  signal.addEventListener('abort', wake)
  try {
    for (let offset = 0; !signal.aborted;) {
      const next = source.next()
      const { done, value } = next instanceof Promise ? await next : next
      if (done === true) return
      yield { type: 'bytes', bytes: value, offset }
      offset += value.length
      if (next instanceof Promise) yield { type: 'idle' }
      else await turn() // signals and other files get their turn
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', wake)
    void source.return?.()
  }
}
