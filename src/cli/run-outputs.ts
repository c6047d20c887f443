// Where a run is told: stdout, and a file, pipe or device for each --on-event. Lines leave whole, as soon as the program has a moment.
import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, lstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoted } from '../base/text.ts'
import { createLineBlock } from '../files/line-block.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { isWritable } from '../dialects/contract.ts'
import type { LineOut } from '../run/sinks.ts'
import { loadDialect, writableNames } from './dialects.ts'
import { CommandError, hasCode, systemReason, usageError } from './exit.ts'

const patienceMs = 5000

export type OutputSpec = { dialect: WritableDialect; path: string }

/** `[DIALECT:]PATH`; only known dialects are prefixes, so that a path may hold a colon. */
export async function outputOf(text: string): Promise<OutputSpec> {
  const colon = text.indexOf(':')
  const prefix = text.slice(0, Math.max(0, colon))
  const isNamed = writableNames.includes(prefix)
  const path = isNamed ? text.slice(colon + 1) : text
  if (path === '') throw usageError(`--on-event ${quoted(text)} names no file`)
  return { dialect: await writable(isNamed ? prefix : 'avenor', '--on-event'), path }
}

export async function writable(name: string, flag: string): Promise<WritableDialect> {
  const dialect = await loadDialect(name, flag)
  if (!isWritable(dialect)) throw usageError(`${flag} ${quoted(name)} can only be read; written can be ${writableNames.join(', ')}`)
  return dialect
}

/** Emptied, and for nobody else to read. A named pipe waits a few seconds for its reader. */
export async function openOutput(path: string): Promise<LineOut> {
  checkOwner(path, lstatSync(path, { throwIfNoEntry: false }))
  const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true
  const { O_WRONLY, O_CREAT, O_NONBLOCK } = constants
  const deadline = Date.now() + patienceMs
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
      if (isPipe && hasCode(error, 'ENXIO') && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
      else
        throw usageError(
          `cannot write to ${quoted(path, 500)}: ${hasCode(error, 'ENXIO') ? 'nobody reads this pipe' : systemReason(error)}`,
        )
    }
  }
}

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

const pause = new Int32Array(new SharedArrayBuffer(4))
