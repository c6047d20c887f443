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
  if (expected.not !== undefined && log.some((event) => JSON.stringify(event).includes(expected.not!)))
    troubles.push(`"${expected.not}" is in the log`)

  const digest = JSON.parse(sluiceSays(sluice, ['digest', '--json', ran.log])) as { sessions: readonly Session[]; usage: Totals }
  same('sessions', digest.sessions.length, 1)
  const [session] = digest.sessions
  if (session === undefined) return troubles
  const { ended } = session
  same('the end', ended === undefined || ended.cut ? 'none' : ended.outcome, expected.ended)
  if (expected.turns !== undefined) same('turns', session.turns, expected.turns)
  if (expected.answer !== undefined) same('answer', session.answer, expected.answer)
  if (expected.usage !== undefined) troubles.push(...usageTroubles(sluice, ran, digest, expected.usage.without))
  const calls = sumOf(session.tools)
  if (expected.calls !== undefined) same('calls', calls, { ...calls, ...expected.calls })
  if (expected.by !== undefined)
    same('decided by', log.findLast((event) => event['kind'] === 'permission.answer')?.['by'] ?? 'none', expected.by)
  const { asked, allowed, refused, unanswered } = session.permissions
  const permissions = { asked, allowed, refused, unanswered }
  if (expected.permissions !== undefined) same('permissions', permissions, { ...none, ...expected.permissions })
  return troubles
}

/** Tokens of every whole answer of the scripted model. */
const perAnswer = 120

/** The end, the digest, `usage` and Claude's result say what the provider was asked. Some agents count titles and the like, others do not. */
function usageTroubles(sluice: string, ran: Ran, digest: { usage: Totals }, unseen: readonly string[]): string[] {
  const whole = ran.requests.filter(({ status, end, lane }) => status === 200 && end === 'whole' && !unseen.includes(String(lane)))
  const [all, main] = [whole, whole.filter(({ lane }) => lane !== 'side' && lane !== undefined)].map(({ length }) => length * perAnswer)
  const end = recordsOf(ran.log).findLast((event) => event['kind'] === 'session.end')
  const used = JSON.parse(sluiceSays(sluice, ['usage', '--json', ran.log])) as { totals: Totals }
  const result = recordsOf(ran.claude).findLast(({ type }) => type === 'result') as { modelUsage?: Record<string, ClaudeUsage> } | undefined
  const models = Object.values(result?.modelUsage ?? {})
  const told: Record<string, number> = {
    'session.end': tokensOf(end?.['usage'] as Totals),
    digest: tokensOf(digest.usage),
    usage: tokensOf(used.totals),
    ...(models.length > 0 && { "Claude's modelUsage": models.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, 0) }),
  }
  const [own, beside] = [told['session.end']!, told['session.end']! - main!]
  const counted = beside >= 0 && own <= all! && beside % perAnswer === 0 ? own : main
  return Object.entries(told).flatMap(([who, tokens]) =>
    tokens === counted ? [] : [`tokens in ${who}: ${tokens}, and the provider counts ${main}, with titles ${all}`],
  )
}

type Totals = { input?: number; output?: number; reasoning?: number; cacheRead?: number; cacheWrite?: number }
type ClaudeUsage = { inputTokens: number; outputTokens: number }
const tokensOf = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 }: Totals = {}): number =>
  input + output + reasoning + cacheRead + cacheWrite

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
