// The parts of a run, put together in the one way that all doors share: the agent, who decides for it, who watches it, where its events go,
// and the sockets by which it is reached.
import { rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { newId } from '../agents/builtin/id.ts'
import { askFor } from '../agents/ask.ts'
import type { Done } from '../agents/contract.ts'
import { isSandboxed } from '../agents/guard.ts'
import { createTrackers, type Trackers } from '../analyze/trackers.ts'
import { firstOf } from '../control/answerers.ts'
import { attachControl, type Control } from '../control/attach.ts'
import { createFileHandler } from '../control/file-handler.ts'
import { ControlError, tokenOf } from '../control/places.ts'
import type { LogPlace } from '../control/replay.ts'
import { requestPath, responsePath } from '../control/request-file.ts'
import { realPath } from '../files/real-path.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { Event, Kind, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { type Next, startAttempts } from '../run/attempts.ts'
import type { Notifier } from '../run/notify.ts'
import { createPipeline, type EventSink } from '../run/pipeline.ts'
import { type Answerer, type Chooser, type Run, startRun } from '../run/run.ts'
import { logSink } from '../run/sinks.ts'
import { brokerOf, questionCleaner, secretsOf, stagesOf } from '../run/supervisors.ts'
import type { DeniedButRanSettings } from '../supervise/denied-but-ran.ts'
import { now } from './clock.ts'
import { say, usageError } from './exit.ts'
import { createAgain } from './run-again.ts'
import type { Agent } from './run-agent.ts'
import { programOf } from './run-fit.ts'
import type { AgentFlags } from './run-options.ts'
import type { Opened } from './run-session.ts'
import { createUnwritten, type Unwritten } from './run-unwritten.ts'
import { watchOf } from './run-watch.ts'

export type Composition = {
  agent: Agent
  session: Opened
  sinks: readonly EventSink[]
  /** Who is at the other end of this door. */
  answerer?: Answerer | undefined
  chooser?: Chooser | undefined
  /** The session of another attempt. Absent: there is none. */
  another?: (session: AgentFlags['session']) => Promise<Opened>
  /** Where it is kept that the session file could not be written. Absent: it is told, and that is all. */
  unwritten?: Unwritten
}

export type Composed = Run & {
  id: string
  /** The newest. */
  session(): string
  /** Why the agent gave up, if it said so. */
  blockedBy(): string | undefined
}

/** A run that cannot be made leaves no session behind that nobody worked in. What was told of one is kept. */
export async function compose(flags: AgentFlags, parts: Composition): Promise<Composed> {
  const { how, log } = parts.session
  const sizeNow = (): number | undefined => (log.flush(), statSync(log.path, { throwIfNoEntry: false })?.size)
  const size = sizeNow()
  try {
    return await composed(flags, parts)
  } catch (error) {
    if (how !== 'resumed' && sizeNow() === size) rmSync(log.path, { force: true })
    log.close()
    throw error
  }
}

async function composed(
  flags: AgentFlags,
  { agent, session: first, sinks, answerer, chooser, another, unwritten = createUnwritten() }: Composition,
): Promise<Composed> {
  agent.check(first)
  const { places } = agent.frame
  const { run } = flags
  const id = run.id ?? newId('run')
  const watch = await watchOf(flags, agent.frame, now(), first.history, deniedOf(flags, agent))
  const secrets = flags.redact ? await secretsOf(agent.frame) : undefined
  const logs = sessionLogs(first.log, unwritten)
  const notifier = await notifierOf(flags, (event) => pipeline.emit([event]))
  const control = await controlOf(id, flags, first.log, places.cwd, now)
  const trackers = createTrackers({ late: true })
  const watcher = watcherOf(trackers)
  const own = [logs, ...(control === undefined ? [] : [watcher, control.sink]), ...(notifier === undefined ? [] : [notifier])]
  const pipeline = createPipeline(stagesOf(secrets, run.label), [...own, ...sinks], id)

  const choosers: Chooser[] = [
    ...(control === undefined ? [] : [run.handler === 'control' ? untilGone : control.chooser]),
    ...(chooser === undefined ? [] : [chooser]),
  ]
  const answerers = [
    ...(control === undefined ? [] : [run.handler === 'control' ? untilGone : control.answerer]),
    ...(typeof run.handler === 'object'
      ? [createFileHandler(run.handler.base, (text) => say(`sluice: ${text}`), secrets && questionCleaner(secrets))]
      : []),
    ...(answerer === undefined ? [] : [answerer]),
  ]
  const steering = steeringFiles(control?.path, run)
  const interactive = (): boolean => run.handler !== undefined || answerer !== undefined || control?.mayAnswer() === true
  let session = first

  const begin = (): Run =>
    startRun({
      start: (host) => agent.start(session, control?.env ?? {}, host),
      broker: brokerOf(agent.forSession(session), flags, interactive, steering),
      answerer: firstOf(answerers),
      chooser: firstOf(choosers),
      guard: watch.guard,
      policies: watch.policies,
      pipeline,
      now,
    })

  const again =
    another === undefined
      ? undefined
      : createAgain({
          flags: run,
          open: another,
          check: agent.check,
          limit: watch.limit,
          left: watch.left,
          now,
          // Of the run: the session that failed has had its end, and the next has no start yet.
          tell: (kind: Kind, payload: Payload<Kind>) => pipeline.emit([makeEvent(kind, payload, { at: now(), synthetic: 'policy:again' })]),
        })

  async function next(done: Done, signal: AbortSignal): Promise<Next | undefined> {
    logs.flush() // the session may be read again
    const made = watch.isSpent() ? undefined : await again?.(session.id, done, signal)
    if (made === undefined) return undefined
    session = made.session
    logs.follow(session.log)
    control?.follow(placeOf(session.log))
    watch.renew(now())
    return made.next
  }

  const whole = await startAttempts({ begin, next }).catch(async (error: unknown) => {
    await control?.close() // it would keep the process alive
    throw error
  })
  control?.attach({
    send: whole.send,
    force: whole.force,
    answer: whole.answer,
    choose: (question, answers) => whole.choose(question, { answers, by: 'control' }),
    emit: pipeline.emit,
    sessions: trackers.snapshots,
  })
  async function end(): Promise<Done> {
    try {
      const done = await whole.done
      await notifier?.settled()
      return done
    } finally {
      pipeline.end()
      await control?.close()
    }
  }
  return { ...whole, done: end(), id, session: () => session.id, blockedBy: watch.blockedBy }
}

/** The calls of other programs are judged once more when they were made: not every program asks. */
function deniedOf(flags: AgentFlags, { frame }: Agent): DeniedButRanSettings {
  const report = (text: string): void => say(`sluice: ${text}`)
  if (flags.agent === 'builtin' || flags.agent.startsWith('replay:')) return { report }
  const broker = brokerOf(frame, flags, () => false)
  const { readOnly, dryRun, strict } = flags.gates
  const isHeld = isSandboxed(programOf(flags.agent)) && (readOnly || dryRun) && !strict
  return {
    report,
    against(event) {
      const { session, agent, turn, message, call = '', name, toolKind, input } = event
      const place = { session, agent, turn, message, call }
      const verdict = broker.against(askFor({ id: call, place, name, toolKind, input }, frame.profile.name, frame.places.cwd))
      if (verdict === undefined || verdict === 'ask') return undefined
      if (verdict.answer.by === 'rule') return { text: 'a rule denies it', ends: true }
      const isGated = readOnly || dryRun || strict
      return isGated && !(isHeld && toolKind === 'execute') ? { text: `the run is ${gateWord(flags.gates)}`, ends: true } : undefined
    },
  }
}

const gateWord = ({ readOnly, dryRun }: AgentFlags['gates']): string =>
  readOnly ? 'read-only (--read-only)' : dryRun ? 'a dry run (--dry-run)' : 'strict (--strict), and the settings do not list that tool'

/** One piece of a text after another tells nothing new of the session. */
function watcherOf({ observe }: Trackers): EventSink {
  let last: Event | undefined
  const isMore = ({ kind, session, run }: Event): boolean =>
    (kind === 'text.delta' || kind === 'tool.delta') && last?.kind === kind && last.session === session && last.run === run
  const push = (event: Event): void => {
    if (!isMore(event)) observe(event)
    last = event
  }
  return {
    push,
    flush() {},
    end() {},
  }
}

/** One session after another, each in its own file. */
function sessionLogs(first: SessionLog, { by }: Unwritten): EventSink & { follow(log: SessionLog): void } {
  const sinkOf = (log: SessionLog): EventSink => logSink(log, by('the session file'))
  let sink = sinkOf(first)
  return {
    push: (event) => sink.push(event),
    flush: () => sink.flush(),
    end() {},
    close: () => sink.close!(),
    follow(next) {
      sink.flush()
      sink.close!()
      sink = sinkOf(next)
    },
  }
}

/** A session that goes on has events in its file already. */
function placeOf(log: SessionLog): LogPlace {
  log.flush()
  return { path: log.path, start: statSync(log.path).size }
}

/** One that was asked for must be there; without the usual one a run can do. */
async function controlOf(id: string, { run }: AgentFlags, log: SessionLog, cwd: string, now: () => number): Promise<Control | undefined> {
  try {
    return await attachControl({ id, env: process.env, log: placeOf(log), socket: run.socket, cwd, now })
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    if (typeof run.socket === 'string' || run.handler === 'control') throw usageError(error.message)
    say(`sluice: the run cannot be reached over a socket: ${error.message}`)
    return undefined
  }
}

async function notifierOf({ run: { command, webhook } }: AgentFlags, emit: (event: Event) => void): Promise<Notifier | undefined> {
  if (command === undefined && webhook === undefined) return undefined
  const { createNotifier, webhookOf, WebhookError } = await import('../run/notify.ts') // rarely needed
  try {
    const address = webhook === undefined ? undefined : webhookOf(webhook, process.env)
    return createNotifier({ command, webhook: address, cwd: process.cwd(), env: process.env, now, emit })
  } catch (error) {
    throw error instanceof WebhookError ? usageError(error.message) : error
  }
}

/** Whoever can write them answers the run's questions, or says that it is over: the agent must not, unasked. */
function steeringFiles(socket: string | undefined, { handler, sentinel }: AgentFlags['run']): string[] {
  return [
    ...(socket === undefined ? [] : [socket, tokenOf(socket)]),
    ...(typeof handler === 'object' ? [requestPath(handler.base), responsePath(handler.base)] : []),
    ...(sentinel === undefined ? [] : [sentinel]),
  ].map((path) => join(realPath(dirname(path)), basename(path)))
}

/** Nobody is there yet, but somebody will come. */
const untilGone = (_question: unknown, signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
