// A live run from the command line: outputs, signals, the session file, and the exit code.
import { dirname } from 'node:path'
import { startBuiltin } from '../agents/builtin/agent.ts'
import { newId } from '../agents/builtin/id.ts'
import { ModelChoiceError } from '../agents/builtin/model/choose.ts'
import type { Done } from '../agents/contract.ts'
import { SettingsError } from '../config/read.ts'
import { openSessionLog, SessionNotFound, sessionsFolder } from '../log/sessions.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import type { Event } from '../model/event.ts'
import { forSession, prepareBuiltin, type Prepared } from '../run/builtin.ts'
import { createPipeline, type EventSink } from '../run/pipeline.ts'
import { ResumeError, resumeSession, type Resumed } from '../run/resume.ts'
import { type Answerer, type Run, startRun } from '../run/run.ts'
import { dialectSink, logSink } from '../run/sinks.ts'
import { brokerOf, stagesOf } from '../run/supervisors.ts'
import type { Attachment } from '../supervise/contract.ts'
import { createDeadlines } from '../supervise/deadline.ts'
import { createDegenerate } from '../supervise/degenerate.ts'
import { createDirectives } from '../supervise/directives.ts'
import { createLimits } from '../supervise/limits.ts'
import { createLoops } from '../supervise/loops.ts'
import { combine } from '../supervise/policy.ts'
import { costText, countText, durationText } from '../views/amounts.ts'
import { totalTokens } from '../model/usage.ts'
import { plural } from '../base/text.ts'
import { builtInScripts } from '../script/demo.ts'
import { exitCodeOf, say, signalCodes, systemReason, usageError } from './exit.ts'
import { isTerminal, stdout } from './io.ts'
import { lineOut, openOutput, outputOf, stdoutGone, toldGone, writable } from './run-outputs.ts'
import type { AgentFlags } from './run-options.ts'
import { loadPrices } from './usage-prices.ts'
import { version } from './version.ts'

export type LiveOptions = {
  prompt?: { text: string; files: Attachment[] }
  format: string
  outputs: readonly string[]
  /** False: nobody is asked, also on a terminal. */
  interactive?: boolean
}

export async function liveRun(flags: AgentFlags, { prompt, format, outputs, interactive = true }: LiveOptions): Promise<number> {
  const folder = sessionsFolder(process.env)
  const sinks: EventSink[] = [await mainSink(format, flags.thoughts), ...(await fileSinks(outputs, flags.thoughts))]
  const prepared = await prepare(flags, dirname(folder))
  const session = await sessionOf(flags, folder, prepared.places.cwd)
  const answerer = interactive && isTerminal(0) && process.stderr.isTTY ? (await import('./ask.ts')).askOnTerminal() : undefined // loaded where there is somebody to ask
  const run = await compose(flags, prepared, session, [logSink(session.log, toldGone('the session file')), ...sinks], answerer)
  const signals = hearSignals(run)
  if (prompt !== undefined) run.send({ type: 'prompt', ...prompt })
  run.send({ type: 'finish' })
  const done = await run.done
  signals.stop()
  say(summaryOf(done, session.id))
  const code = exitCodeOf(done.reason, signals.heard())
  if (done.reason === 'cancelled_forced') process.exit(code) // something still runs that would not end
  return code
}

/** The parts of a run, put together in the one way that all doors share. */
export async function compose(
  flags: AgentFlags,
  given: Prepared,
  session: Opened,
  sinks: readonly EventSink[],
  answerer: Answerer | undefined,
): Promise<Run> {
  const prepared = forSession(given, session.id, session.forkedFrom)
  const { settings, profile } = prepared
  const maxTurns = flags.maxTurns ?? profile.maxTurns ?? settings.maxTurns
  const maxCost = flags.maxCost ?? settings.maxCost
  const timeoutMs = flags.timeoutMs ?? settings.timeoutMs
  const stages = await stagesOf(prepared, flags.redact)
  const now = Date.now
  return startRun({
    start: (host) =>
      startBuiltin(
        {
          ...prepared.request,
          session: session.id,
          how: session.how,
          history: session.history,
          ...(session.forkedFrom !== undefined && { forkedFrom: session.forkedFrom }),
        },
        host,
      ),
    broker: brokerOf(prepared, flags, answerer !== undefined),
    answerer,
    guard: combine({ degenerate: createDegenerate() }),
    policies: combine({
      limits: createLimits({
        startedAt: now(),
        ...(maxTurns !== undefined && { maxTurns }),
        ...(maxCost !== undefined && { maxCost }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...flags.limits,
      }),
      deadline: createDeadlines({ timeoutMs: flags.permissionTimeoutMs }),
      loops: createLoops(),
      directives: createDirectives(),
    }),
    pipeline: createPipeline(stages, sinks, newId('run')),
    now,
  })
}

export async function prepare(flags: AgentFlags, dataFolder: string): Promise<Prepared> {
  const prices = await loadPrices()
  try {
    return await prepareBuiltin({ ...flags, env: process.env, dataFolder, version, scripts: builtInScripts, prices, now: Date.now })
  } catch (error) {
    if (error instanceof ModelChoiceError || error instanceof SettingsError) throw usageError(error.message)
    throw error
  }
}

export type Opened = Omit<Resumed, 'forkedFrom'> & { how: 'new' | 'resumed' | 'forked'; forkedFrom?: string; history: Event[] }

export async function sessionOf({ session }: AgentFlags, folder: string, cwd: string): Promise<Opened> {
  try {
    if (session.how === 'new') {
      const id = newId('ses')
      return { id, how: 'new', history: [], log: openSessionLog(folder, id) }
    }
    return { how: session.how, ...(await resumeSession(folder, { ...session, cwd }, () => newId('ses'))) }
  } catch (error) {
    if (error instanceof SessionNotFound || error instanceof ResumeError) throw usageError(error.message)
    throw usageError(`the session cannot be kept in ${folder}: ${systemReason(error)}`)
  }
}

// ── outputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function mainSink(format: string, thoughts: boolean): Promise<EventSink> {
  // The view is large, and of no use to a program.
  if (format === 'pretty') return unless(!thoughts, (await import('./run-pretty.ts')).prettySink())
  const dialect = await writable(format, '--format')
  return unless(isQuiet(dialect, thoughts), dialectSink(dialect, isTerminal(1) ? stdout() : lineOut(1), stdoutGone))
}

/** One for each --on-event. */
export const fileSinks = (outputs: readonly string[], thoughts: boolean): Promise<EventSink[]> =>
  Promise.all(outputs.map((output) => fileSink(output, thoughts)))

async function fileSink(text: string, thoughts: boolean): Promise<EventSink> {
  const { dialect, path } = await outputOf(text)
  return unless(isQuiet(dialect, thoughts), dialectSink(dialect, await openOutput(path), toldGone(path)))
}

/** aictrl's document: thoughts are told only with --thinking. */
const isQuiet = ({ name }: WritableDialect, thoughts: boolean): boolean => name === 'aictrl' && !thoughts

const unless = (quiet: boolean, sink: EventSink): EventSink =>
  quiet
    ? { ...sink, push: (event) => (event.kind === 'thought.delta' || event.kind === 'thought.end' ? undefined : sink.push(event)) }
    : sink

function summaryOf({ durationMs, turns, usage, cost, reason }: Done, session: string): string {
  const parts = [
    reason === 'end_turn' ? 'done' : reason.replaceAll('_', ' '),
    durationText(durationMs),
    plural(turns, 'model turn'),
    `${countText(totalTokens(usage))} tokens`,
    cost === undefined ? 'cost unknown' : costText(cost.usd),
    session,
  ]
  return `sluice: ${parts.join(' · ')}`
}

// ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first signal ends the run with all its events; the second ends it at once. */
export function hearSignals(run: Run): { heard(): keyof typeof signalCodes | undefined; stop(): void } {
  let first: keyof typeof signalCodes | undefined
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  const hear = (signal: NodeJS.Signals): void => {
    const name = signal as keyof typeof signalCodes
    if (first === undefined) {
      first = name
      const code = String(signalCodes[name])
      return run.send({
        type: 'cancel',
        target: 'session',
        by: 'user',
        reason: 'cancelled',
        text: `stopped by ${name}`,
        code,
        signal: name,
      })
    }
    run.force(`stopped by ${first}`, first)
    process.exitCode = signalCodes[first]
    void run.done.finally(() => process.exit(signalCodes[first!]))
  }
  for (const name of names) process.on(name, hear)
  return {
    heard: () => first,
    stop: () => {
      for (const name of names) process.off(name, hear)
    },
  }
}
