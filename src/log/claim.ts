// One run at a time writes to a session: a file beside it names the process that does. What a killed one left behind counts for nothing.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** Throws SessionTaken. */
export function claimSession(folder: string, id: string): Claim {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${id}.lock`)
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid} ${beginOf(String(process.pid))}`, { mode: 0o600 })
  try {
    while (!isLinked(own, path)) {
      const owner = read(path)
      const [pid = '', began = ''] = owner.split(' ')
      if (began !== '' && beginOf(pid) === began) throw new SessionTaken(id, pid)
      setAside(path, owner, `${own}.old`)
    }
  } finally {
    rmSync(own, { force: true })
  }
  return { release: () => rmSync(path, { force: true }) }
}

/** A link is made whole or not at all: nobody reads half of it. */
function isLinked(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
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
