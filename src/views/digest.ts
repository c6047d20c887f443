// A digest as a page for people. What has nothing to say is left out; what comes from the stream is made harmless.
import type { Digest, List, SessionDigest } from '../analyze/digest.ts'
import { plural } from '../base/text.ts'
import { modelText } from '../model/scripted.ts'
import { durationText, timeText } from './amounts.ts'
import {
  answerText,
  errorText,
  areScripted,
  isToldAbove,
  refusedElsewhere,
  stallText,
  sumsText,
  tokensAndCost,
  whyText,
} from './digest-words.ts'
import { harmlessLine } from './harmless.ts'
import { cutTo, widthOf } from './layout.ts'
import { createPage, type Page, type PageOptions } from './page.ts'

const most = { tools: 20, files: 12, commands: 12, asks: 8, tasks: 8, findings: 10, errors: 8, stalls: 8, phases: 8, issues: 5 }
const shortest = 12 // columns that the subject of a line keeps, whatever is said of it

export function* digestLines(digest: Digest, options: PageOptions): Generator<string> {
  const page = createPage(options)
  for (const [index, session] of digest.sessions.entries()) {
    if (index > 0) page.line(page.style.dim('─'.repeat(Math.min(options.width, 60))))
    sessionPart(page, session)
    yield* page.take()
  }
  if (digest.sessions.length === 0) page.line('There is no session in this stream.')
  besidePart(page, digest)
  yield* page.take()
}

// ── one session ────────────────────────────────────────────────────────────

function sessionPart(page: Page, session: SessionDigest): void {
  const who = [session.program, session.version].filter((part) => part !== undefined).join(' ')
  const title = [who, session.model && modelText(session.model, session.scripted)]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => harmlessLine(part!))
  if (title.length > 0) page.title(title.join(' · '))
  aboutPart(page, session)
  if (session.prompt !== undefined) page.part('prompt', harmlessLine(session.prompt))
  if (session.answer !== undefined) page.part('answer', harmlessLine(session.answer))
  page.part('ended', endedText(page, session))
  workPart(page, session)
  troublePart(page, session)
  page.part('tokens', tokensAndCost(session.usage, session.scripted))
}

function aboutPart(page: Page, { session, run, cwd, mode, title, start, end }: SessionDigest): void {
  if (title !== undefined) page.part('title', harmlessLine(title))
  if (session !== undefined) page.part('session', `${harmlessLine(session)}${run === undefined ? '' : `, run ${harmlessLine(run)}`}`)
  if (cwd !== undefined) page.part('folder', harmlessLine(cwd))
  if (mode !== undefined && mode !== 'default') page.part('mode', harmlessLine(mode))
  if (start === undefined) return
  const [from, to] = [timeText(start), timeText(end ?? start)]
  page.part('time', from === to ? from : `${from} – ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}`)
}

function endedText({ style }: Page, session: SessionDigest): string {
  const { outcome, cut, error } = session.ended
  const how = cut ? 'the stream stopped before the end' : outcome === 'ok' ? 'well' : outcome
  const paint = outcome === 'ok' ? style.green : outcome === 'failed' ? style.red : style.yellow
  const text = `${paint(how)}${harmlessLine(whyText(session.ended))}, after ${sumsText(session)}`
  return error === undefined ? text : `${text}: ${harmlessLine(error.text)}`
}

// ── what was done ───────────────────────────────────────────────────────────

function workPart(page: Page, { tools, files, commands, subagents, cwd }: SessionDigest): void {
  const { style, room } = page
  const near = (path: string): string => harmlessLine(cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)
  if (tools.length > 0) {
    page.part(
      'tools',
      summed(
        tools.map(({ calls, failed, denied }) => ({ calls, failed, denied })),
        style,
      ),
    )
    const number = (count: number): string => (count === 0 ? '' : String(count))
    const time = (ms: number): string => (ms === 0 ? '' : durationText(ms))
    page.table(
      ['', 'calls', 'failed', 'denied', 'open', 'time', 'longest'],
      tools
        .slice(0, most.tools)
        .map((tool) => [
          harmlessLine(tool.name),
          String(tool.calls),
          number(tool.failed),
          number(tool.denied),
          number(tool.abandoned),
          time(tool.totalMs),
          tool.calls > 1 ? time(tool.longestMs) : '',
        ]),
    )
    if (tools.length > most.tools) page.item(style.dim(`… and ${tools.length - most.tools} more`))
  }
  if (files.items.length > 0) {
    const { items, more, changed, atLeast } = files
    const listed = items.filter((file) => file.changed > 0)
    page.part('files', `${atLeast === true ? 'at least ' : ''}${changed} changed, ${items.length + more - changed} only read`)
    page.list({ items: listed, more: changed - listed.length }, most.files, ({ path, changed: times }) =>
      cutTo(`${near(path)}${times > 1 ? style.dim(` × ${times}`) : ''}`, room),
    )
  }
  if (commands.items.length > 0) {
    const { failed } = commands
    page.part('commands', `${commands.items.length + commands.more}${failed === 0 ? '' : `, ${style.red(`${failed} failed`)}`}`)
    page.list(commands, most.commands, ({ command, failed: bad, exitCode, status, durationMs }) => {
      const code = !bad ? '' : exitCode === undefined ? ` ${status}` : ` exit ${exitCode}`
      const time = timeIn(room - 4 - code.length, durationMs)
      return `${bad ? style.red('✗') : style.green('✓')} ${cutTo(harmlessLine(command), room - 4 - code.length - time.length)}${style.red(code)}${style.dim(time)}`
    })
  }
  const allTasks = subagents.items.length + subagents.more
  for (const [label, its, all] of [
    ['subagents', 'agent', allTasks - subagents.commands],
    ['background', 'command', subagents.commands],
  ] as const) {
    if (all === 0) continue
    const items = subagents.items.filter(({ type }) => type === its)
    page.part(label, String(all))
    page.list({ items, more: all - items.length }, most.tasks, ({ task, title, status, durationMs }) => {
      const bad = status === 'ok' ? '' : ` ${status}`
      const time = timeIn(room - 4 - bad.length, durationMs)
      return `${status === 'ok' ? style.green('✓') : style.red('✗')} ${cutTo(harmlessLine(title ?? task), room - 4 - bad.length - time.length)}${style.red(bad)}${style.dim(time)}`
    })
  }
}

/** How long it took, where that leaves enough for what it was. */
function timeIn(room: number, durationMs: number | undefined): string {
  const time = durationMs === undefined ? '' : ` ${durationText(durationMs)}`
  return room - time.length < shortest ? '' : time
}

function summed(tools: readonly { calls: number; failed: number; denied: number }[], style: Page['style']): string {
  const sum = (what: 'calls' | 'failed' | 'denied'): number => tools.reduce((so, tool) => so + tool[what], 0)
  const parts = [plural(sum('calls'), 'call')]
  if (sum('failed') > 0) parts.push(style.red(`${sum('failed')} failed`))
  if (sum('denied') > 0) parts.push(style.yellow(`${sum('denied')} denied`))
  return parts.join(', ')
}

// ── what went wrong ──────────────────────────────────────────────────────────

function troublePart(page: Page, session: SessionDigest): void {
  const { style, room } = page
  const { permissions, notAllowed, questions, findings, errors, retries, compactions, longestSilence, stalls, cwd } = session
  if (permissions.asked + permissions.refused > 0) {
    const { asked, allowed, refused, unanswered } = permissions
    const parts = [
      asked > 0 ? `${asked} asked` : '',
      allowed > 0 ? `${allowed} allowed` : '',
      refused > 0 ? style.yellow(`${refused} refused`) : '',
      unanswered > 0 ? style.yellow(`${unanswered} not answered`) : '',
    ]
    page.part('permissions', parts.filter((part) => part !== '').join(', '))
    page.list(permissions, most.asks, (ask) => {
      const { name, question } = ask
      const end = harmlessLine(`: ${answerText(ask)}`)
      return cutTo(`${cutTo(harmlessLine([name, question].filter(Boolean).join(' ')), Math.max(shortest, room - end.length))}${end}`, room)
    })
  }
  const refusals = refusedElsewhere(session)
  if (refusals > 0) {
    page.part('not allowed', style.yellow(plural(refusals, 'call')))
    page.list(notAllowed, most.asks, ({ name, subject }) => cutTo(harmlessLine([name, subject].filter(Boolean).join(' ')), room))
  }
  if (questions > 0) page.part('questions', `${questions} asked`)
  if (findings.items.length > 0) {
    page.part('findings', style.magenta(String(findings.items.length + findings.more)))
    page.list(findings, most.findings, ({ text, rule }) => {
      const [said, name] = [harmlessLine(text), harmlessLine(rule)]
      const left = room - widthOf(name) - 2
      return left < shortest ? cutTo(said, room) : `${cutTo(said, left)}  ${style.dim(name)}`
    })
  }
  errorPart(page, isToldAbove(session) ? { items: [], more: 0 } : errors, retries)
  if (compactions > 0) page.part('compacted', plural(compactions, 'time'))
  if (longestSilence !== undefined && longestSilence.ms >= 1000)
    page.part('silence', `${durationText(longestSilence.ms)} at most, waiting for ${harmlessLine(longestSilence.during)}`)
  if (stalls.items.length > 0) {
    page.part('stuck', style.red(plural(stalls.items.length + stalls.more, 'time')))
    page.list(stalls, most.stalls, (stall) =>
      cutTo(harmlessLine(cwd === undefined ? stallText(stall) : stallText(stall).replaceAll(`${cwd}/`, '')), room),
    )
  }
}

function errorPart(page: Page, errors: Digest['errors'], retries: number): void {
  const { style, room } = page
  if (errors.items.length > 0) {
    const all = errors.items.reduce((so, { times }) => so + times, errors.more)
    page.part('errors', style.red(String(all)))
    page.list(errors, most.errors, (error) => cutTo(harmlessLine(errorText(error)), room))
  }
  if (retries > 0) page.part('retries', String(retries))
}

// ── all of it ─────────────────────────────────────────────────────────────

function besidePart(page: Page, { runs, sessions, moreSessions, usage, issues, errors, retries }: Digest): void {
  const { style, room } = page
  if (runs.length + errors.items.length + retries > 0 || sessions.length > 1) page.line()
  for (const { run, label, reason, iterations, phases } of runs) {
    const name = harmlessLine([label, run].filter((part) => part !== undefined).join(' '))
    page.part(
      'loop',
      [name, iterations === undefined ? '' : plural(iterations, 'iteration'), reason ?? 'not ended']
        .filter((part) => part !== '')
        .join(', '),
    )
    page.list(phases, most.phases, ({ name: phase, iteration, reason: why, durationMs }) =>
      cutTo(
        `${harmlessLine(phase)}, iteration ${iteration}: ${why}${durationMs === undefined ? '' : `, ${durationText(durationMs)}`}`,
        room,
      ),
    )
  }
  errorPart(page, errors, retries)
  if (sessions.length > 1)
    page.part('in all', `${plural(sessions.length + moreSessions, 'session')}, ${tokensAndCost(usage, areScripted(sessions))}`)
  if (moreSessions > 0) page.item(style.dim(`only the first ${sessions.length} are shown`))
  if (issues.items.length === 0) return
  page.part('unreadable', style.yellow(plural(issues.items.length + issues.more, 'record')))
  page.list(issues as List<Digest['issues']['items'][number]>, most.issues, ({ line, code, text }) =>
    cutTo(harmlessLine(`line ${line}: ${text} (${code})`), room),
  )
}
