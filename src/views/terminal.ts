// Timeline rows as terminal lines: prompts, folded thoughts, calls with what became of them, diffs, answers in Markdown, subagents
// indented. Lines are only ever appended, so a live stream and a recording look the same.
import { plural } from '../base/text.ts'
import type {
  AskRow,
  CallRow,
  Change,
  EndRow,
  NoteRow,
  PlanRow,
  PromptRow,
  Row,
  SaidRow,
  StartRow,
  TaskRow,
  TurnRow,
} from '../analyze/row.ts'
import type { Cost, Usage } from '../model/event.ts'
import { modelText } from '../model/scripted.ts'
import { costText, durationText, paidText, timeText, tokensText } from './amounts.ts'
import { deciderText } from './decider.ts'
import { countLines, type Folded, foldedLines, foldedText } from './fold.ts'
import { harmless, harmlessLine, harmlessLines } from './harmless.ts'
import { cutTo, widthOf, wrapped } from './layout.ts'
import { markdownLines } from './markdown.ts'
import { patchOf } from './patch.ts'
import { reasonText } from './reason.ts'
import { styleFor } from './style.ts'

export type TerminalOptions = {
  width: number
  colour: boolean
  /** Nothing is folded. */
  full?: boolean | undefined
  /** A call that was announced without its input waits for it, until something else comes or `settle` is called. */
  patient?: boolean | undefined
  /** Tokens and cost of a session, told in its closing line. */
  totals?: ((session: string | undefined) => { usage?: Usage | undefined; cost?: Pick<Cost, 'usd' | 'by'> | undefined }) | undefined
}

/** `settle`: what waits is shown as it is. */
export type TerminalView = { push(row: Row): string[]; settle(): string[] }

const outputLines = { ok: 4, failed: 12 } as const
const thoughtLines = 2
const patchLines = 24
const promptLines = 20
const noteLines = 4
const hardSpace = '\u00a0' // no line is broken at it
const leastRoom = 18 // columns beside the bars of subagents
const reasonLines = 3 // of why something was refused or did not work

export function createTerminalView({ width, colour, full = false, patient = false, totals }: TerminalOptions): TerminalView {
  const style = styleFor(colour)
  let lastId: string | undefined // the row that the last lines were of
  const lanes: (string | undefined)[] = [] // at each depth, the subagent whose steps a reader takes the next one for
  let spoke = false // the last lines were an answer or a prompt, which stand apart
  let lastError = '' // a fault is told once, though the call, the turn and the session may all end with it
  let lastReason = '' // why something was refused: the call's result is often the same words
  let cwd = ''
  let inText: RegExp | undefined // the folder, wherever a path in a text may begin

  const near = (path: string): string => (cwd !== '' && path.startsWith(cwd) ? path.slice(cwd.length) : path)
  /** Only in what is told of a result: a command is shown as it is. */
  const nearIn = (text: string): string => (inText === undefined || full || !text.includes(cwd) ? text : text.replace(inText, ''))

  function fault(text: string): string[] {
    if (text === lastError || lastError.endsWith(`: ${text}`)) return []
    lastError = text
    return wrapped(style.red(harmless(text)), width - 2).map((line) => `  ${line}`)
  }

  const more = (count: number): string => style.dim(`… ${plural(count, 'more line')}`)

  const withMore = ({ lines, left }: Folded): string[] => (left === 0 ? lines : [...lines, more(left)])

  /** At most so many lines, and how many were left out. */
  const folded = (text: string, most: number): string[] => (full ? harmlessLines(text) : withMore(foldedText(text, most)))

  /** The lines of a result. A reason in one long line is worth several short ones. */
  function resultLines(text: string, failed: boolean, wide: number): string[] {
    if (failed && !text.includes('\n')) {
      const lines = wrapped(harmlessLine(nearIn(text)), wide)
      return withMore(foldedLines(lines, full ? Infinity : reasonLines)).map(style.dim)
    }
    const lines = folded(text, failed ? outputLines.failed : outputLines.ok)
    return lines.map((line) => style.dim(full ? line : cutTo(nearIn(line), wide)))
  }

  /** How many bars stand before a line: on a narrow screen no more than leave room for what it says. */
  const barsAt = (depth: number): number => Math.min(depth, Math.max(0, Math.floor((width - leastRoom) / 2)))
  const room = (depth: number): number => width - 2 * barsAt(depth)

  /** A line that is too long for a narrow terminal goes on below, `indent` columns in. */
  const fitted = (line: string, depth: number, indent = 4): string[] =>
    widthOf(line) <= room(depth)
      ? [line]
      : wrapped(line, room(depth) - indent).map((part, index) => (index === 0 ? part : ' '.repeat(indent) + part))

  function linesOf(row: Row): string[] {
    switch (row.type) {
      case 'start':
        return start(row)
      case 'prompt':
        return prompt(row)
      case 'text':
      case 'thought':
        return said(row)
      case 'call':
        return row.open === true ? callHead(row) : callTail(row)
      case 'task':
        return task(row)
      case 'ask':
        return ask(row)
      case 'plan':
        return plan(row)
      case 'note':
        return note(row)
      case 'turn':
        return turn(row)
      case 'end':
        return end(row)
    }
  }

  // ── the frame ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function start({ program, version, model, scripted, cwd: folder, mode, how, session, at }: StartRow): string[] {
    cwd = folder === undefined || folder === '' || folder === '/' ? '' : `${folder}/`
    inText = cwd === '' ? undefined : new RegExp(`(?<![\\w./~-])${cwd.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}`, 'g')
    const name = harmlessLine([program, version].filter(Boolean).join(' ')) || 'session'
    const rest = [
      model && modelText(model, scripted),
      folder,
      mode && mode !== 'default' ? `mode ${mode}` : undefined,
      how === 'new' ? undefined : how,
      session,
    ]
      .filter((part) => part !== undefined && part !== '')
      .map((part) => harmlessLine(part!))
    const time = at === undefined ? [] : [timeText(at)]
    return wrapped(`${style.bold(name)} ${style.dim(['', ...rest, ...time].join(' · ').trim())}`, width)
  }

  const amounts = (durationMs?: number, usage?: Usage, cost?: string): string[] => [
    ...(durationMs === undefined ? [] : [durationText(durationMs)]),
    ...(usage === undefined ? [] : [tokensText(usage)]),
    ...(cost === undefined ? [] : [cost]),
  ]

  const sign = (outcome: 'ok' | 'failed' | 'cancelled'): string =>
    outcome === 'ok' ? style.green('✔') : outcome === 'failed' ? style.red('✘') : style.yellow('■')

  /** Broken between the facts alone, where there is no room for all of them. */
  function factLines(line: string): string[] {
    if (widthOf(line) <= width) return [line]
    const glued = line.replaceAll(' ', hardSpace).replaceAll(`·${hardSpace}`, '· ')
    return wrapped(glued, width - 2).map((part, index) => (index === 0 ? '' : '  ') + part.replaceAll(hardSpace, ' '))
  }

  function turn({ turn: number, reason, outcome, durationMs, usage, cost, scripted, error }: TurnRow): string[] {
    const price = cost && costText(cost.usd) + (scripted === true ? ' (scripted)' : '')
    const facts = [`turn ${number}`, ...(outcome === 'ok' ? [] : [reasonText(reason)]), ...amounts(durationMs, usage, price)]
    const lines = factLines(`${sign(outcome)} ${style.dim(facts.join(' · '))}`)
    return error === undefined ? lines : [...lines, ...fault(error.text)]
  }

  function end({ of, reason, outcome, turns, durationMs, scripted, error, session }: EndRow): string[] {
    const { usage, cost } = of === 'session' ? (totals?.(session) ?? {}) : {}
    const word = outcome === 'ok' ? 'done' : outcome === 'failed' ? `failed: ${reasonText(reason)}` : reasonText(reason)
    const count = plural(turns, of === 'run' ? 'iteration' : 'turn')
    const price = cost && paidText(cost.usd, scripted) + (cost.by === 'priced' ? ' by price list' : '')
    const facts = ['', count, ...amounts(durationMs, usage, price)].join(' · ').trim()
    const lines = factLines(`${sign(outcome)} ${style.bold(of === 'run' ? `loop ${word}` : word)} ${style.dim(facts)}`)
    return error === undefined ? ['', ...lines] : ['', ...lines, ...fault(error.text)]
  }

  // ── what was said ──────────────────────────────────────────────────────────────────────────────────────────────────────

  function prompt({ by, text, depth }: PromptRow): string[] {
    // Who asks a subagent is plain from where it stands.
    const who = by === 'user' || by === 'host' || (by === 'agent' && depth > 0) ? '' : `(${harmlessLine(by)}) `
    const lines = folded(text.trim(), promptLines).flatMap((line, index) => wrapped(index === 0 ? who + line : line, room(depth) - 2))
    return lines.map((line, index) => (index === 0 ? `${style.cyan('❯')} ${style.bold(line)}` : `  ${line}`))
  }

  function said({ type, text, depth }: SaidRow): string[] {
    if (type === 'text') return markdownLines(text, room(depth), style)
    const most = full ? Infinity : thoughtLines
    const { lines: first, left } = foldedText(text.trim(), most)
    const rows = foldedLines(
      first.flatMap((line) => wrapped(line, room(depth) - 2)), // often one long line
      most,
    )
    const lines = withMore({ lines: rows.lines, left: rows.left + left })
    return lines.map((line, index) => `${style.magenta(index === 0 ? '✻' : ' ')} ${style.dim(style.italic(line))}`)
  }

  function plan({ entries, depth }: PlanRow): string[] {
    const signs = { done: style.green('☑'), active: style.yellow('▶'), pending: '☐' }
    return entries.map(({ text, status }) => {
      const line = cutTo(harmlessLine(text), room(depth) - 2)
      return `${signs[status]} ${status === 'done' ? style.dim(line) : line}`
    })
  }

  function note({ level, label, text, depth }: NoteRow): string[] {
    if (level !== 'info') lastError = text
    const tint = level === 'error' ? style.red : level === 'warn' ? style.yellow : style.dim
    const sign = level === 'error' ? '✘' : level === 'warn' ? '!' : '·'
    const lines = folded(text.trim(), noteLines).flatMap((line) =>
      wrapped(nearIn(line), Math.max(Math.min(20, room(depth) - 2), room(depth) - label.length - 4)),
    )
    return lines.flatMap((line, index) =>
      index === 0 ? fitted(`${tint(`${sign} ${harmlessLine(label)}`)} ${style.dim(line)}`, depth, 2) : `  ${style.dim(line)}`,
    )
  }

  // ── what was done ──────────────────────────────────────────────────────────────────────────────────────────────────────

  function callHead({ name, subject, depth }: CallRow): string[] {
    const label = harmlessLine(name)
    const line = cutTo(harmlessLine(near(subject)), Math.max(10, room(depth) - label.length - 4))
    return fitted(`${style.blue('●')} ${style.bold(label)}${line === '' ? '' : ` ${line}`}`, depth)
  }

  /** Which call it is, as far as there is room beside what is said of it. */
  function callLabel({ name, subject, depth }: CallRow, beside: number): string {
    const label = ` ${harmlessLine(name)} `
    return label + cutTo(harmlessLine(near(subject)), Math.max(10, Math.min(40, room(depth) - beside - label.length - 4)))
  }

  function callTail(row: CallRow): string[] {
    const { status, failed, exitCode, durationMs, output = '', changes, depth, id, refusedBy } = row
    const ran = exitCode !== undefined && exitCode !== 0 && (status === 'ok' || status === 'error')
    const isRefused = failed === true && refusedBy !== undefined
    const word = isRefused ? `denied${harmlessLine(deciderText(refusedBy))}` : ran ? `exit ${exitCode}` : (status ?? '')
    const facts = durationMs === undefined ? word : `${word} · ${durationText(durationMs)}`
    // The head stands right above, or the line must say whose end this is.
    const whose = id === lastId || `${id} plan` === lastId ? '' : callLabel(row, facts.length)
    const quiet = failed !== true && (row.toolKind === 'read' || row.toolKind === 'search' || row.toolKind === 'plan')
    const text = output.trimEnd()
    const size = quiet && !full && text !== '' && changes === undefined ? style.dim(` · ${plural(countLines(text), 'line')}`) : ''
    const sign = failed === true ? style.red('✘') : style.green('✔')
    const head = fitted(`  ${sign}${style.dim(whose)} ${failed === true ? style.red(facts) : style.dim(facts)}${size}`, depth)
    if (changes !== undefined) return [...head, ...changes.flatMap((change) => changed(change, depth))]
    if (text === '' || size !== '' || (failed === true && text === lastReason)) return head
    return [...head, ...resultLines(text, failed === true, room(depth) - 4).map((line) => `    ${line}`)]
  }

  function changed(change: Change, depth: number): string[] {
    const { added, removed, ...shown } = patchOf(change, style, full ? Infinity : patchLines)
    const counts = `${style.green(`+${added}`)} ${style.red(`-${removed}`)}`
    const head = change.path === undefined ? counts : `${cutTo(harmlessLine(near(change.path)), room(depth) - 16)} ${counts}`
    return [head, ...withMore(shown)].map((line) => `    ${line}`)
  }

  function task({ title, agentType, open, status, text = '', durationMs, depth }: TaskRow): string[] {
    const label = [agentType ?? 'task', title].map(harmlessLine).join(' ')
    if (open === true) return [`${style.blue('◆')} ${cutTo(label, room(depth) - 2)}`]
    const good = status === 'ok'
    const head = `${good ? style.green('✔') : style.red('✘')} ${style.dim([cutTo(label, Math.max(20, room(depth) - 24)), status ?? '', ...amounts(durationMs)].join(' · '))}`
    const lines = text === '' ? [] : folded(text.trim(), outputLines.ok).flatMap((line) => wrapped(line, room(depth) - 4))
    return [...fitted(head, depth), ...lines.map((line) => `    ${style.dim(line)}`)]
  }

  function ask({ about, name, question, open, decision, by, answer = '', unasked, call, depth }: AskRow): string[] {
    if (unasked === true && !full && (open === true || decision === 'allow' || call !== undefined)) return [] // no news, or the call says it
    const wide = room(depth)
    const subject = harmlessLine(question?.startsWith(`Allow ${name}`) === true ? question : [name, question].filter(Boolean).join(' '))
    if (open === true) {
      const whole = about === 'question' ? `asks ${subject}` : subject.startsWith('Allow ') ? subject : `Allow ${subject}`
      return wrapped(whole, wide - 2).map((line, index) => `${index === 0 ? style.yellow('?') : ' '} ${style.bold(line)}`)
    }
    const good = decision === 'allow'
    const tint = good ? style.green : style.red
    const said = harmlessLine(`${decision ?? ''}${deciderText(by)}${about === 'question' ? ` ${answer}` : ''}`.trim())
    const [first = '', ...rest] = wrapped(said, wide - 4)
    const shown = cutTo(subject.replace(/^Allow /, ''), Math.max(10, wide - widthOf(first) - 5))
    const head = fitted(`  ${tint(`${good ? '✔' : '✘'} ${first}`)} ${style.dim(shown)}`, depth)
    if (about === 'question' || answer === '') return [...head, ...rest.map((line) => `    ${tint(line)}`)]
    if (!good) lastReason = answer.trimEnd()
    return [...head, ...resultLines(answer, !good, wide - 4).map((line) => `    ${line}`)]
  }

  const bars = (depth: number): string => (depth === 0 ? '' : style.dim('│ ').repeat(barsAt(depth)))

  /** Whose steps follow, unless that is plain from what stands above them. */
  function laneHead({ agent, lane, depth }: Row): string[] {
    if (agent === undefined || lanes[depth] === agent || lastId === agent || (lane?.call !== undefined && lane.call === lastId)) return []
    return [`${bars(depth - 1)}${style.dim(`↳ ${cutTo(harmlessLine(lane?.title ?? agent), room(depth) - 2)}`)}`]
  }

  function put(row: Row): string[] {
    const own = linesOf(row)
    if (own.length === 0) return own
    const bar = bars(row.depth)
    const head = bar === '' ? [] : laneHead(row)
    const lines = bar === '' ? own : [...head, ...own.map((line) => bar + line)]
    lanes.length = row.depth + 1
    lanes[row.depth] = row.agent
    const speaks = row.type === 'text' || row.type === 'prompt' || row.type === 'start'
    const apart = lastId !== undefined && row.id !== lastId && (speaks || spoke) && row.type !== 'end'
    spoke = speaks
    lastId = row.id
    return apart ? [(head.length > 0 ? bars(row.depth - 1) : bar).trimEnd(), ...lines] : lines
  }

  /** A call that does not yet say what it is about waits for that, but for nothing else. */
  let waiting: CallRow | undefined
  return {
    push(row) {
      const held = waiting
      waiting = undefined
      const isUnclear = row.type === 'call' && row.open === true && (row.subject === '' || (patient && row.input === undefined))
      if (held !== undefined && (held.id !== row.id || row.open !== true)) return [...put(held), ...(isUnclear ? hold(row) : put(row))]
      return isUnclear ? hold(row) : put(row)
    },
    settle() {
      const held = waiting
      waiting = undefined
      return held === undefined ? [] : put(held)
    },
  }

  function hold(row: CallRow): string[] {
    waiting = row
    return []
  }
}
