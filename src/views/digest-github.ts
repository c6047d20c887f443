// A digest as annotations of GitHub Actions: how each session ended, what failed and what was refused. GitHub shows ten of each level a step.
import type { Digest, SessionDigest } from '../analyze/digest.ts'
import { plural } from '../base/text.ts'
import { totalTokens } from '../model/usage.ts'
import { type Condition, conditions, endText, programOf, type Trouble, troubleOf } from './digest-trouble.ts'
import { errorText, isToldAbove, tokensAndCost } from './digest-words.ts'
import { type Level, workflowCommand } from './workflow-command.ts'

const maxOfLevel = 10

const titles: Record<Condition, string> = { error: 'Agent: error', denied: 'Agent: not allowed', finding: 'Agent: finding' }

/** `failOn`: what is an error, not a warning. `file`: where the records stand, for those that could not be read. */
export function digestAnnotations(digest: Digest, failOn: ReadonlySet<Condition>, file?: string): string[] {
  const levels: Record<Level, string[]> = { error: [], warning: [], notice: [] }
  const left: Record<Level, number> = { error: 0, warning: 0, notice: 0 }
  const add = (level: Level, title: string, text: string, place = {}): void => {
    if (levels[level].length < maxOfLevel - 1) levels[level].push(workflowCommand(level, { ...place, title }, text))
    else left[level]++
  }
  for (const session of digest.sessions) add(levelOf(session), `Agent: ${programOf(session)}`, summaryOf(session))
  if (digest.sessions.length === 0) add('warning', 'Agent', 'There is no session in this stream.')
  const trouble = { ...troubleOf(digest), error: errorsBeside(digest) }
  for (const condition of conditions) {
    const level = failOn.has(condition) || condition === 'error' ? 'error' : 'warning'
    const { lines, count } = trouble[condition]
    for (const line of lines) add(level, titles[condition], line)
    if (lines.length === 0 && count > 0) add(level, titles[condition], plural(count, 'time'))
  }
  for (const { line, code, text } of digest.issues.items) add('warning', 'Agent: unreadable', `${text} (${code})`, { file, line })
  const more = (level: Level): string[] =>
    left[level] === 0 ? [] : [workflowCommand(level, { title: 'Agent' }, `and ${left[level]} more; the log has all of them`)]
  return (['error', 'warning', 'notice'] as const).flatMap((level) => [...levels[level], ...more(level)])
}

/** Those that the end of a session does not say already. */
function errorsBeside({ sessions, errors, counts }: Digest): Trouble {
  const lines = [...sessions.filter((session) => !isToldAbove(session)).flatMap((session) => session.errors.items), ...errors.items]
  return { lines: lines.map(errorText), count: sessions.some((session) => levelOf(session) === 'error') ? 0 : counts.errors }
}

const levelOf = ({ ended }: SessionDigest): Level =>
  ended.cut || ended.outcome === 'failed' ? 'error' : ended.outcome === 'ok' ? 'notice' : 'warning'

const summaryOf = (session: SessionDigest): string =>
  [endText(session), ...(totalTokens(session.usage) === 0 ? [] : [tokensAndCost(session.usage, session.scripted)])].join(' · ')
