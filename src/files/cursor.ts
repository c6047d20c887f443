// A cursor file: how far a log has been read, as a decimal number of bytes and a line break. A missing file means 0.
// Saving never makes the reader wait: while one save is under way the newest place waits for the next.
import { readFileSync, statSync } from 'node:fs'
import { quoted } from '../base/text.ts'
import { replaceFile } from './atomic.ts'

/** The cursor cannot be used. The message says why and what to do. */
export class CursorError extends Error {
  override readonly name = 'CursorError'
}

/** Where to go on in the log. */
export function readCursor(path: string, log: string): number {
  const text = textOf(path)
  if (text === undefined) return 0
  const offset = /^\d+\s*$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(offset))
    throw new CursorError(`the cursor ${quoted(path, 500)} holds ${quoted(text.trim())}, not a number of bytes; remove it to start anew`)
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (offset > size)
    throw new CursorError(
      `${quoted(log, 500)} is shorter than the cursor: ${size} bytes, and the cursor ${quoted(path, 500)} stands at ${offset}; remove it to read the log from its start`,
    )
  return offset
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** `explain` makes the error that a failed save is told by. */
export function createCursor(path: string, explain: (error: unknown) => Error) {
  let saved: number | undefined
  let wanted: number | undefined
  let busy = false
  let saving: Promise<void> | undefined
  let failure: Error | undefined

  async function save(): Promise<void> {
    busy = true
    try {
      while (saved !== wanted) {
        const offset = wanted
        await replaceFile(path, `${offset}\n`)
        saved = offset
      }
    } catch (error) {
      failure = explain(error)
    }
    busy = false
  }

  return {
    /** Everything before this place has been dealt with. Throws what went wrong with an earlier save. */
    move(offset: number): void {
      if (failure !== undefined) throw failure
      wanted = offset
      if (!busy) saving = save()
    },
    /** Until the last place is on the disk. */
    async settle(): Promise<void> {
      await saving
      if (failure !== undefined) throw failure
    },
  }
}
