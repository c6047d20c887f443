// Where the sockets of runs lie, and that nobody else can put one there. One folder for those that control a run; another, with names
// that tell nothing, for those that agents are told of: from the one the other cannot be guessed.
import { chmodSync, lstatSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { quoted } from '../base/text.ts'
import { makeFolder } from '../files/folder.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A socket cannot be had or reached. The message says why, and what to do. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
}

/** The system keeps the path of a socket in 108 bytes, some in 104, with an end mark. */
const longestPath = process.platform === 'linux' ? 107 : 103
export const userId = (): number => process.geteuid!() // there are no such sockets on Windows

const runtimeFolder = ({ XDG_RUNTIME_DIR: folder = '' }: Env, name: string): string =>
  isAbsolute(folder) && !isOpenToOthers(folder) ? join(folder, name) : join(tmpdir(), `${name}-${userId()}`)
export const controlFolder = (env: Env): string => runtimeFolder(env, 'sluice')
export const emitFolder = (env: Env): string => runtimeFolder(env, 'sluice-emit')

export function socketOf(env: Env, run: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(run))
    throw new ControlError(`${quoted(run)} cannot be the id of a run: letters, digits, - and _ only, and no more than 64`)
  return join(controlFolder(env), `${run}.sock`)
}

export const tokenOf = (socket: string): string => `${socket.replace(/\.sock$/, '')}.token`
/** The other way round; undefined when it is not the name of a token. */
export const socketOfToken = (path: string): string | undefined => (path.endsWith('.token') ? path.replace(/token$/, 'sock') : undefined)

/**
 * Makes the folder of a socket, or proves that nobody else can put files into it. `strict`: it is for sockets alone, and for nobody
 * else to look into.
 */
export function prepareFolder(socket: string, strict: boolean): void {
  if (Buffer.byteLength(socket) > longestPath)
    throw new ControlError(`the path ${quoted(socket, 200)} is too long for a socket: ${longestPath} bytes at most`)
  const folder = dirname(socket)
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new ControlError(`the folder ${quoted(folder, 200)} cannot be made: ${(error as Error).message}`)
  }
  checkFolder(folder, strict)
  if (strict) checkFolder(dirname(folder), false) // who can write there can put another folder in its place
  if (strict && (lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

/** As some systems have it: then it is not what it should be. One that is missing is nobody's yet. */
function isOpenToOthers(folder: string): boolean {
  try {
    checkFolder(folder, false)
    return false
  } catch (error) {
    return error instanceof ControlError
  }
}

/** Whoever else can write into the folder could put a socket of his own there. */
export function checkFolder(folder: string, strict: boolean): void {
  const stat = strict ? lstatSync(folder) : statSync(folder)
  const isOurs = stat.uid === userId() || (!strict && stat.uid === 0)
  const isSticky = (stat.mode & 0o1000) !== 0 // as /tmp: only the owner of a file can replace it
  if (!stat.isDirectory()) throw new ControlError(`${quoted(folder, 200)} is not a folder; remove it`)
  if (!isOurs || (!strict && (stat.mode & 0o022) !== 0 && !isSticky))
    throw new ControlError(`others can write into the folder ${quoted(folder, 200)}; choose one that is yours alone`)
}
