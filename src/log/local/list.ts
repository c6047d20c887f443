// What is there: the sessions and the runs of this machine, and how they go.
import type { Dirent } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Event } from '../../model/event.ts'
import type { Part, Removal, RunEntry, SessionEntry, Stream } from '../contract.ts'
import { LogError, SessionTaken } from '../errors.ts'
import type { Log } from '../contract.ts'
import { stateOf } from './end.ts'
import { ignoring, makeNewFolder, numberedName, oldSessionFile, type Place, runFolder, sessionFolder } from './files.ts'
import { generationsOf, suffix } from './generation.ts'
import { lastPart, partsOf } from './parts.ts'

const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(text)
const entriesIn = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(ignoring('ENOENT', []))

async function sessionIds({ sessions }: Place): Promise<string[]> {
  const entries = await entriesIn(sessions)
  const ids = entries.map((entry) =>
    entry.isDirectory() ? entry.name : entry.name.endsWith(suffix) ? entry.name.slice(0, -suffix.length) : '',
  )
  return [...new Set(ids.filter(isId))]
}

/** What cannot be read is passed over. */
async function each<T extends { at: number }>(ids: readonly string[], entryOf: (id: string) => Promise<T | undefined>): Promise<T[]> {
  const found = await Promise.all(ids.map((id) => entryOf(id).catch(() => undefined)))
  return found.filter((entry) => entry !== undefined).toSorted((a, b) => b.at - a.at)
}

export async function listSessions(place: Place, read: Log['read']): Promise<SessionEntry[]> {
  return each(await sessionIds(place), async (session) => {
    const part = await lastPart(place, session)
    if (part === undefined) return undefined
    return { session, part, at: await writtenAt(place, part), start: () => startOf(read({ session } satisfies Stream)) }
  })
}

/** A fork is as old as itself. */
async function writtenAt(place: Place, { run, gen, at, to, session }: Part): Promise<number> {
  if (to !== undefined) return (await stat(sessionFolder(place, session))).mtimeMs
  const generation = (await generationsOf(place, run)).find((one) => one.gen === gen)
  return generation === undefined ? at : (await stat(generation.path)).mtimeMs
}

const maxBefore = 32 // events that an agent may send before the start of its session

async function startOf(items: ReturnType<Log['read']>): Promise<Event | undefined> {
  for await (const item of items) {
    if (item.type === 'live' || item.type === 'end') return undefined
    if (item.type === 'events')
      return item
        .events()
        .slice(0, maxBefore)
        .find(({ kind }) => kind === 'session.start') // none comes so late
  }
  return undefined
}

export async function listRuns(place: Place): Promise<RunEntry[]> {
  const ids = (await entriesIn(place.runs)).filter((entry) => entry.isDirectory() && isId(entry.name)).map(({ name }) => name)
  return each(ids, async (run) => {
    const { state, writer, path } = await stateOf(place, run)
    if (writer === undefined) return undefined
    const { pid, host, socket } = writer
    return { run, state, pid, host, socket, at: (await stat(path)).mtimeMs }
  })
}

/** Parts first: a run that is not named any more can be removed by whoever comes later. */
export async function removeSession(place: Place, session: string): Promise<Removal> {
  const parts = await partsOf(place, session)
  if (parts.length === 0) throw new LogError('not-found', `there is no session ${JSON.stringify(session)}`)
  const { run: last, to } = parts.at(-1)!
  const isAlive = async (run: string): Promise<boolean> =>
    ['alive', 'unknown'].includes(
      await stateOf(place, run).then(
        ({ state }) => state,
        () => 'ended',
      ),
    )
  if (to === undefined && (await isAlive(last))) throw new SessionTaken(session, last)
  const gone = join(place.sessions, `.${session}.${process.pid}.removed`)
  await rename(sessionFolder(place, session), gone).catch(ignoring('ENOENT', undefined))
  const others = await Promise.all((await sessionIds(place)).filter((id) => id !== session).map((id) => partsOf(place, id)))
  const named = new Set(others.flat().map(({ run }) => run))
  const removed: string[] = []
  const kept: string[] = []
  for (const run of new Set(parts.map((part) => part.run))) {
    const isKept = named.has(run) || (await isAlive(run))
    ;(isKept ? kept : removed).push(run)
    if (isKept) await hideOld(place, session, run)
    else await rm(runFolder(place, run), { recursive: true, force: true })
  }
  if (!kept.includes(session)) await rm(oldSessionFile(place, session), { force: true })
  await rm(gone, { recursive: true, force: true })
  return { removed, kept }
}

/** A session file of old that a fork still needs: it is no session any more, but generation 0 of a run. */
async function hideOld(place: Place, session: string, run: string): Promise<void> {
  if (run !== session) return
  const path = join(runFolder(place, run), numberedName(0, suffix))
  await makeNewFolder(dirname(path)).catch(ignoring('EEXIST', undefined))
  await rename(oldSessionFile(place, session), path).catch(ignoring('ENOENT', undefined))
}
