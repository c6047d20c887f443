// Whether a run was told truly: its log is legal in three dialects, the digest says what happened, there is one end, and nothing is left.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Ran } from './live.ts'
import type { Expected } from './scenarios.ts'

type Tool = { calls: number; failed: number; denied: number }
type Session = {
  turns: number
  answer?: string
  tools: readonly Tool[]
  permissions: { asked: number; allowed: number; refused: number; unanswered: number }
  ended?: { outcome: string; reason: string; cut: boolean }
}

const none = { asked: 0, allowed: 0, refused: 0, unanswered: 0 }

/** In words; none when all is right. */
export function troublesOf(sluice: string, ran: Ran, expected: Expected): string[] {
  const troubles: string[] = []
  const same = (what: string, is: unknown, must: unknown): void => {
    const [seen, wanted] = [JSON.stringify(is), JSON.stringify(must)]
    if (seen !== wanted) troubles.push(`${what}: ${seen}, not ${wanted}`)
  }
  if (ran.trouble !== undefined) troubles.push(ran.trouble)
  same('exit code', ran.exit, expected.exit)
  same('processes left', ran.left, [])
  if (expected.made !== undefined) same('made.txt is there', ran.made, expected.made)

  const isCut = expected.ended === 'none'
  const streams = { sluice: ran.log, avenor: ran.avenor, claude: ran.claude }
  for (const [dialect, file] of Object.entries(streams))
    for (const { code, text } of findings(sluice, file, dialect))
      if (!isCut || !endless.has(code)) troubles.push(`validate, ${dialect}: ${text}`)

  const log = recordsOf(ran.log)
  const count = (kind: string): number => log.filter((event) => event['kind'] === kind).length
  same('session.end in the log', count('session.end'), isCut ? 0 : 1)
  same('session.end for Avenor', recordsOf(ran.avenor).filter((record) => record['event'] === 'session.end').length, isCut ? 0 : 1)
  const { error } = (log.findLast((event) => event['kind'] === 'session.end') ?? {}) as { error?: { category?: string } }
  if (expected.fault !== undefined) same('fault', error?.category, expected.fault)
  for (const [kind, least] of Object.entries(expected.told ?? {}))
    if (count(kind) < least) troubles.push(`${kind} is told ${count(kind)} times, not ${least}`)
  if (expected.text !== undefined && !log.some((event) => JSON.stringify(event).includes(expected.text!)))
    troubles.push(`"${expected.text}" is nowhere in the log`)

  const digest = JSON.parse(sluiceSays(sluice, ['digest', '--json', ran.log])) as { sessions: readonly Session[] }
  same('sessions', digest.sessions.length, 1)
  const [session] = digest.sessions
  if (session === undefined) return troubles
  const { ended } = session
  same('the end', ended === undefined || ended.cut ? 'none' : ended.outcome, expected.ended)
  if (expected.turns !== undefined) same('turns', session.turns, expected.turns)
  if (expected.answer !== undefined) same('answer', session.answer, expected.answer)
  const calls = sumOf(session.tools)
  if (expected.calls !== undefined) same('calls', calls, { ...calls, ...expected.calls })
  if (expected.by !== undefined) same('decided by', log.findLast((event) => event['kind'] === 'permission.answer')?.['by'], expected.by)
  const { asked, allowed, refused, unanswered } = session.permissions
  const permissions = { asked, allowed, refused, unanswered }
  if (expected.permissions !== undefined) same('permissions', permissions, { ...none, ...expected.permissions })
  return troubles
}

function sumOf(tools: readonly Tool[]): Tool {
  const sum: Tool = { calls: 0, failed: 0, denied: 0 }
  for (const tool of tools) for (const key of ['calls', 'failed', 'denied'] as const) sum[key] += tool[key]
  return sum
}

type Finding = { code: string; text: string }

function findings(sluice: string, file: string, dialect: string): Finding[] {
  const lines = sluiceSays(sluice, ['validate', '--json', '--strict', '--from', dialect, file]).split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Finding)
}

/** What a killed run cannot help. */
const endless = new Set(['missing-end', 'cut'])

function sluiceSays(sluice: string, words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(sluice, words, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0 && stdout === '') throw new Error(`sluice ${words[0]}: ${stderr.trim()}`)
  return stdout
}

function recordsOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>)
}
