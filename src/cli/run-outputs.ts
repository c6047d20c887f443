// Where a run is told: stdout, and a file, pipe or device for each --on-event. Lines leave whole, as soon as the program has a moment.
import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, lstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { makeFolder } from '../files/folder.ts'
import { createLineBlock } from '../files/line-block.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { isWritable } from '../dialects/contract.ts'
import type { LineOut } from '../run/sinks.ts'
import { dialectNames, loadDialect, writableNames } from './dialects.ts'
import { CommandError, hasCode, systemReason, usageError } from './exit.ts'

const patienceMs = 5000

export type OutputSpec = { dialect: WritableDialect; path: string }

/** `[DIALECT:]PATH`; only dialects are prefixes, so that a path may hold a colon. What was meant for a dialect is not taken for a path. */
export async function outputOf(text: string): Promise<OutputSpec> {
  const [, prefix = '', rest = ''] = /^([A-Za-z]+):(.*)$/s.exec(text) ?? []
  const isNamed = dialectNames.includes(prefix)
  if (!isNamed) mustBeFile(text, prefix)
  const path = isNamed ? rest : text
  const dialect = await writable(isNamed ? prefix : 'avenor', '--on-event', isNamed ? asFile(text) : '')
  if (path === '') throw usageError(`--on-event ${quoted(text)} names no file`)
  if (path === '-') throw usageError(`--on-event ${quoted(text)}: for stdout say --format ${dialect.name}; for a file of this name, "./-"`)
  return { dialect, path }
}

function mustBeFile(text: string, prefix: string): void {
  const why = `--on-event ${quoted(text, 500)}: ${quoted(prefix)} is not a dialect`
  if (prefix === 'pretty') throw usageError(`${why}; pretty is for stdout alone${asFile(text)}`)
  const near = prefix.length < 3 ? undefined : nearest(prefix.toLowerCase(), dialectNames) // short ones are near to anything
  if (near !== undefined) throw usageError(`${why}; did you mean ${near}?${asFile(text)}`)
}

const asFile = (text: string): string => ` (for a file of this name, say ${quoted(`./${text}`, 500)})`

export async function writable(name: string, flag: string, hint = ''): Promise<WritableDialect> {
  const dialect = await loadDialect(name, flag)
  if (!isWritable(dialect)) throw usageError(`${flag} ${quoted(name)} can only be read; written can be ${writableNames.join(', ')}${hint}`)
  return dialect
}

/** Emptied, and for nobody else to read. Folders that are missing are made. A named pipe waits a few seconds for its reader. */
export async function openOutput(path: string): Promise<LineOut> {
  makeFolderOf(path)
  const isPipe = isOwnPipe(path)
  const { O_WRONLY, O_CREAT, O_NONBLOCK } = constants
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      const fd = openSync(path, isPipe ? O_WRONLY | O_NONBLOCK : O_WRONLY | O_CREAT, 0o600)
      const opened = fstatSync(fd)
      checkOwner(path, opened)
      if (opened.isFile()) {
        fchmodSync(fd, 0o600)
        ftruncateSync(fd)
      }
      return lineOut(fd)
    } catch (error) {
      if (error instanceof CommandError) throw error
      if (isPipe && hasCode(error, 'ENXIO') && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
      else throw usageError(`cannot write to ${quoted(path, 500)}: ${openReason(error)}`)
    }
  }
}

/** Whether a named pipe is there; refuses what belongs to somebody else. */
function isOwnPipe(path: string): boolean {
  try {
    checkOwner(path, lstatSync(path, { throwIfNoEntry: false }))
    return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw usageError(`cannot write to ${quoted(path, 500)}: ${systemReason(error)}`)
  }
}

function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(resolve(path)))
  } catch (error) {
    throw usageError(`cannot write to ${quoted(path, 500)}: its folder cannot be made: ${systemReason(error)}`)
  }
}

const openReason = (error: unknown): string =>
  hasCode(error, 'ENXIO') ? 'nobody reads this pipe' : hasCode(error, 'ENOENT') ? 'its folder does not exist' : systemReason(error)

/**
 * In a folder where everybody may write, such as /tmp, somebody may have put a link, a pipe or a file of theirs in this place: it would
 * get the events, or lead to a file of ours that would be emptied. What belongs to the owner of the folder is as safe as the folder.
 */
function checkOwner(path: string, found: Stats | undefined): void {
  if (found === undefined || /^\/(dev|proc)\//.test(path)) return // what a shell has opened for us is as good as the shell
  const owners = [process.getuid?.(), 0, statSync(dirname(path)).uid]
  if (!owners.includes(found.uid)) throw usageError(`cannot write to ${quoted(path, 500)}: it belongs to somebody else; name another file`)
}

/** Throws when nobody takes the lines any more: the reader is gone, the disk is full, or a pipe stays full for too long. */
export function lineOut(fd: number, patience = fd > 2 ? patienceMs : Infinity): LineOut {
  const { add, addBytes, flush } = createLineBlock((bytes) => {
    let waited = 0
    for (let done = 0; done < bytes.length;) {
      try {
        done += writeSync(fd, bytes, done)
      } catch (error) {
        if (!hasCode(error, 'EAGAIN') || waited > patience) throw error
        Atomics.wait(pause, 0, 0, 5) // a pipe that does not block is full
        waited += 5
      }
    }
  })
  return {
    line: add,
    encoded: addBytes,
    flush,
    ...(fd > 2 && { close: () => closeSync(fd) }),
  }
}

/** Lines that are records, as the items of one JSON array. */
export function arrayOut({ line, flush, close }: LineOut): LineOut {
  let written = 0
  return {
    line: (text) => line(`${written++ === 0 ? '[' : ','}${text}`),
    flush,
    close() {
      line(written === 0 ? '[]' : ']')
      flush()
      close?.()
    },
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
