// Where the agents on this machine keep their logs, and what kind a file is that the user names.
import { closeSync, opendirSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { utf8 } from '../base/bytes.ts'
import { isRecord } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { claimer as claude } from '../dialects/claude/claim.ts'
import { homeOf } from '../files/home.ts'
import { sessionsFolder } from '../log/sessions.ts'
import { CommandError, exitCodes, hasCode, systemReason } from './exit.ts'
import { countsHere } from './usage-own.ts'

/** How a log is read; `stream` is any dialect. */
export type LogKind = 'claude' | 'codex' | 'opencode' | 'opencode-db' | 'stream'
/** `named`: by the user. Of the others, those that are no logs are passed over. */
export type Log = { path: string; kind: LogKind; size: number; named: boolean }

/** A log, or a folder that may hold logs, which could not be read. */
export type Skipped = { path: string; why: string }

type Found = { path: string; size: number; mtime: number }

/** The logs of the agents on this machine, and sluice's own sessions. What is closed to us is added to `skipped`. */
export function agentLogs(skipped: Skipped[], env: NodeJS.ProcessEnv = process.env): Log[] {
  const home = homeOf(env)
  const xdg = (name: string, usual: string): string => (isAbsolute(env[name] ?? '') ? env[name]! : join(home, usual))
  const claude = env['CLAUDE_CONFIG_DIR']?.split(',').filter(Boolean) ?? [
    join(xdg('XDG_CONFIG_HOME', '.config'), 'claude'),
    join(home, '.claude'),
  ]
  const codex = env['CODEX_HOME'] || join(home, '.codex')
  const copilot = env['COPILOT_HOME'] || join(home, '.copilot')
  const opencode = join(xdg('XDG_DATA_HOME', '.local/share'), 'opencode')
  const gemini = join(home, '.gemini/tmp')
  const log =
    (kind: LogKind) =>
    ({ path, size }: Found): Log => ({ path, size, kind, named: false })
  const filesIn = createFinder(skipped)
  const logs = [
    ...unique(claude.flatMap((folder) => inOrder(filesIn(join(folder, 'projects'), /\.jsonl$/)))).map(log('claude')),
    ...unique(
      ['sessions', 'archived_sessions'].flatMap((part) => inOrder(filesIn(join(codex, part), /\.jsonl$/))),
      basename,
    ).map(log('codex')),
    ...filesIn(gemini, /\/chats\/[^/]+\.jsonl?$/).map(log('stream')),
    ...filesIn(opencode, opencodeDatabase, 1).map(log('opencode-db')),
    // New versions keep all in a database, and leave the files of old ones where they were.
    ...filesIn(join(opencode, 'storage/message'), /\.json$/).map(log('opencode')),
    ...filesIn(join(copilot, 'session-state'), /\.jsonl$/).map(log('stream')),
  ]
  const paths = logs.map(({ path }) => path)
  const own = inOrder(filesIn(sessionsFolder(env), /\.ndjson$/, 1)).filter(({ path }) => countsHere(path, headOf(path), paths))
  return [...logs, ...own.map(log('stream'))]
}

export const opencodeDatabase = /(^|\/)opencode(-[\w-]+)?\.db$/

/** When a pipe was written: it comes last, and is not looked into, for it can be read only once. */
const piped = Infinity

/** The logs that the user names: files, and folders with files in them. Each once, in whatever ways it is named. */
export function namedLogs(paths: readonly string[], skipped: Skipped[]): Log[] {
  const filesIn = createFinder(skipped)
  const found = paths.flatMap((path): (Found & { named: boolean })[] => {
    const stat = path === '-' ? undefined : needed(path, () => statSync(path))
    if (stat?.isFile() === true) return [{ path, size: stat.size, mtime: stat.mtimeMs, named: true }]
    if (stat?.isDirectory() !== true) return [{ path, size: 0, mtime: piped, named: true }]
    needed(path, () => opendirSync(path).closeSync())
    return filesIn(path, /\.(jsonl|ndjson|json|db)$/).map((file) => ({ ...file, named: false }))
  })
  const byName = found.toSorted((a, b) => Number(a.named) - Number(b.named)) // of two, the last stays
  return inOrder(unique(byName, realPathOf)).map(({ path, size, mtime, named }) => ({
    path,
    size,
    kind: mtime === piped ? 'stream' : kindOf(path),
    named,
  }))
}

/** A pipe has none. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Of what the user names. */
function needed<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw new CommandError(`cannot read ${quoted(path, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
  }
}

const passedOver = new Set(['node_modules', '.git'])

/** Links to folders are not followed: they may go round. Links that lead nowhere are passed over. */
function createFinder(skipped: Skipped[]): (folder: string, wanted: RegExp, deepest?: number) => Found[] {
  const told = new Set<string>()

  /** What is not there, or no longer, is not skipped. */
  function tried<T>(path: string, look: () => T): T | undefined {
    try {
      return look()
    } catch (error) {
      const place = join(realPathOf(dirname(path)), basename(path)) // of what is closed, the folder is open
      if (told.has(place) || ['ENOENT', 'ENOTDIR', 'ELOOP'].some((code) => hasCode(error, code))) return undefined
      told.add(place)
      skipped.push({ path, why: systemReason(error) })
      return undefined
    }
  }

  return function filesIn(folder, wanted, deepest = Infinity): Found[] {
    const entries = tried(folder, () => readdirSync(folder, { withFileTypes: true })) ?? []
    return entries.flatMap((entry): Found[] => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return deepest > 1 && !passedOver.has(entry.name) ? filesIn(path, wanted, deepest - 1) : []
      if (!wanted.test(path)) return []
      const stat = tried(path, () => statSync(path))
      return stat?.isFile() === true ? [{ path, size: stat.size, mtime: stat.mtimeMs }] : []
    })
  }
}

/** Older logs first: a fork comes after what it copies. */
const inOrder = <File extends Found>(files: File[]): File[] => files.toSorted((a, b) => a.mtime - b.mtime || (a.path < b.path ? -1 : 1))

function unique<File extends Found>(files: File[], by: (path: string) => string = (path) => path): File[] {
  return [...new Map(files.map((file) => [by(file.path), file])).values()]
}

// ── what kind a file is ──────────────────────────────────────────────────────────────────────────────────────────────────

const enough = 1 << 18

/** A file that cannot be read is left to the stream reader, which says why. */
function kindOf(path: string): LogKind {
  if (path.endsWith('.db')) return 'opencode-db'
  const head = headOf(path)
  if (head === undefined) return 'stream'
  if (path.endsWith('.json') && isMessageFile(head)) return 'opencode'
  for (let start = 0, end = head.indexOf(10); end !== -1; start = end + 1, end = head.indexOf(10, start)) {
    const record = parsed(utf8(head, start, end))
    if (!isRecord(record)) continue
    if (record['type'] === 'session_meta' && isRecord(record['payload'])) return 'codex'
    // A chat of Gemini begins with a `sessionId` too.
    if (typeof record['sessionId'] === 'string' && claude.claim(record) >= 0.5) return 'claude'
    if (typeof record['session_id'] === 'string') return 'stream'
  }
  return 'stream'
}

/** opencode's storage has one message a file. */
function isMessageFile(head: Buffer): boolean {
  const message = parsed(utf8(head, 0, head.length))
  return isRecord(message) && typeof message['sessionID'] === 'string' && typeof message['role'] === 'string'
}

function headOf(path: string): Buffer | undefined {
  const head = Buffer.allocUnsafe(enough)
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return head.subarray(0, readSync(file, head))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
