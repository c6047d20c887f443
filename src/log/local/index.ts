// A log in files of this machine: one folder a run, one folder a session, below a folder of the user's own.
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Log, RunState, Stream, Writer } from '../contract.ts'
import { parseCursor, type Position } from '../cursor.ts'
import { LogError } from '../errors.ts'
import { reapRun } from './end.ts'
import { type Files, type Place, runFolder, sessionFolder, systemFiles } from './files.ts'
import { generationsOf } from './generation.ts'
import type { Header } from './control-line.ts'
import { listRuns, listSessions, removeSession } from './list.ts'
import { copyParts, lastPart, partNumbers, partsOf, readPart } from './parts.ts'
import { readStream, type Segment, type Source } from './read.ts'
import { lastOf } from './take.ts'
import { createWaker, type Waker } from './wake.ts'
import { openWriter, type SyncRule } from './writer.ts'

export type LocalLogOptions = {
  /** `$XDG_DATA_HOME/sluice` */
  folder: string
  /** When an acknowledgement waits for the disk. */
  sync?: SyncRule
  files?: Files
  /** Runs of other hosts in the same folder are never ended from here. */
  host?: string
  now?: () => number
}

export function createLocalLog({ folder, sync = 'normal', files = systemFiles, host = hostname(), now = Date.now }: LocalLogOptions): Log {
  const place: Place = { runs: join(folder, 'runs'), sessions: join(folder, 'sessions'), files, host, now }
  const writers = new Map<string, Writer>() // of this process

  const waker = (run: string, ...folders: string[]): Waker => {
    const writer = writers.get(run)
    return writer === undefined ? createWaker([runFolder(place, run), ...folders]) : createWaker(folders, (wake) => writer.listen(wake))
  }

  async function revive({ run, generation }: Segment): Promise<'more' | 'wait' | 'dead'> {
    if (writers.has(run) || generation.header === undefined) return 'wait'
    const state = await reapRun(place, run)
    return state === 'dead' ? 'dead' : state === 'alive' || state === 'unknown' ? 'wait' : 'more'
  }

  function runSource(run: string): Source {
    const known = new Map<number, Header>()
    return {
      isEndless: false,
      revive,
      waker: () => waker(run),
      async find(index) {
        const generation = (await generationsOf(place, run, known)).find(({ gen }) => gen >= index)
        return generation && { index: generation.gen, run, generation, from: generation.after + 1, limit: generation.limit }
      },
    }
  }

  function sessionSource(session: string): Source {
    return {
      isEndless: true,
      revive,
      waker: ({ run }) => waker(run, sessionFolder(place, session)),
      async find(index) {
        for (const number of (await partNumbers(place, session)).filter((each) => each >= index)) {
          const { run, gen, from, to = Infinity, in: name } = await readPart(place, session, number)
          const generation = (await generationsOf(place, run)).find((each) => each.gen === gen)
          if (generation === undefined) continue // it was removed by hand
          return { index: number, run, generation, from, limit: Math.min(to, generation.limit), session: name }
        }
        return undefined
      },
    }
  }

  async function* read(stream: Stream, after?: string, signal?: AbortSignal): ReturnType<Log['read']> {
    const position = positionOf(after)
    const isRun = 'run' in stream
    if (isRun) writers.get(stream.run)?.flush()
    const source = isRun ? runSource(stream.run) : sessionSource(stream.session)
    if ((await source.find(0)) === undefined)
      throw new LogError(
        'not-found',
        `there is no ${isRun ? `run ${JSON.stringify(stream.run)}` : `session ${JSON.stringify(stream.session)}`}`,
      )
    yield* readStream(source, position, signal)
  }

  return {
    async open(start) {
      const writer = await openWriter(place, start, sync, () => writers.delete(start.run))
      writers.set(start.run, writer)
      return writer
    },
    read,
    reap: async (run): Promise<RunState> => (writers.has(run) ? 'alive' : reapRun(place, run)),
    async fork(from, to, at) {
      const last = await lastPart(place, from)
      if (last === undefined) throw new LogError('not-found', `there is no session ${JSON.stringify(from)}`)
      if (last.to === undefined) await reapRun(place, last.run)
      const parts = await partsOf(place, from)
      const end = parts.at(-1)!
      await copyParts(place, parts, to, at === undefined ? { index: end.part, seq: await lastOf(place, end) } : positionOf(at))
    },
    sessions: () => listSessions(place, read),
    runs: () => listRuns(place),
    remove: (session) => removeSession(place, session),
  }
}

function positionOf(cursor: string | undefined): Position {
  const position = cursor === undefined ? { index: 0, seq: 0 } : parseCursor(cursor)
  if (position === undefined) throw new LogError('bad-cursor', `${JSON.stringify(cursor)} is not a cursor`)
  return position
}
