// One run at a time writes to a session: a file beside it names the process that does. What a killed one left behind counts for nothing.
import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/folder.ts'

export type Claim = { release(): void }

/** Another run writes to it. */
export class SessionTaken extends Error {
  override readonly name = 'SessionTaken'
  constructor(id: string, pid: string) {
    super(
      `session ${JSON.stringify(id)} is that of a run that has not ended (process ${pid}); wait for its end, or add --fork to go on from a copy`,
    )
  }
}

const ours = new Map<string, number>() // how often this process holds each: a run may go on with its own session

/** Throws SessionTaken. */
export function claimSession(folder: string, id: string): Claim {
  const path = join(folder, `${id}.lock`)
  const held = ours.get(path) ?? 0
  if (held === 0) take(folder, path, id)
  ours.set(path, held + 1)
  let isHeld = true
  return {
    release() {
      if (isHeld) release(path)
      isHeld = false
    },
  }
}

function release(path: string): void {
  const held = ours.get(path)! - 1
  if (held > 0) return void ours.set(path, held)
  ours.delete(path)
  rmSync(path, { force: true })
}

function take(folder: string, path: string, id: string): void {
  makeFolder(folder, 0o700)
  const own = `${path}.${process.pid}`
  try {
    writeFileSync(own, `${process.pid} ${beginOf(String(process.pid))}`, { mode: 0o600 })
    while (!isLinked(own, path)) {
      const owner = read(path)
      const [pid = '', began = ''] = owner.split(' ')
      if (began !== '' && beginOf(pid) === began) throw new SessionTaken(id, pid)
      setAside(path, owner, `${own}.old`)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** A link is made whole or not at all: nobody reads half of it. Not every file system has them. */
function isLinked(own: string, path: string): boolean {
  for (const make of [linkSync, (from: string, to: string) => copyFileSync(from, to, constants.COPYFILE_EXCL)])
    try {
      make(own, path)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (make !== linkSync || code === 'ENOSPC' || code === 'EROFS') throw error
    }
  return false
}

/** Only what was read: another run may have taken its place since. */
function setAside(path: string, owner: string, old: string): void {
  try {
    renameSync(path, old)
  } catch {
    return // another run has done it
  }
  if (read(old) !== owner) isLinked(old, path)
  rmSync(old, { force: true })
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // gone
  }
}

/** When a process began, since its number may be given again; empty when there is none. Where the system does not tell, that it is there. */
function beginOf(pid: string): string {
  try {
    return readFileSync(`/proc/${Number(pid)}/stat`, 'latin1')
      .split(') ')
      .at(-1)!
      .split(' ')[19]!
  } catch {
    return process.platform === 'linux' || !isThere(Number(pid)) ? '' : 'running'
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
