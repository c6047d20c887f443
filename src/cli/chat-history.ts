// What was typed before: a small file of its own, newest last, for nobody else to read. A chat without it works as well.
import { closeSync, constants, fchmodSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../files/folder.ts'

export type History = {
  /** Newest first, each once. */
  entries(): readonly string[]
  /** Kept at once: whatever ends the chat, it is there the next time. */
  add(text: string): void
}

const most = 500
const longest = 4000 // characters; a text that was pasted is not typed again

export const historyPath = (stateFolder: string): string => join(stateFolder, 'chat-history')

export function openHistory(path: string): History {
  const lines = read(path)
  if (lines.length > 2 * most) attempt(() => shorten(path, lines.slice(-most)))
  const typed = lines.slice(-most)
  return {
    entries: () => [...new Set(typed.toReversed())],
    add(text) {
      if (text.trim() === '' || text.length > longest || typed.at(-1) === text) return
      typed.push(text)
      if (typed.length > most) typed.shift()
      attempt(() => write(path, constants.O_APPEND, [text]))
    },
  }
}

function read(path: string): string[] {
  let text = ''
  attempt(() => (text = readFileSync(path, 'utf8')))
  return text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line)
      return typeof entry === 'string' ? [entry] : []
    } catch {
      return [] // the empty line at the end, or one that was cut
    }
  })
}

function write(path: string, how: number, entries: readonly string[]): void {
  makeFolder(dirname(path), 0o700)
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants
  const fd = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | how, 0o600)
  try {
    fchmodSync(fd, 0o600) // it may have been there
    writeSync(fd, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  } finally {
    closeSync(fd)
  }
}

function shorten(path: string, entries: readonly string[]): void {
  const next = `${path}.${process.pid}.tmp`
  write(next, constants.O_TRUNC, entries)
  renameSync(next, path)
}

/** What cannot be read or kept is forgotten. */
function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // a folder that cannot be written to is no reason to fail
  }
}
