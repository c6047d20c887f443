// A folder, with those above it that are missing. Not by Node's `recursive`, which never ends where a system says of a folder that cannot
// be made that it is not there, as /proc does.
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** `mode`: of all that are made; what the user's mask takes away counts, too. */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!isFolder(path)) throw error // else somebody else was faster
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
