// A digest in GitHub's Markdown, for the summary of a CI job. What the agent said stands in code spans and nowhere else. Bounded: GitHub
// refuses a summary of more than 1 MiB, and others of one step may stand in the same file.
import type { Digest, List, SessionDigest } from '../analyze/digest.ts'
import { modelText } from '../model/scripted.ts'
import { plural } from '../base/text.ts'
import { durationText } from './amounts.ts'
import { codeCell, codeSpan } from './code-span.ts'
import { refusalsOf } from './digest-trouble.ts'
import { areScripted, errorText, isToldAbove, stallText, sumsText, tokensAndCost, whyText } from './digest-words.ts'

const maxBytes = 500_000
const max = { tools: 20, files: 30, commands: 20, refusals: 20, errors: 10, findings: 10, tasks: 10, stalls: 5, issues: 5 }

const encoder = new TextEncoder()

export function digestMarkdown(digest: Digest): string[] {
  const lines: string[] = []
  let room = maxBytes
  for (const [index, session] of digest.sessions.entries()) {
    const part = sessionPart(session, digest.sessions.length > 1 ? index + 1 : undefined)
    const size = part.reduce((sum, line) => sum + encoder.encode(line).length + 1, 0)
    if (size > room) {
      lines.push(`… and ${plural(digest.sessions.length - index, 'more session')}`, '')
      break
    }
    room -= size
    lines.push(...part)
  }
  if (digest.sessions.length === 0) lines.push('There is no session in this stream.', '')
  lines.push(...besidePart(digest))
  while (lines.at(-1) === '') lines.pop()
  return lines
}

// ── one session ────────────────────────────────────────────────────────────

function sessionPart(session: SessionDigest, number: number | undefined): string[] {
  const { program, version, model, prompt, answer, ended, usage, questions, permissions, retries, compactions } = session
  const { outcome, cut } = ended
  const [sign, how] = cut
    ? ['❌', 'cut off']
    : ({ ok: ['✅', 'done'], failed: ['❌', 'failed'], cancelled: ['⚠️', 'cancelled'] } as const)[outcome]
  const who = [program, version].filter(Boolean).join(' ')
  const facts: [label: string, text: string][] = []
  const fact = (label: string, text: string | undefined): void => void (text !== undefined && facts.push([label, text]))
  fact('Agent', who === '' ? undefined : codeSpan(who))
  fact('Model', model === undefined || model === '' ? undefined : codeSpan(modelText(model, session.scripted)))
  fact('Prompt', prompt === undefined ? undefined : codeSpan(prompt))
  fact('Answer', answer === undefined ? undefined : codeSpan(answer, 1000))
  fact('Ended', `${endedText(session)}, after ${sumsText(session)}`)
  if (ended.error !== undefined) fact('Error', codeSpan(`${ended.error.category}: ${ended.error.text}`))
  fact('Cost', tokensAndCost(usage, session.scripted))
  if (permissions.asked > 0)
    fact(
      'Permissions',
      `${permissions.asked} asked, ${permissions.allowed} allowed, ${permissions.refused} refused, ${permissions.unanswered} not answered`,
    )
  if (retries > 0) fact('Retries', String(retries))
  if (compactions > 0) fact('Context made smaller', plural(compactions, 'time'))
  if (questions > 0) fact('Questions', `${questions} asked`)
  return [
    `### ${sign} Agent run${number === undefined ? '' : ` ${number}`}: ${how}`,
    '',
    ...facts.map(([label, text]) => `- **${label}**: ${text}`),
    '',
    ...troubleParts(session),
    ...workParts(session),
  ]
}

function endedText({ ended }: SessionDigest): string {
  const how = ended.cut ? 'the stream stopped before the end' : ended.outcome === 'ok' ? 'well' : ended.outcome
  const why = whyText(ended)
  return why === '' ? how : `${how} ${codeSpan(why.trim().slice(1, -1))}`
}

function troubleParts(session: SessionDigest): string[] {
  const { errors, findings, stalls, commands, notAllowed, permissions } = session
  const refusals = refusalsOf(session)
  const items = commands.items.filter(({ failed }) => failed)
  const more = Math.max(permissions.more, notAllowed.more)
  return [
    ...list('Refused', { items: refusals, more }, max.refusals, (line) => codeSpan(line)),
    ...list('Errors', isToldAbove(session) ? { items: [], more: 0 } : errors, max.errors, (error) => codeSpan(errorText(error))),
    ...list('Failed commands', { items, more: commands.failed - items.length }, max.commands, ({ command, exitCode, status }) => {
      return `${codeSpan(command)} ${exitCode === undefined ? status : `exit code ${exitCode}`}`
    }),
    ...list('Findings', findings, max.findings, ({ text, rule }) => `${codeSpan(text)} (${codeSpan(rule)})`),
    ...list('Stuck', stalls, max.stalls, (stall) => codeSpan(stallText(stall))),
  ]
}

function workParts({ tools, files, subagents, cwd }: SessionDigest): string[] {
  const near = (path: string): string => (cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)
  const changed = files.items.filter((file) => file.changed > 0)
  return [
    ...list('Changed files', { items: changed, more: files.changed - changed.length }, max.files, ({ path }) => codeSpan(near(path))),
    ...list('Subagents', subagents, max.tasks, ({ task, title, status }) => `${codeSpan(title ?? task)} ${status}`),
    ...toolTable(tools),
  ]
}

function toolTable(tools: SessionDigest['tools']): string[] {
  if (tools.length === 0) return []
  const number = (count: number): string => (count === 0 ? '' : String(count))
  const left = tools.length - max.tools
  return [
    '| Tool | Calls | Failed | Denied | Time |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...tools
      .slice(0, max.tools)
      .map(
        ({ name, calls, failed, denied, totalMs }) =>
          `| ${codeCell(name, 80)} | ${calls} | ${number(failed)} | ${number(denied)} | ${totalMs === 0 ? '' : durationText(totalMs)} |`,
      ),
    '',
    ...(left > 0 ? [`… and ${left} more`, ''] : []),
  ]
}

/** A heading, the first ones and how many more there are. Nothing at all of an empty list. */
function list<T>(title: string, { items, more }: List<T>, most: number, textOf: (item: T) => string): string[] {
  const left = more + Math.max(0, items.length - most)
  if (items.length + more === 0) return []
  return [
    `**${title}** (${items.length + more})`,
    '',
    ...items.slice(0, most).map((item) => `- ${textOf(item)}`),
    ...(left > 0 ? [`- … and ${left} more`] : []),
    '',
  ]
}

// ── all of it ─────────────────────────────────────────────────────────────

function besidePart({ sessions, moreSessions, usage, errors, issues }: Digest): string[] {
  const count = sessions.length + moreSessions
  return [
    ...list('Errors of no session', errors, max.errors, (error) => codeSpan(errorText(error))),
    ...list('Unreadable records', issues, max.issues, ({ line, text, code }) => `line ${line}: ${codeSpan(`${text} (${code})`)}`),
    ...(count > 1 ? [`**In all**: ${plural(count, 'session')}, ${tokensAndCost(usage, areScripted(sessions))}`, ''] : []),
  ]
}
