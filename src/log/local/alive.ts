// Whether the writer of a run lives: it holds a lock on the file `alive` of the run, which the kernel releases when the process ends. Node
// has no lock of its own, so SQLite takes it. Two traps: the lock is lost when its holder opens and closes that file by `fs`, and when the
// database is garbage-collected; so it is kept here, and `fs` only makes the file.
import { closeSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Files, hasCode, isOurs } from './files.ts'

const held = new Set<DatabaseSync>()
const fileIn = (folder: string): string => join(folder, 'alive')
const busy = 5 // SQLITE_BUSY
const waitMs = 5000 // whoever looks holds the file for a moment

/** For the life of the writer. Returns what releases it. */
export function holdNew(folder: string, { create }: Files): () => void {
  closeSync(create(fileIn(folder)))
  return lock(folder, waitMs)
}

/** Of a run whose writer is dead; undefined while another process has it. */
export function holdDead(folder: string): (() => void) | undefined {
  try {
    return lock(folder, 0)
  } catch (error) {
    if (isBusy(error)) return undefined
    throw error
  }
}

export function probe(folder: string): 'alive' | 'dead' | 'unknown' {
  let database: DatabaseSync | undefined
  try {
    checkFile(folder)
    database = new DatabaseSync(fileIn(folder), { readOnly: true, timeout: 0 })
    database.prepare('SELECT 1 FROM sqlite_schema').all()
    return 'dead'
  } catch (error) {
    return isBusy(error) ? 'alive' : hasCode(error, 'ENOENT') ? 'dead' : 'unknown'
  } finally {
    database?.close()
  }
}

function lock(folder: string, timeout: number): () => void {
  checkFile(folder)
  const database = new DatabaseSync(fileIn(folder), { timeout })
  try {
    database.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw error
  }
  held.add(database)
  return () => {
    if (held.delete(database)) database.close()
  }
}

function checkFile(folder: string): void {
  const stat = lstatSync(fileIn(folder))
  if (!stat.isFile() || !isOurs(stat)) throw new Error(`${JSON.stringify(fileIn(folder))} is not a file of ours`)
}

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === busy
