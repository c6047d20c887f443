// Paths as tools take them: where one really leads, with every link followed, and what lies there. A tool asks for and acts on the
// real path alone, and looks again before it acts: between the question and the answer a link may have been put there.
import type { Stats } from 'node:fs'
import { constants, type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type ToolContext, ToolError } from './tool.ts'

export type Place = {
  /** As it was named, made absolute. */
  path: string
  /** Where it leads; the same unless there are links on the way. It need not exist. */
  real: string
}

/** These are views of the machine rather than files; one of them shows our own keys. */
const notFiles = ['/proc', '/sys', '/dev']
const mostLinks = 40

export async function resolvePath(name: string, context: Pick<ToolContext, 'cwd' | 'home'>): Promise<Place> {
  if (name === '') throw new ToolError('the path is empty; name a file or folder')
  if (name.includes('\0')) throw new ToolError('the path holds a NUL character, which no path can; leave it out')
  const home = name === '~' || name.startsWith('~/') ? join(context.home, name.slice(1)) : name
  const path = resolve(context.cwd, home)
  const real = await told(path, () => realTarget(path))
  if (notFiles.some((folder) => isInside(real, folder)))
    throw new ToolError(`"${name}" is part of ${notFiles.join(', ')}, where there are no files to work on; use a command if you need it`)
  return { path, real }
}

/** Throws when the place leads elsewhere than it did. */
export async function confirmPlace(place: Place): Promise<void> {
  const real = await told(place.path, () => realTarget(place.path))
  if (real !== place.real)
    throw new ToolError(`"${place.path}" leads to "${real}" now, and not to "${place.real}" as when it was allowed; make the call again`)
}

/** As the system would follow it, also where the last parts are not there yet or a link leads to nothing. */
async function realTarget(path: string, links = 0): Promise<string> {
  if (links > mostLinks) throw new ToolError(`"${path}" goes through too many links; name the file itself`)
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const folder = await realTarget(dirname(path), links + 1)
  const here = join(folder, basename(path))
  const found = await lstat(here).catch(() => undefined)
  return found?.isSymbolicLink() ? realTarget(resolve(folder, await readlink(here)), links + 1) : here
}

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** As rules name it: from the root of the project, or absolute when it lies elsewhere. */
function patternOf(path: string, root: string): string {
  const inside = relative(root, path)
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside
}

/** Both names of it, when they differ: a rule must allow the one that was said and the one that it leads to. */
export const patternsOf = ({ path, real }: Place, root: string): string[] => [...new Set([patternOf(real, root), patternOf(path, root)])]

/** Undefined when nothing is there. */
export async function statOf(path: string): Promise<Stats | undefined> {
  return told(path, () =>
    stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
    }),
  )
}

/** Opens a regular file, without waiting and through no link. Whoever calls this closes it. */
export async function openPlace(place: Place): Promise<{ file: FileHandle; stats: Stats }> {
  const file = await open(place.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new ToolError(`"${place.path}" is not a regular file`)
    await confirmPlace(place)
    return { file, stats }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** All bytes of a file that is not larger than `most`, with its state at that moment. */
export async function readWhole(place: Place, most: number): Promise<{ bytes: Buffer; stats: Stats }> {
  return told(place.path, async () => {
    const { file, stats } = await openPlace(place)
    await using _closed = file
    if (stats.size > most)
      throw new ToolError(`"${place.path}" has ${stats.size} bytes, and no more than ${most} can be taken; use a command`)
    return { bytes: await file.readFile(), stats }
  })
}

/** Troubles of the file system in words for the model. */
export async function told<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = troubles[(error as NodeJS.ErrnoException).code ?? '']
    if (why === undefined) throw error
    throw new ToolError(`"${path.length > 300 ? `${path.slice(0, 300)}…` : path}" ${why}`, { cause: error })
  }
}

const troubles: Record<string, string> = {
  EACCES: 'may not be accessed; this user lacks the right',
  EPERM: 'may not be changed; this user lacks the right',
  EROFS: 'is on a file system that cannot be written to',
  ENAMETOOLONG: 'is too long for a path; shorten it',
  ENOTDIR: 'goes through something that is not a folder',
  ELOOP: 'is a link, or goes round in links; name the file itself',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  EISDIR: 'is a folder',
}

const pictures: readonly [mime: string, magic: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
]

/** Of what a model can look at. */
export const mediaOf = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 16)
  return pictures.find(([, magic]) => magic.test(start))?.[0]
}

/** Text has no NUL and few other control characters; a sample of the beginning is enough. */
export function isBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, 8192)
  let odd = 0
  for (const byte of sample) {
    if (byte === 0) return true
    if (byte < 7 || (byte > 13 && byte < 27)) odd++
  }
  return odd > sample.length * 0.1
}
