// The run service: the parts of a run put together in the one way that everybody who starts a run shares. The agent, who decides for it,
// who watches it, where its events go, and how it is reached. No command line, no environment, no exit code: they come in or go out as values.
import { rmSync, statSync } from 'node:fs'
import { newId } from '../agents/builtin/id.ts'
import type { Done } from '../agents/contract.ts'
import { createTrackers } from '../analyze/trackers.ts'
import { firstOf } from '../control/answerers.ts'
import { customEvent } from '../control/custom.ts'
import { createFileHandler } from '../control/file-handler.ts'
import { createQuestions, type Questions } from '../control/questions.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Broker } from '../supervise/permission.ts'
import type { Agent } from './agent.ts'
import { type Attempt, startAttempt } from './attempt.ts'
import { type Next, startAttempts } from './attempts.ts'
import type { Answerer, Chooser, EventSink, RunHandle, RunStatus } from './contract.ts'
import { deniedCalls } from './denied.ts'
import { RequestError } from './errors.ts'
import type { Notifier } from './notify.ts'
import { createPipeline } from './pipeline.ts'
import { policiesOf } from './policies.ts'
import { controlOf, steeringFiles, untilGone } from './reach.ts'
import type { RunRequest, SessionWanted } from './request.ts'
import { createRetries } from './retry.ts'
import type { Opened } from './session.ts'
import { placeOf, sessionLogs } from './session-logs.ts'
import { brokerOf, questionCleaner, secretsOf, stagesOf } from './supervisors.ts'
import type { Surroundings } from './surroundings.ts'

export type RunParts = {
  agent: Agent
  session: Opened
  /** Get every event, after the log. */
  sinks?: readonly EventSink[]
  /** Who is asked what no rule decides, besides the control socket and the file handler. */
  answerer?: Answerer | undefined
  chooser?: Chooser | undefined
  /** The session of another attempt. Absent: there is none. */
  another?: (session: SessionWanted) => Promise<Opened>
  /** The log of a session cannot be written any more. */
  onLogFailed?: (error: unknown) => void
}

export type StartedRun = RunHandle & {
  /** The newest. */
  session(): string
  /** Why the agent gave up, if it said so. */
  blockedBy(): string | undefined
}

/** A run that cannot be made leaves no session behind that nobody worked in. What was told of one is kept. */
export async function startRun(request: RunRequest, around: Surroundings, parts: RunParts): Promise<StartedRun> {
  const { how, log } = parts.session
  const sizeNow = (): number | undefined => (log.flush(), statSync(log.path, { throwIfNoEntry: false })?.size)
  const size = sizeNow()
  try {
    return await composed(request, around, parts)
  } catch (error) {
    if (how !== 'resumed' && sizeNow() === size) rmSync(log.path, { force: true })
    log.close()
    throw error
  }
}

async function composed(request: RunRequest, around: Surroundings, parts: RunParts): Promise<StartedRun> {
  const { agent, session: first, sinks = [], answerer, chooser, another, onLogFailed = () => {} } = parts
  const { now, report } = around
  agent.check(first)
  const { cwd } = agent.frame.places
  const { handler } = request
  const id = request.id ?? newId('run')
  const startedAt = now()
  const watch = policiesOf(request, {
    frame: agent.frame,
    prices: around.prices,
    startedAt,
    history: first.history,
    denied: deniedCalls(request, agent, report),
  })
  const secrets = request.redact ? await secretsOf(agent.frame) : undefined
  const logs = sessionLogs(first.log, onLogFailed)
  const notifier = await notifierOf(request, around, (event) => pipeline.emit([event]))
  const known = createKnowledge()
  const control = await controlOf(id, request, { log: placeOf(first.log), questions: known.questions, cwd, startedAt }, around)
  const own = [logs, known, ...(control === undefined ? [] : [control.sink]), ...(notifier === undefined ? [] : [notifier])]
  const pipeline = createPipeline(stagesOf(secrets, request.label), [...own, ...sinks], id)

  const choosers: Chooser[] = [
    ...(control === undefined ? [] : [handler === 'control' ? untilGone : control.chooser]),
    ...(chooser === undefined ? [] : [chooser]),
  ]
  const answerers = [
    ...(control === undefined ? [] : [handler === 'control' ? untilGone : control.answerer]),
    ...(typeof handler === 'object' ? [createFileHandler(handler.base, report, secrets && questionCleaner(secrets))] : []),
    ...(answerer === undefined ? [] : [answerer]),
  ]
  const steering = steeringFiles(control?.path, request)
  const interactive = (): boolean => handler !== undefined || answerer !== undefined || control?.mayAnswer() === true
  let session = first
  let permissions: { session: string; broker: Broker } | undefined

  /** What was allowed "always" holds for the session, in whatever attempt it goes on. */
  function brokerNow(): Broker {
    if (permissions?.session !== session.id)
      permissions = { session: session.id, broker: brokerOf(agent.forSession(session), request, interactive, steering) }
    return permissions.broker
  }

  const begin = (): Attempt =>
    startAttempt({
      start: (host) => agent.start(session, control?.env ?? {}, host),
      broker: brokerNow(),
      answerer: firstOf(answerers),
      chooser: firstOf(choosers),
      guard: watch.guard,
      policies: watch.policies,
      pipeline,
      now,
    })

  const retries =
    another === undefined
      ? undefined
      : createRetries({
          request,
          open: another,
          check: agent.check,
          limit: watch.limit,
          left: watch.left,
          now,
          // Of the run: the session that failed has had its end, and the next has no start yet.
          tell: (kind: Kind, payload: Payload<Kind>) => pipeline.emit([makeEvent(kind, payload, { at: now(), synthetic: 'policy:retry' })]),
        })

  async function next(done: Done, signal: AbortSignal): Promise<Next | undefined> {
    logs.flush() // the session may be read again
    const made = watch.isSpent() ? undefined : await retries?.(session.id, done, signal)
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
    sessions: known.sessions,
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
  const handle = handleOf(id, whole, {
    emit: pipeline.emit,
    place: () => ({ ...known.place(), at: now() }),
    status: () => ({
      run: id,
      pid: process.pid,
      cwd,
      startedAt,
      head: known.head(),
      questions: known.questions.all(),
      sessions: known.sessions(),
    }),
  })
  return { ...handle, done: end(), session: () => session.id, blockedBy: watch.blockedBy }
}

/** Events of a caller's own are records of nobody's stream: they are numbered by themselves. */
function handleOf(id: string, run: Attempt, parts: HandleParts): Omit<RunHandle, 'done'> {
  let events = 0
  const taken = (isTaken: boolean, question: string): Promise<void> =>
    isTaken ? Promise.resolve() : Promise.reject(new RequestError(`the question ${JSON.stringify(question)} is not open`))
  return {
    id,
    async send(command) {
      run.send(command)
    },
    answer: (question, reply) => taken(run.answer(question, reply), question),
    choose: (question, chosen) => taken(run.choose(question, chosen), question),
    async emit(event) {
      parts.emit([customEvent(event, { from: 'host', record: ++events, place: parts.place() })])
    },
    async stop({ force = false, text = 'stopped by its host', signal } = {}) {
      if (force) run.force(text, signal)
      else run.send({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled', text, ...(signal !== undefined && { signal }) })
    },
    status: async () => parts.status(),
  }
}

type HandleParts = { emit(events: readonly Event[]): void; place(): Place; status(): RunStatus }

/** What is known of the run by now, for whoever asks. A delta after another tells nothing new of the session. */
function createKnowledge(): Knowledge {
  const { observe, snapshots } = createTrackers({ late: true })
  const questions = createQuestions()
  let last: Event | undefined
  let head = 0
  const isMore = ({ kind, session, run }: Event): boolean =>
    (kind === 'text.delta' || kind === 'tool.delta') && last?.kind === kind && last.session === session && last.run === run
  return {
    questions,
    sessions: snapshots,
    head: () => head,
    place: () => ({ session: last?.session, turn: last?.turn }),
    push(event) {
      head = event.seq
      if (!isMore(event)) observe(event)
      questions.observe(event)
      last = event
    },
    flush() {},
    end() {},
  }
}

type Knowledge = EventSink & { questions: Questions; sessions(): readonly unknown[]; head(): number; place(): Place }

async function notifierOf(
  { command, webhook }: RunRequest,
  around: Surroundings,
  emit: (event: Event) => void,
): Promise<Notifier | undefined> {
  if (command === undefined && webhook === undefined) return undefined
  const { createNotifier, webhookOf, WebhookError } = await import('./notify.ts') // rarely needed
  const { env, now } = around
  try {
    const address = webhook === undefined ? undefined : webhookOf(webhook, env)
    return createNotifier({ command, webhook: address, cwd: around.cwd, env, now, emit })
  } catch (error) {
    throw error instanceof WebhookError ? new RequestError(error.message, { cause: error }) : error
  }
}
