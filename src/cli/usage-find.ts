// Where the agents on this machine keep their logs, and what kind a file is that the user names.
import { closeSync, type Dirent, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { utf8 } from '../base/bytes.ts'
import { isRecord } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { claimer as claude } from '../dialects/claude/claim.ts'
import { CommandError, exitCodes, systemReason } from './exit.ts'

/** How a log is read; `stream` is any dialect. */
export type LogKind = 'claude' | 'codex' | 'opencode' | 'opencode-db' | 'stream'
/** `named`: by the user. Of the others, those that are no logs are passed over. */
export type Log = { path: string; kind: LogKind; size: number; named: boolean }

type Found = { path: string; size: number; mtime: number }

/** The logs of the agents on this machine. */
export function agentLogs(env: NodeJS.ProcessEnv = process.env): Log[] {
  const home = env['HOME'] || homedir()
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
  return [
    ...unique(claude.flatMap((folder) => inOrder(filesIn(join(folder, 'projects'), /\.jsonl$/)))).map(log('claude')),
    ...unique(
      ['sessions', 'archived_sessions'].flatMap((part) => inOrder(filesIn(join(codex, part), /\.jsonl$/))),
      basename,
    ).map(log('codex')),
    ...filesIn(gemini, /\/chats\/[^/]+\.jsonl?$/).map(log('stream')),
    ...opencodeLogs(opencode, false),
    ...filesIn(join(copilot, 'session-state'), /\.jsonl$/).map(log('stream')),
  ]
}

/** New versions keep all in a database, and leave the files of old ones where they were. */
function opencodeLogs(folder: string, named: boolean): Log[] {
  const databases = filesIn(folder, /\/opencode(-[\w-]+)?\.db$/, 1)
  const files = filesIn(join(folder, 'storage/message'), /\.json$/)
  return [
    ...databases.map(({ path, size }): Log => ({ path, size, kind: 'opencode-db', named })),
    ...files.map(({ path, size }): Log => ({ path, size, kind: 'opencode', named: false })),
  ]
}

/** When a pipe was written: it comes last, and is not looked into, for it can be read only once. */
const piped = Infinity

/** The logs that the user names: files, and folders with files in them. Each once, in whatever ways it is named. */
export function namedLogs(paths: readonly string[]): Log[] {
  const found = paths.flatMap((path): (Found & { named: boolean })[] => {
    const stat = path === '-' ? undefined : statOf(path)
    if (stat?.isFile() === true) return [{ path, size: stat.size, mtime: stat.mtimeMs, named: true }]
    if (stat?.isDirectory() !== true) return [{ path, size: 0, mtime: piped, named: true }]
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

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw new CommandError(`cannot read ${quoted(path, 500)}: ${systemReason(error)}`, exitCodes.usage, { cause: error })
  }
}

const passedOver = new Set(['node_modules', '.git'])

/** Folders that are not there or closed to us hold nothing. Links to folders are not followed: they may go round. */
function filesIn(folder: string, wanted: RegExp, deepest = 16): Found[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return entries.flatMap((entry): Found[] => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return deepest > 1 && !passedOver.has(entry.name) ? filesIn(path, wanted, deepest - 1) : []
    if (!wanted.test(path)) return []
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true ? [{ path, size: stat.size, mtime: stat.mtimeMs }] : []
  })
}

/** Older logs first: a fork comes after what it copies. */
const inOrder = <File extends Found>(files: File[]): File[] => files.toSorted((a, b) => a.mtime - b.mtime || (a.path < b.path ? -1 : 1))

function unique<File extends Found>(files: File[], by: (path: string) => string = (path) => path): File[] {
  return [...new Map(files.map((file) => [by(file.path), file])).values()]
}

// ── what kind a file is ──────────────────────────────────────────────────────────────────────────────────────────────────

const enough = 1 << 18

function kindOf(path: string): LogKind {
  if (path.endsWith('.db')) return 'opencode-db'
  const head = headOf(path)
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

function headOf(path: string): Buffer {
  const head = Buffer.allocUnsafe(enough)
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
