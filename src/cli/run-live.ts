// A live run from the command line: outputs, signals, the session file, and the exit code.
import { nearest } from '../base/nearest.ts'
import { plural, quoted } from '../base/text.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { join } from 'node:path'
import { createScripted } from '../analyze/scripted.ts'
import type { Event, EventOf } from '../model/event.ts'
import { outcomeOf } from '../model/outcome.ts'
import { totalTokens } from '../model/usage.ts'
import { agentOf, reportNotices } from '../run/agent.ts'
import type { EventSink, RunEnd, RunHandle } from '../run/contract.ts'
import { dialectSink, type DialectSink } from '../run/sinks.ts'
import type { Attachment } from '../supervise/contract.ts'
import { deniedButRan } from '../supervise/denied-but-ran.ts'
import { costOrWhy, countText, durationText } from '../views/amounts.ts'
import { reasonText } from '../views/reason.ts'
import { dialectNames, writableNames } from './dialects.ts'
import { type CommandError, exitCodeOf, say, signalCodes, usageError } from './exit.ts'
import { isSameFile, isTerminal, mustBeAnother, stdout } from './io.ts'
import type { RunRequest, SessionWanted } from '../run/request.ts'
import { startRun, type StartedRun } from '../run/service.ts'
import { openLosses } from './losses-file.ts'
import { arrayOut, lineOut, openOutput, outputOf, writable } from './run-outputs.ts'
import type { RunScreen } from './run-screen.ts'
import { leave } from './run-sentinel.ts'
import { type Opened, openSession } from '../run/session.ts'
import { surroundings } from './surroundings.ts'
import { createUnwritten, type Unwritten } from './run-unwritten.ts'

export type LiveOptions = {
  prompt?: { text: string; files: Attachment[] }
  format: string
  /** One JSON array in place of lines. */
  array?: boolean
  outputs: readonly string[]
  /** A file for what these formats could not say. */
  losses?: string | undefined
  /** Files that no output may take the place of. */
  read?: readonly string[]
  /** False: nobody is asked, also on a terminal. */
  interactive?: boolean
  /** From when on it hears signals itself. */
  onRun?: () => Promise<void>
}

export async function liveRun(flags: RunRequest, options: LiveOptions): Promise<number> {
  const { done, code: ended, run, signals } = await oneRun(flags, options)
  const { sentinel } = flags
  const facts = { exitCode: ended, session: run.session(), reason: done.reason, blockedBy: run.blockedBy(), run: run.id }
  const code = sentinel === undefined ? ended : await leave(sentinel, facts)
  signals.stop() // not before: one that comes now must not keep the sentinel from being written
  if (done.forced === true) process.exit(code) // something still runs that would not end
  return code
}

async function oneRun(
  flags: RunRequest,
  { prompt, format, array = false, outputs, losses, read = [], interactive = true, onRun }: LiveOptions,
): Promise<{ done: RunEnd; code: number; run: StartedRun; signals: Signals }> {
  const around = await surroundings()
  const folder = join(around.dataFolder, 'sessions')
  const unwritten = createUnwritten()
  const last = lastEnd()
  // The view is large, and of no use to a program.
  const live = format === 'pretty' ? (await import('./run-screen.ts')).createRunScreen() : undefined
  const main = await mainSink(format, array, flags.thoughts, unwritten, live?.out)
  const written = await fileSinks(outputs, { read, thoughts: flags.thoughts, unwritten })
  if (losses !== undefined) {
    mustBeAnother(losses, '--losses', read)
    const others = [...written.map(({ where }) => where.output), ...(flags.sentinel === undefined ? [] : [flags.sentinel])]
    if (others.some((other) => isSameFile(other, losses)))
      throw usageError(`--losses ${quoted(losses, 500)} is another output of this run; name another file`)
  }
  const lossesFile = openLosses(losses)
  const sinks: EventSink[] = [last.sink, main, ...written]
  const agent = await agentOf(flags, around)
  if (flags.agent === 'builtin' && format !== 'pretty') reportNotices(agent.frame, around.report) // else it is on the page
  const { cwd } = agent.frame.places
  const signals = hearSignals() // before there is anything that a sudden end would leave behind
  const run = await begun().catch((error: unknown) => {
    signals.stop() // else the next one would not be heard
    throw error
  })
  async function begun(): Promise<StartedRun> {
    await onRun?.()
    const session = await openSession(flags.session, folder, cwd)
    const isAsked = interactive && isTerminal(0) && process.stderr.isTTY
    const terminal = isAsked ? (await import('./ask.ts')).askOnTerminal(live?.aside) : undefined // loaded where there is somebody to ask
    const another = (wanted: SessionWanted): Promise<Opened> => openSession(wanted, folder, cwd)
    const onLogFailed = unwritten.by('the session file')
    return startRun(flags, around, { agent, session, sinks, ...terminal, another, onLogFailed })
  }
  signals.take(run)
  if (prompt !== undefined) await run.send({ type: 'prompt', ...prompt })
  await run.send({ type: 'finish' })
  const done = await run.done
  try {
    const lost = [main, ...written].filter(isNamed)
    lossesFile?.write(lost.map((sink) => ({ where: sink.where, losses: sink.losses(), additions: sink.additions() })))
  } catch (error) {
    unwritten.by('the file of --losses')(error)
  }
  const code = unwritten.code(exitCodeOf(done, signals.heard()))
  const why = last.why()
  if (why !== undefined) say(`sluice: ${why}`)
  say(summaryOf(done, run.session(), last.scripted()))
  return { done, run, code, signals }
}

// ── outputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function mainSink(
  format: string,
  array: boolean,
  thoughts: boolean,
  unwritten: Unwritten,
  live?: RunScreen,
): Promise<EventSink | NamedSink> {
  if (live !== undefined) return unless(!thoughts, (await import('./run-pretty.ts')).prettySink(unwritten, live))
  if (!dialectNames.includes(format)) throw unknownFormat(format)
  const dialect = await writable(format, '--format')
  const lines = isTerminal(1) ? stdout() : lineOut(1)
  return named(
    'stdout',
    dialect,
    unless(isQuiet(dialect, thoughts), dialectSink(dialect, array ? arrayOut(lines) : lines, unwritten.byStdout)),
  )
}

function unknownFormat(format: string): CommandError {
  const known = ['pretty', ...writableNames]
  const near = nearest(format, known)
  return usageError(
    `--format ${quoted(format)} is not known${near === undefined ? '' : `; did you mean ${near}?`} (known: ${known.join(', ')})`,
  )
}

type NamedSink = DialectSink & { where: { output: string; dialect: string } }

const isNamed = (sink: EventSink): sink is NamedSink => 'where' in sink

const named = (output: string, { name: dialect }: WritableDialect, sink: DialectSink): NamedSink => ({
  ...sink,
  where: { output, dialect },
})

type FileSinkParts = { read: readonly string[]; thoughts: boolean; unwritten: Unwritten }

/** One for each --on-event. */
export async function fileSinks(outputs: readonly string[], { read, thoughts, unwritten }: FileSinkParts): Promise<NamedSink[]> {
  const specs = await Promise.all(outputs.map(outputOf))
  const paths = specs.map(({ path }) => path)
  for (const path of paths) mustBeAnother(path, '--on-event', read)
  mustDiffer(paths)
  // All at once: who reads two pipes may open them in any order.
  const opened = await Promise.all(paths.map(openOutput))
  mustDiffer(paths) // a link may lead to what was not there before
  return specs.map(({ dialect, path }, index) =>
    named(path, dialect, unless(isQuiet(dialect, thoughts), dialectSink(dialect, opened[index]!, unwritten.by(path)))),
  )
}

function mustDiffer(paths: readonly string[]): void {
  const isTaken = (path: string, index: number): boolean => paths.slice(0, index).some((other) => isSameFile(other, path))
  const twice = paths.find(isTaken)
  if (twice !== undefined)
    throw usageError(`--on-event ${quoted(twice, 500)} is named twice: each would write over the other; name another file`)
}

/** aictrl's document: thoughts are told only with --thinking. */
const isQuiet = ({ name }: WritableDialect, thoughts: boolean): boolean => name === 'aictrl' && !thoughts

const unless = <Sink extends EventSink>(quiet: boolean, sink: Sink): Sink =>
  quiet
    ? { ...sink, push: (event) => (event.kind === 'thought.delta' || event.kind === 'thought.end' ? undefined : sink.push(event)) }
    : sink

/** Why the run did not end well, in one line: as every reader is told it, for keys are taken out there. */
function lastEnd(): { sink: EventSink; why(): string | undefined; scripted(): boolean } {
  const scripted = createScripted()
  let end: EventOf<'session.end'> | undefined
  function push(event: Event): void {
    scripted.push(event)
    if (event.kind === 'session.end') end = event
  }
  return {
    sink: { push, flush() {}, end() {} },
    scripted: scripted.session,
    why() {
      const { reason, error } = end ?? {}
      // That a denied call was made is said when it happens.
      if (reason === undefined || error === undefined || outcomeOf(reason) === 'ok' || error.code === deniedButRan) return undefined
      return shortened(error.text.trim().replaceAll(/\s*\n\s*/g, ' · '), maxWhy)
    },
  }
}

const maxWhy = 1000
const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

function summaryOf({ durationMs, turns, usage, cost, reason }: RunEnd, session: string, scripted: boolean): string {
  const parts = [
    reasonText(reason),
    durationText(durationMs),
    plural(turns, 'model call'),
    `${countText(totalTokens(usage))} tokens`,
    costOrWhy(cost?.usd, scripted),
    session,
  ]
  return `sluice: ${parts.join(' · ')}`
}

// ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** For what is still to be written when a forced run is over, such as its sentinel: who runs it leaves by himself, and sooner. */
const lastWordsMs = 2000

/** `take`: the run to end, which is now if a signal came before it. */
export type Signals = { heard(): keyof typeof signalCodes | undefined; stop(): void; take(run: RunHandle): void }

/** The first signal ends the run with all its events; the second ends it at once. */
export function hearSignals(run?: RunHandle): Signals {
  let first: keyof typeof signalCodes | undefined
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  const cancel = (name: keyof typeof signalCodes): void =>
    void run?.send({
      type: 'cancel',
      target: 'session',
      by: 'user',
      reason: 'cancelled',
      text: `stopped by ${name}`,
      code: String(signalCodes[name]),
      signal: name,
    })
  const hear = (signal: NodeJS.Signals): void => {
    if (first === undefined) return cancel((first = signal as keyof typeof signalCodes))
    if (run === undefined) process.exit(signalCodes[first])
    void run.stop({ force: true, text: `stopped by ${first}`, signal: first })
    process.exitCode = signalCodes[first]
    void run.done.finally(() => setTimeout(() => process.exit(signalCodes[first!]), lastWordsMs).unref())
  }
  for (const name of names) process.on(name, hear)
  return {
    heard: () => first,
    take(begun) {
      run = begun
      if (first !== undefined) cancel(first)
    },
    stop: () => {
      for (const name of names) process.off(name, hear)
    },
  }
}
