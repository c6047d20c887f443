// The agent of a run: our own, another program that is driven, or a recording that is told again.
import { createReadStream, statSync } from 'node:fs'
import { wordsOf } from '../agents/acp/command.ts'
import { startBuiltin } from '../agents/builtin/agent.ts'
import { ModelChoiceError } from '../agents/builtin/model/choose.ts'
import type { Host, Running } from '../agents/contract.ts'
import { kinds } from '../agents/find.ts'
import { guardOf, unenforced } from '../agents/guard.ts'
import { withKnown } from '../agents/known.ts'
import { driverFor } from '../agents/registry.ts'
import { startSpawned } from '../agents/spawned.ts'
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { SettingsError } from '../config/read.ts'
import type { Event, EventOf } from '../model/event.ts'
import { forSession, prepareBuiltin, type Prepared } from '../run/builtin.ts'
import { type Frame, prepareFrame } from '../run/frame.ts'
import { builtInScripts } from '../script/demo.ts'
import { now } from './clock.ts'
import { isGzipAt, unzipped } from './gzip.ts'
import { CommandError, say, usageError } from './exit.ts'
import { programOf } from './run-fit.ts'
import type { AgentFlags } from './run-options.ts'
import type { Opened } from './run-session.ts'
import { loadPrices } from './usage-prices.ts'
import { version } from './version.ts'

type Variables = Readonly<Record<string, string>>

/** In a frame for one session: where its outputs are differs. `variables`: for the agent and what it runs. */
export type Agent = {
  frame: Frame
  /** Throws a CommandError when it cannot go on with this session, since another agent made it. */
  check(session: Opened): void
  forSession(session: Opened): Frame
  start(session: Opened, variables: Variables, host: Host): Running
}

export async function agentOf(flags: AgentFlags, dataFolder: string): Promise<Agent> {
  const { agent } = flags
  if (agent === 'builtin') return builtinAgent(await prepare(flags, dataFolder))
  if (agent.startsWith('replay:')) return replayAgent(flags, agent.slice('replay:'.length))
  return spawnedAgent(flags)
}

/** Of the built-in agent. */
export async function prepare(flags: AgentFlags, dataFolder: string): Promise<Prepared> {
  const prices = await loadPrices()
  return told(prepareBuiltin({ ...flags, env: process.env, dataFolder, version, scripts: builtInScripts, prices, now }))
}

export function builtinAgent(prepared: Prepared): Agent {
  const within = ({ id, forkedFrom }: Opened): Prepared => forSession(prepared, id, forkedFrom)
  return {
    frame: prepared,
    check({ id, history, forkedFrom = id }) {
      const { program = nativeIn(history) === undefined ? 'sluice' : 'another agent' } = startIn(history) ?? {}
      if (program !== 'sluice') throw usageError(`the session ${forkedFrom} is one of ${program}; go on with it by --agent`)
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

/** On stderr: few formats can say them, and what does not count has to be known. */
export function tellNotices({ notices }: Frame): void {
  for (const { text } of notices) say(`sluice: ${text}`)
}

async function spawnedAgent(flags: AgentFlags): Promise<Agent> {
  const driverOf = await driverFor(flags.agent)
  if (driverOf === undefined) throw usageError(unknownAgent(flags.agent))
  checkCommand(flags.agent)
  const frame = await frameOf(flags)
  const { profile, settings, places } = frame
  tellNotices(frame)
  const rules = frame.rulesFor(profile.name)
  const know = withKnown({ rules, profile: profile.name, model: flags.model, prices: await loadPrices() }, Date.now)
  const guard = guardOf(flags.gates, rules)
  // Of rules on the command line this is wrong usage; see run-fit.ts.
  const why = guard === undefined ? undefined : unenforced(programOf(flags.agent), flags.mode, false)
  if (why !== undefined) say(`sluice: the deny rules of the settings cannot be enforced with the agent ${quoted(flags.agent, 200)}: ${why}`)
  return {
    frame,
    check({ id, how, history, forkedFrom = id }) {
      if (how !== 'new' && nativeIn(history) === undefined)
        throw usageError(
          `the session ${forkedFrom} is not one that ${flags.agent} can go on with; it was made by ${startIn(history)?.program ?? 'another agent'}`,
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
        env: process.env,
        passed: settings.env,
        variables,
        stream: flags.stream,
        ...(forkedFrom !== undefined && { forkedFrom }),
        ...(native !== undefined && { native }),
        ...(flags.model !== undefined && { model: flags.model }),
        ...(flags.mode !== undefined && { mode: flags.mode }),
        ...(guard !== undefined && { guard }),
        ...(flags.headless && { headless: true }),
      })
      const turns = history.reduce((most, { turn = 0 }) => Math.max(most, turn), 0)
      const about = { session: id, how, turns, profile: profile.name, ...(forkedFrom !== undefined && { forkedFrom }) }
      return startSpawned(driver, about, { ...host, emit: (events) => host.emit(events.map(know)) })
    },
  }
}

async function replayAgent(flags: AgentFlags, file: string): Promise<Agent> {
  const [{ startReplay }, { dialectOf }] = await Promise.all([import('../agents/replay/agent.ts'), import('./dialect-of.ts')]) // rarely needed
  mustBeRecording(file)
  const advice = '; name a file whose dialect sluice detect can tell'
  const dialect = await dialectOf(file, advice).catch((error: unknown) => Promise.reject(unreplayable(file, error)))
  const frame = await frameOf(flags)
  return {
    frame,
    check() {},
    forSession: () => frame,
    start: ({ id }, _variables, host) => startReplay({ session: id, dialect, read: () => replayed(file), speed: flags.replaySpeed }, host),
  }
}

function replayed(file: string): AsyncIterable<Uint8Array> {
  const stream = createReadStream(file)
  return isGzipAt(file) ? unzipped(stream, quoted(file, 500)) : stream
}

const startIn = (history: readonly Event[]): EventOf<'session.start'> | undefined =>
  history.findLast((event) => event.kind === 'session.start')

/** The agent's own id: an attempt to go on that failed has none, and takes none away. */
const nativeIn = (history: readonly Event[]): string | undefined =>
  startIn(history.filter((event) => event.kind === 'session.start' && event.native !== undefined))?.native

const frameOf = (flags: AgentFlags): Promise<Frame> => told(prepareFrame({ ...flags, env: process.env }))

/** What is wrong with the settings is said as what is wrong with the command line. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ModelChoiceError || error instanceof SettingsError) throw usageError(error.message)
    throw error
  }
}

function checkCommand(agent: string): void {
  const command = /^acp:(.*)$/s.exec(agent)?.[1]
  const wrong = command === undefined ? undefined : wordsOf(command)
  if (typeof wrong === 'string') throw usageError(`--agent ${quoted(agent, 500)}: ${wrong}; say acp:COMMAND`)
}

/** Read once for its dialect and once to be told: of a pipe, what was read first would be lost. */
function mustBeRecording(file: string): void {
  if (file === '') throw usageError('--agent replay: names no file; say replay:FILE')
  if (file === '-' || statSync(file, { throwIfNoEntry: false })?.isFIFO() === true)
    throw usageError(`--agent ${quoted(`replay:${file}`, 500)} is a pipe, and a recording is read twice; name a file`)
}

const unreplayable = (file: string, error: unknown): unknown =>
  error instanceof CommandError
    ? new CommandError(`--agent ${quoted(`replay:${file}`, 500)}: ${error.message}`, error.exitCode, { cause: error })
    : error

function unknownAgent(name: string): string {
  const names = kinds.map((kind) => kind.name)
  const near = nearest(name, names)
  return `--agent ${quoted(name)} is not known${near === undefined ? '' : `; did you mean ${near}?`} (see sluice agents)`
}
