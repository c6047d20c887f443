// Which of sluice's own sessions count beside the logs of the agents. Of a session that another agent worked in, that agent has a log of
// its own, if it keeps one here: it counts there. What was only replayed was paid for by somebody else.
import { basename } from 'node:path'
import { utf8 } from '../base/bytes.ts'
import { isRecord } from '../base/json.ts'

/** `head`: the beginning of a session's file. `logs`: the paths of what the agents of this machine have written. */
export function countsHere(path: string, head: Buffer | undefined, logs: readonly string[]): boolean {
  const start = head === undefined ? undefined : startIn(head)
  if (start === undefined || start['session'] !== basename(path, '.ndjson')) return false
  const { program, native } = start
  return program === 'sluice' || typeof native !== 'string' || !logs.some((log) => isLogOf(log, native))
}

function startIn(head: Buffer): Record<string, unknown> | undefined {
  for (let from = 0, end = head.indexOf(10); end !== -1; from = end + 1, end = head.indexOf(10, from)) {
    const line = utf8(head, from, end)
    if (!line.includes('"kind":"session.start"')) continue
    const record = parsed(line)
    if (isRecord(record) && record['kind'] === 'session.start') return record
  }
  return undefined
}

/** Undefined: it cannot be read. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Logs are named after their session, Gemini's after the first part of its id; opencode keeps all sessions in one file. */
function isLogOf(log: string, native: string): boolean {
  if (log.includes(native)) return true
  if (log.includes('/chats/')) return log.includes(native.slice(0, 8))
  return native.startsWith('ses_') && log.endsWith('.db')
}
