// Long outputs: the model is shown the beginning and the end, the whole goes to a file, and memory holds no more than is shown.
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../files/folder.ts'
import type { Cleaner, ToolContext } from './tool.ts'

export type Keeper = { push(text: string): void; end(): Kept }
export type Kept = { text: string; truncated: boolean; outputPath?: string }
export type Limits = { characters: number; lines: number }

/** Where an output is kept, and how it is cleaned before. */
type Store = Pick<ToolContext, 'outputFolder' | 'cleaner'>

const shownLimits: Limits = { characters: 30_000, lines: 2000 }
/** A command that never stops writing must not fill the disk. */
const fileLimit = 100 * 1024 * 1024

/** What was left out, as data of a result. */
export const cutData = ({ truncated, outputPath }: Kept): { truncated: boolean; outputPath?: string } =>
  outputPath === undefined ? { truncated } : { truncated, outputPath }

export function keepText(text: string, store: Store, limits = shownLimits): Kept {
  const keeper = createKeeper(store, limits)
  keeper.push(text)
  return keeper.end()
}

export function createKeeper({ outputFolder, cleaner }: Store, limits = shownLimits): Keeper {
  let first = '' // the first `characters` of it
  let last = '' // of the rest at least the last `characters`
  let total = 0
  let lines = 0
  let file: WholeFile | undefined
  const whole = (): WholeFile => {
    if (file !== undefined) return file
    file = createWholeFile(outputFolder, cleaner?.())
    file.write(first)
    return file
  }

  return {
    push(text) {
      total += text.length
      lines += countLines(text)
      const room = Math.max(0, limits.characters - first.length)
      const rest = text.slice(room)
      first += text.slice(0, room)
      if (rest === '') return
      whole().write(rest)
      last += rest
      if (last.length > 2 * limits.characters) last = last.slice(-limits.characters)
    },
    end() {
      if (last === '' && lines <= limits.lines) return { text: first, truncated: false }
      const { path, size, complete } = whole().close()
      const seam = total - first.length === last.length ? first + last : last // the end must not overlap the beginning
      const head = headOf(first, limits)
      const tail = tailOf(seam, limits, Math.max(0, total - head.length))
      const left = `${lines - countLines(head) - countLines(tail)} lines, ${total - head.length - tail.length} characters left out`
      const where = complete ? `the whole output is in ${path}` : `its first ${size} bytes are in ${path}, the rest is lost`
      const text = `${head}\n\n[… ${left}; ${path === undefined ? 'they could not be kept in a file' : where} …]\n\n${tail}`
      return { text, truncated: true, ...(path !== undefined && { outputPath: path }) }
    },
  }
}

function headOf(text: string, limits: Limits): string {
  let end = Math.min(text.length, limits.characters >> 1)
  let at = -1
  for (let line = 0; line < limits.lines >> 1; line++) {
    at = text.indexOf('\n', at + 1)
    if (at < 0 || at >= end) return text.slice(0, wholeCharacter(text, end))
  }
  end = at
  return text.slice(0, end)
}

function tailOf(text: string, limits: Limits, most: number): string {
  const start = Math.max(0, text.length - Math.min(most, limits.characters >> 1))
  let at = text.endsWith('\n') ? text.length - 1 : text.length
  for (let line = 0; line < limits.lines >> 1; line++) {
    at = at <= 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (at < start) return text.slice(wholeCharacter(text, start))
  }
  return text.slice(at + 1)
}

/** A place that does not fall between the two halves of a character. */
const wholeCharacter = (text: string, at: number): number => ((text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at)

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

const asItIs: Cleaner = { push: (text) => text, end: () => '' }

/** `size`: bytes that are in the file, which has no more of the output when it is not complete. No path: there is no file. */
type Whole = { path?: string; size: number; complete: boolean }
type WholeFile = { write(text: string): void; close(): Whole }

/** A disk that is full, or a folder that cannot be written to, costs the file and not the command. */
function createWholeFile(folder: string, cleaner: Cleaner = asItIs): WholeFile {
  const path = join(folder, `output-${randomUUID()}.txt`)
  let file: number | undefined
  let size = 0
  let complete = true
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch {
      complete = false
    }
  }
  const put = (text: string): void => {
    const bytes = Buffer.from(text)
    complete &&= size + bytes.length <= fileLimit
    for (let done = 0; complete && done < bytes.length;)
      attempt(() => {
        const written = writeSync(file!, bytes, done)
        done += written
        size += written
      })
  }
  attempt(() => {
    makeFolder(folder, 0o700)
    file = openSync(path, 'wx', 0o600)
  })
  return {
    write: (text) => put(cleaner.push(text)),
    close() {
      put(cleaner.end())
      if (file === undefined) return { size, complete }
      attempt(() => closeSync(file!))
      return { path, size, complete }
    },
  }
}
