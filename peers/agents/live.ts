// One run of sluice with a real agent, from the outside: its model, its home, its control socket, and what it leaves behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, linkProgram } from './agents.ts'
import { lanes, type Scenario } from './scenarios.ts'

type Rec = Record<string, unknown>
type Child = ReturnType<typeof spawn>

/** What a scenario can do while the agent runs. */
export type Live = {
  /** The first event that fits, of all that were and will be told. */
  event(fits: (event: Rec) => boolean): Promise<Rec>
  /** `sluice control`, with the run's own socket. */
  control(...words: string[]): Promise<void>
  /** Until the agent has made it. */
  file(name: string): Promise<void>
  /** To sluice alone. */
  kill(signal: NodeJS.Signals): void
  /** To all processes of the agent itself, but not to the commands that it runs; as somebody else on this machine might do. */
  killAgent(signal: NodeJS.Signals): void
}

/** What there is when all is over: files in which the events are, in three dialects. */
export type Ran = {
  exit: number | null
  log: string
  avenor: string
  claude: string
  stderr: string
  made: boolean
  /** What the model was asked in this run. */
  requests: readonly Rec[]
  /** Processes that outlived the run, by their command lines. */
  left: readonly string[]
  /** What went wrong with the scenario itself. */
  trouble?: string
}

/** `folder`: where the agents are installed. */
export type Bench = { sluice: string; limitMs: number; folder: string }

const bare = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }

export async function runOnce({ sluice, limitMs, folder }: Bench, agent: Agent, scenario: Scenario, flags: readonly string[]) {
  const top = mkdtempSync(join(tmpdir(), 'sluice-agents-'))
  const [home, cwd, keep] = [join(top, 'home'), join(top, 'project'), join(top, 'kept')]
  for (const folder of [join(home, 'tmp'), join(cwd, '.git'), keep]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(cwd, 'notes.txt'), 'alpha\nbeta\ngamma\n')
  writeFileSync(join(keep, 'script.json'), JSON.stringify({ lanes: lanes(agent.words), turns: scenario.turns(agent.words) }))
  const model = await serve(sluice, keep)
  const socket = join(keep, 'control.sock')
  const files = { log: join(keep, 'run.sluice.ndjson'), avenor: join(keep, 'run.avenor.ndjson'), claude: join(keep, 'run.claude.ndjson') }
  const outputs = ['--format', 'claude', '--on-event', files.avenor, '--on-event', `sluice:${files.log}`, '--control-socket', socket]
  const env = { ...agent.setUp({ home, url: model.url }), HOME: home, TMPDIR: join(home, 'tmp') }
  const started = { env: { ...env, PATH: `${linkProgram(agent, home, folder)}:${bare.PATH}` }, cwd }
  const words = ['run', '--agent', agent.agent, '--dir', cwd, ...flags]
  if (scenario.before !== undefined) await runBefore(sluice, [...words, scenario.before], started)
  const before = requestsIn(keep).length
  const past = scenario.before === undefined ? [] : ['--continue']
  const run = spawn(sluice, [...words, 'Do the task', ...past, ...outputs], { ...started, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(run, 'exit') as Promise<[number | null]>
  const [said, told] = [textOf(run.stderr), textOf(run.stdout)]
  const limits = [setTimeout(() => run.kill('SIGTERM'), limitMs), setTimeout(() => run.kill('SIGKILL'), limitMs + 10_000)]
  const watcher = watch(sluice, socket, keep, run)
  const live: Live = {
    event: watcher.event,
    control: (...words) => control(sluice, socket, keep, words),
    file: (name) => until(() => existsSync(join(cwd, name)), run, `the agent did not make ${name}`),
    kill(signal) {
      if (!processesOf(home).some(({ isMarked }) => isMarked))
        throw new Error('no process of the agent carries its mark, so none can be missed later')
      run.kill(signal)
    },
    killAgent(signal) {
      const own = processesOf(home).filter(({ isMarked, command }) => isMarked && !/\bsleep\b|echo-server|AGENT_RUN_MARK/.test(command))
      if (own.length === 0) throw new Error('no process of the agent was found')
      for (const { pid } of own) killIfThere(pid, signal) // the first may take the others with it
    },
  }
  const trouble = await scenario.act?.(live).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const [exit] = await ended
  for (const limit of limits) clearTimeout(limit)
  writeFileSync(files.claude, await told)
  await watcher.close()
  await model.close()
  const ran: Ran = {
    ...files,
    exit,
    stderr: await said,
    made: existsSync(join(cwd, 'made.txt')),
    requests: requestsIn(keep).slice(before),
    left: await leftIn(home),
    ...(trouble !== undefined && { trouble }),
  }
  return { ran, folder: top, forget: () => rmSync(top, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The run that is gone on with. Gemini knows a session by the minute in which it began. */
async function runBefore(sluice: string, words: readonly string[], options: { env: Record<string, string>; cwd: string }): Promise<void> {
  const run = spawn(sluice, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code]] = await Promise.all([textOf(run.stderr), once(run, 'exit') as Promise<[number | null]>])
  if (code !== 0) throw new Error(`the run before ended with code ${code}: ${said.trim()}`)
}

/** All that the scripted model was asked so far. */
function requestsIn(folder: string): Rec[] {
  const file = join(folder, 'requests.ndjson')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Rec)
}

/** The scripted model, until it is closed. */
async function serve(sluice: string, folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const words = ['model', 'serve', join(folder, 'script.json'), '--json', '--log', join(folder, 'requests.ndjson')]
  const server = spawn(sluice, words, { env: { ...bare, HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    once(server, 'exit').then(([code]) => Promise.reject(new Error(`sluice model serve ended with code ${code}`))),
  ])) as [string]
  return {
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(line)![0],
    async close() {
      const gone = once(server, 'exit')
      server.kill()
      await gone
    },
  }
}

/** Reads the events of a run from its socket, as anybody may. */
function watch(sluice: string, socket: string, home: string, run: Child) {
  const events: Rec[] = []
  const tail = until(() => existsSync(socket), run, 'there is no control socket').then(
    () => {
      const words = ['control', '--control-socket', socket, 'tail', '--after', '0']
      const reader = spawn(sluice, words, { env: { ...bare, HOME: home }, stdio: ['ignore', 'pipe', 'ignore'] })
      createInterface({ input: reader.stdout }).on('line', (line) => events.push(JSON.parse(line) as Rec))
      return reader
    },
    () => undefined,
  )
  return {
    async event(fits: (event: Rec) => boolean): Promise<Rec> {
      await until(() => events.some(fits), run, 'what the scenario waits for was not told')
      return events.find(fits)!
    },
    async close(): Promise<void> {
      const reader = await tail
      if (reader === undefined || reader.exitCode !== null) return
      const gone = once(reader, 'exit')
      reader.kill()
      await gone
    },
  }
}

async function control(sluice: string, socket: string, home: string, words: readonly string[]): Promise<void> {
  const child = spawn(sluice, ['control', '--control-socket', socket, ...words], {
    env: { ...bare, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`sluice control ${words[0]}: ${said.trim()}`)
}

async function until(isSo: () => boolean, run: Child, otherwise: string): Promise<void> {
  while (!isSo()) {
    if (run.exitCode !== null || run.signalCode !== null) throw new Error(`${otherwise}, and the run is over`)
    await sleep(20)
  }
}

// ── what is left ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

type Living = { pid: number; command: string; isMarked: boolean }

/** All that was started in this home says so in its environment, whether it carries the mark of the run or not. */
function processesOf(home: string): Living[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const environment = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/environ`, 'utf8').split('\0') : []
      if (!environment.includes(`HOME=${home}`)) return []
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 120)
      return [{ pid: Number(name), command, isMarked: environment.some((entry) => entry.startsWith('AGENT_RUN_MARK=')) }]
    } catch {
      return [] // it has just ended, or is none of ours
    }
  })
}

/** What outlives the run, and does so no longer. After a kill the end takes its time: TERM, a while, KILL. */
async function leftIn(home: string): Promise<readonly string[]> {
  for (let tries = 0; tries < 100 && processesOf(home).length > 0; tries++) await sleep(50)
  return processesOf(home).map(({ pid, command }) => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // just now it went by itself
    }
    return command
  })
}
