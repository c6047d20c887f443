// The agent of a run: our own, another program that is driven, or a recording that is told again.
import { statSync } from 'node:fs'
import { wordsOf } from '../agents/acp/command.ts'
import { startBuiltin } from '../agents/builtin/agent.ts'
import { ModelChoiceError } from '../agents/builtin/model/choose.ts'
import type { Host, Running } from '../agents/contract.ts'
import { kinds } from '../agents/find.ts'
import { guardOf, unenforced } from '../agents/guard.ts'
import { withKnown } from '../agents/known.ts'
import { programOf } from '../agents/program.ts'
import { driverFor } from '../agents/registry.ts'
import { startSpawned } from '../agents/spawned.ts'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { SettingsError } from '../config/read.ts'
import type { Event, EventOf } from '../model/event.ts'
import { builtInScripts } from '../script/demo.ts'
import { forSession, prepareBuiltin, type Prepared } from './builtin.ts'
import { RequestError } from './errors.ts'
import { type Frame, prepareFrame } from './frame.ts'
import type { RunRequest } from './request.ts'
import type { Opened } from './session.ts'
import type { Surroundings } from './surroundings.ts'

type Variables = Readonly<Record<string, string>>

/** In a frame for one session: where its outputs are differs. `variables`: for the agent and what it runs. */
export type Agent = {
  frame: Frame
  /** Throws a RequestError when it cannot go on with this session, since another agent made it. */
  check(session: Opened): void
  forSession(session: Opened): Frame
  start(session: Opened, variables: Variables, host: Host): Running
}

/** Rejects with a RequestError. */
export async function agentOf(request: RunRequest, around: Surroundings): Promise<Agent> {
  const { agent } = request
  if (agent === 'builtin') return builtinAgent(await prepare(request, around))
  if (agent.startsWith('replay:')) return replayAgent(request, around, agent.slice('replay:'.length))
  return spawnedAgent(request, around)
}

/** Of the built-in agent. */
export const prepare = (request: RunRequest, around: Surroundings): Promise<Prepared> =>
  asRequestError(prepareBuiltin({ ...around, ...request, scripts: builtInScripts }))

export function builtinAgent(prepared: Prepared): Agent {
  const within = ({ id, forkedFrom }: Opened): Prepared => forSession(prepared, id, forkedFrom)
  return {
    frame: prepared,
    check({ id, history, forkedFrom = id }) {
      const { program = nativeIn(history) === undefined ? 'sluice' : 'another agent' } = startIn(history) ?? {}
      if (program !== 'sluice') throw new RequestError(`the session ${forkedFrom} is one of ${program}; go on with it by --agent`)
    },
    forSession: within,
    start(session, variables, host) {
      const { request } = within(session)
      const { id, how, history, forkedFrom } = session
      const context = { ...request.context, env: { ...request.context.env, ...variables } }
      const fork = forkedFrom === undefined ? {} : { forkedFrom }
      return startBuiltin({ ...request, context, session: id, how, history, ...fork }, host)
    },
  }
}

/** For people: few formats can say them, and what does not count has to be known. */
export function reportNotices({ notices }: Frame, report: (line: string) => void): void {
  for (const { text } of notices) report(text)
}

async function spawnedAgent(request: RunRequest, around: Surroundings): Promise<Agent> {
  const driverOf = await driverFor(request.agent)
  if (driverOf === undefined) throw new RequestError(unknownAgent(request.agent))
  checkCommand(request.agent)
  const frame = await frameOf(request, around)
  const { profile, settings, places } = frame
  reportNotices(frame, around.report)
  const rules = frame.rulesFor(profile.name)
  const know = withKnown({ rules, profile: profile.name, model: request.model, prices: around.prices }, Date.now)
  const guard = guardOf(request.gates, rules)
  // Of rules on the command line this is wrong usage; see run-fit.ts.
  const why = guard === undefined ? undefined : unenforced(programOf(request.agent), request.mode, false)
  if (why !== undefined)
    around.report(`the deny rules of the settings cannot be enforced with the agent ${quoted(request.agent, 200)}: ${why}`)
  return {
    frame,
    check({ id, how, history, forkedFrom = id }) {
      if (how !== 'new' && nativeIn(history) === undefined)
        throw new RequestError(
          `the session ${forkedFrom} is not one that ${request.agent} can go on with; it was made by ${startIn(history)?.program ?? 'another agent'}`,
        )
    },
    forSession: () => frame,
    start({ id, how, forkedFrom, history }, variables, host) {
      const native = nativeIn(history)
      const driver = driverOf({
        session: id,
        how,
        profile: profile.name,
        cwd: places.cwd,
        env: around.env,
        passed: settings.env,
        variables,
        stream: request.stream,
        ...(forkedFrom !== undefined && { forkedFrom }),
        ...(native !== undefined && { native }),
        ...(request.model !== undefined && { model: request.model }),
        ...(request.mode !== undefined && { mode: request.mode }),
        ...(guard !== undefined && { guard }),
        ...(request.headless && { headless: true }),
      })
      const turns = history.reduce((most, { turn = 0 }) => Math.max(most, turn), 0)
      const about = { session: id, how, turns, profile: profile.name, ...(forkedFrom !== undefined && { forkedFrom }) }
      return startSpawned(driver, about, { ...host, emit: (events) => host.emit(events.map(know)) })
    },
  }
}

async function replayAgent(request: RunRequest, around: Surroundings, file: string): Promise<Agent> {
  const { startReplay } = await import('../agents/replay/agent.ts') // rarely needed
  mustBeRecording(file)
  const { dialect, read } = await around.openRecording(file).catch((error: unknown) => Promise.reject(unreplayable(file, error)))
  const frame = await frameOf(request, around)
  return {
    frame,
    check() {},
    forSession: () => frame,
    start: ({ id }, _variables, host) => startReplay({ session: id, dialect, read, speed: request.replaySpeed }, host),
  }
}

const startIn = (history: readonly Event[]): EventOf<'session.start'> | undefined =>
  history.findLast((event) => event.kind === 'session.start')

/** The agent's own id: an attempt to go on that failed has none, and takes none away. */
const nativeIn = (history: readonly Event[]): string | undefined =>
  startIn(history.filter((event) => event.kind === 'session.start' && event.native !== undefined))?.native

const frameOf = (request: RunRequest, { env }: Surroundings): Promise<Frame> => asRequestError(prepareFrame({ ...request, env }))

/** What is wrong with the settings is wrong with the request. */
async function asRequestError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ModelChoiceError || error instanceof SettingsError) throw new RequestError(error.message, { cause: error })
    throw error
  }
}

function checkCommand(agent: string): void {
  const command = /^acp:(.*)$/s.exec(agent)?.[1]
  const wrong = command === undefined ? undefined : wordsOf(command)
  if (typeof wrong === 'string') throw new RequestError(`--agent ${quoted(agent, 500)}: ${wrong}; say acp:COMMAND`)
}

/** Read once for its dialect and once to be told: of a pipe, what was read first would be lost. */
function mustBeRecording(file: string): void {
  if (file === '') throw new RequestError('--agent replay: names no file; say replay:FILE')
  if (file === '-' || statSync(file, { throwIfNoEntry: false })?.isFIFO() === true)
    throw new RequestError(`--agent ${quoted(`replay:${file}`, 500)} is a pipe, and a recording is read twice; name a file`)
}

const unreplayable = (file: string, error: unknown): Error =>
  new RequestError(`--agent ${quoted(`replay:${file}`, 500)}: ${(error as Error).message}`, { cause: error })

function unknownAgent(name: string): string {
  const names = kinds.map((kind) => kind.name)
  const near = nearest(name, names)
  return `--agent ${quoted(name)} is not known${near === undefined ? '' : `; did you mean ${near}?`} (see sluice agents)`
}
