// The parts of a session: small files, each saying in which generation of which run it goes on. To make part k+1 is to take the session: the
// name can be given once. No index is needed, and all can be made again from the runs.
import { access, link, mkdir, rename, rm, unlink } from 'node:fs/promises'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../base/json.ts'
import { makeFolder } from '../../files/folder.ts'
import type { Part } from '../contract.ts'
import type { Position } from '../cursor.ts'
import { LogError } from '../errors.ts'
import {
  hasCode,
  ignoring,
  makeNewFolder,
  numberedName,
  numbersIn,
  oldSessionFile,
  openOwn,
  type Place,
  sessionFolder,
  syncFolder,
} from './files.ts'
import { writeWhole } from './generation.ts'

const suffix = '.json'

/** In order; none when there is no such session. */
export async function partNumbers(place: Place, session: string): Promise<number[]> {
  const numbers = await numbersIn(sessionFolder(place, session), suffix)
  if (numbers[0] === 0) return numbers
  const isOld = await access(oldSessionFile(place, session)).then(() => true, ignoring('ENOENT', false))
  return isOld ? [0, ...numbers] : numbers
}

/** The file of a session of old is its part 0. */
export async function readPart(place: Place, session: string, part: number): Promise<Part> {
  try {
    await using file = await openOwn(join(sessionFolder(place, session), numberedName(part, suffix)))
    return parseJson(await file.readFile('utf8')) as Part
  } catch (error) {
    if (part !== 0 || !hasCode(error, 'ENOENT')) throw error
    return { v: 1, session, part: 0, run: session, gen: 0, in: session, from: 1, at: 0 }
  }
}

export async function partsOf(place: Place, session: string): Promise<Part[]> {
  const numbers = await partNumbers(place, session)
  return Promise.all(numbers.map((number) => readPart(place, session, number)))
}

export async function lastPart(place: Place, session: string): Promise<Part | undefined> {
  const last = (await partNumbers(place, session)).at(-1)
  return last === undefined ? undefined : readPart(place, session, last)
}

let made = 0

/** False: somebody else has made this part. */
export async function addPart(place: Place, part: Part): Promise<boolean> {
  const folder = sessionFolder(place, part.session)
  await makeNewFolder(folder).catch(ignoring('EEXIST', undefined))
  const temporary = join(folder, `.${process.pid}-${++made}.tmp`)
  await writePart(place, temporary, part)
  try {
    await link(temporary, join(folder, numberedName(part.part, suffix)))
    return true
  } catch (error) {
    return ignoring('EEXIST', false)(error)
  } finally {
    await unlink(temporary)
    await syncFolder(folder)
  }
}

/** Down to the disk. */
async function writePart(place: Place, path: string, part: Part): Promise<void> {
  await rm(path, { force: true }) // of a process with our number
  const fd = place.files.create(path)
  try {
    writeWhole(place, fd, Buffer.from(`${JSON.stringify(part)}\n`))
    await place.files.sync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The same parts under another name, the last up to that place: there at once or not at all. */
export async function copyParts(place: Place, parts: readonly Part[], session: string, { index, seq }: Position): Promise<void> {
  const last = parts.find(({ part }) => part === index)
  if (last === undefined) throw new LogError('bad-cursor', `the session has no part ${index}`)
  const folder = sessionFolder(place, session)
  const temporary = join(place.sessions, `.${session}.${process.pid}.tmp`)
  makeFolder(place.sessions, 0o700)
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  try {
    for (const part of parts.filter((each) => each.part <= index)) {
      const copy = { ...part, session, ...(part === last && { to: Math.min(seq, part.to ?? Infinity) }) }
      await writePart(place, join(temporary, numberedName(part.part, suffix)), copy)
    }
    await syncFolder(temporary)
    await rename(temporary, folder)
    await syncFolder(place.sessions)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST'))
      throw new LogError('session-taken', `there is a session ${JSON.stringify(session)} already`)
    throw error
  }
}
