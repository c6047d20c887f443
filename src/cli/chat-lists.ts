// What the commands of a chat tell: tools, skills, rules, cost and sessions, as lines.
import { plural } from '../base/text.ts'
import { shortPath } from '../config/places.ts'
import { listSessions, readSession } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { totalTokens } from '../model/usage.ts'
import type { Prepared } from '../run/builtin.ts'
import { formatRule } from '../supervise/rules.ts'
import { costOrWhy, countText, timeText } from '../views/amounts.ts'
import { harmlessLine } from '../views/harmless.ts'
import type { Style } from '../views/style.ts'
import type { Book } from './chat-book.ts'
import { columns } from './columns.ts'
import { ownTools, toolRows, verdictText } from './tools-list.ts'

export async function toolLines({ request, rulesFor, profile }: Prepared, width: number): Promise<string[]> {
  const servers = await request.servers?.connect()
  const rows = toolRows({
    tools: [
      ...request.tools,
      ...ownTools(
        request.skills.length,
        request.profiles.map(({ name }) => name),
      ),
      ...(servers?.tools() ?? []),
    ],
    profile,
    rules: rulesFor(profile.name),
  })
  const down = (servers?.status() ?? []).filter(({ error }) => error !== undefined)
  return [
    ...columns(
      rows.map((row) => [row.name, row.server ?? 'built in', verdictText(row), row.description].map(harmlessLine)),
      width,
    ),
    ...down.map(({ name, error }) => `! server ${harmlessLine(name)}: ${harmlessLine(error ?? '')}`),
  ]
}

export function skillLines({ request }: Prepared, width: number): string[] {
  if (request.skills.length === 0) return ['there are no skills here; docs: SKILL.md in .agents/skills, .claude/skills or .sluice/skills']
  return columns(
    request.skills.map(({ name, description }) => [name, description].map(harmlessLine)),
    width,
  )
}

export function permissionLines({ rulesFor, profile, places }: Prepared, book: Book, gates: readonly string[], style: Style): string[] {
  const rules = rulesFor(profile.name).map((rule) => {
    const from = 'from' in rule && typeof rule.from === 'string' ? rule.from : undefined
    const where = from === undefined ? '' : style.dim(`  ${harmlessLine(shortPath(from, places.home))}`)
    return `  ${harmlessLine(formatRule(rule))}${where}`
  })
  const granted = book.granted().map((rule) => `  ${harmlessLine(`${rule.permission}:${rule.pattern}=${rule.action}`)}`)
  return [
    'Rules, the last one that matches wins:',
    ...rules,
    ...(granted.length === 0 ? [style.dim('  nothing was allowed for good in this chat')] : ['Allowed in this chat:', ...granted]),
    ...(gates.length === 0 ? [] : [`In force before all rules: ${gates.join(', ')}`]),
  ]
}

export function costLines(book: Book, model: string): string[] {
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = book.usage()
  const usd = book.usd()
  const context = book.context()
  const parts: [string, number][] = [
    ['input', input],
    ['output', output],
    ['reasoning', reasoning],
    ['cache read', cacheRead],
    ['cache write', cacheWrite],
  ]
  const full = context?.limit === undefined ? '' : ` of ${countText(context.limit)} (${Math.round((100 * context.used) / context.limit)}%)`
  return columns(
    [
      ['model', harmlessLine(model)],
      ['turns', String(book.turns())],
      ['tokens', countText(totalTokens(book.usage()))],
      ...parts.filter(([, count]) => count > 0).map(([name, count]) => [`  ${name}`, countText(count)]),
      ['cost', usd === undefined && !book.scripted() ? 'not known: the model has no price in the table' : costOrWhy(usd, book.scripted())],
      ...(context === undefined ? [] : [['context', `${countText(context.used)} tokens${full}`]]),
    ],
    200,
  )
}

/** One line about how much: for the end of a chat. */
export function sumText(book: Book): string {
  const usd = book.usd()
  return [plural(book.turns(), 'turn'), `${countText(totalTokens(book.usage()))} tokens`, costOrWhy(usd, book.scripted())].join(' · ')
}

const mostSessions = 12
const mostRead = 100 // files that are looked into: those of other projects, too, lie in the folder

export type SessionFacts = { id: string; at: number | undefined; turns: number; about: string }

/** Those of this folder, newest first. */
export async function sessionsHere(folder: string, cwd: string): Promise<SessionFacts[]> {
  const found: SessionFacts[] = []
  for (const id of (await listSessions(folder)).slice(0, mostRead)) {
    const events = await readSession(folder, id).catch((): Event[] => [])
    const [start] = events
    if (start?.kind !== 'session.start' || start.cwd !== cwd) continue
    const first = events.find((event) => event.kind === 'prompt.submit' && event.agent === undefined)
    const about = first?.kind === 'prompt.submit' ? (first.text ?? '') : ''
    found.push({ id, at: events.at(-1)?.at, turns: events.filter(({ kind }) => kind === 'turn.end').length, about })
    if (found.length === mostSessions) break
  }
  return found
}

export const sessionLines = (sessions: readonly SessionFacts[], current: string | undefined, width: number): string[] =>
  sessions.length === 0
    ? ['no session of this folder is kept yet']
    : columns(
        sessions.map(({ id, at, turns, about }) => [
          id === current ? '▶' : ' ',
          id,
          at === undefined ? '' : timeText(at),
          plural(turns, 'turn'),
          harmlessLine(about),
        ]),
        width,
      )
