// An agent's driver under a whole run: rules decide, and the stream is written in every dialect and checked there.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Done, Host, Running } from '../src/agents/contract.ts'
import type { AgentRequest, Driver } from '../src/agents/driver.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import { loadDialect, writableNames } from '../src/cli/dialects.ts'
import { isWritable } from '../src/dialects/contract.ts'
import type { Event, EventOf, Kind } from '../src/model/event.ts'
import { createPipeline } from '../src/run/pipeline.ts'
import { type Attempt, startAttempt } from '../src/run/attempt.ts'
import type { Answerer, Chooser } from '../src/run/contract.ts'
import { dialectSink } from '../src/run/sinks.ts'
import { createValidator } from '../src/stream/validate.ts'
import { createBroker } from '../src/supervise/permission.ts'
import { combine, type Policy } from '../src/supervise/policy.ts'
import { defaultRules, parseRule } from '../src/supervise/rules.ts'

export const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))

export type Played = {
  prompts?: readonly string[]
  rules?: readonly string[]
  /** Of the project, for the rules. */
  root?: string
  answerer?: Answerer | undefined
  chooser?: Chooser | undefined
  act?: ((run: Attempt, event: Event) => void) | undefined
  policies?: Readonly<Record<string, Policy>>
}

export type Told = {
  done: Done
  events: Event[]
  told<K extends Kind>(kind: K): EventOf<K>[]
  /** What was written in each dialect. */
  streams: ReadonlyMap<string, readonly string[]>
}

export type Replayed = Played & { exit?: number; dies?: boolean }

/** The fixture program `program` says what stands in `recording`. */
export async function playRecording(
  driverOf: (request: AgentRequest) => Driver,
  program: string,
  recording: string,
  { exit = 0, dies = false, ...played }: Replayed = {},
): Promise<Told & { session: string }> {
  const session = randomUUID()
  const request: AgentRequest = {
    session,
    how: 'new',
    profile: 'default',
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] },
    variables: { FIXTURE_RECORDING: fixture(recording), FIXTURE_EXIT: String(exit), ...(dies && { FIXTURE_DIES: '1' }) },
    file: fixture(program),
    stream: true,
  }
  return { ...(await playRun((host) => startSpawned(driverOf(request), request, host), played)), session }
}

export async function playRun(start: (host: Host) => Running, played: Played = {}): Promise<Told> {
  const { prompts = ['Do the task'], rules = [], root = '/home/dev', answerer, chooser, act, policies = {} } = played
  const events: Event[] = []
  const streams = new Map<string, string[]>()
  const sinks = await Promise.all(
    writableNames.map(async (name) => {
      const dialect = await loadDialect(name, '--format')
      assert.ok(isWritable(dialect))
      const lines: string[] = []
      streams.set(name, lines)
      return dialectSink(dialect, { line: (text) => void lines.push(text), flush() {} }, (error) => assert.fail(String(error)))
    }),
  )
  const watcher = { push: (event: Event) => (events.push(event), act?.(run, event)), flush() {}, end() {} }
  const all = [...defaultRules, ...rules.map(parseRule)]
  const pipeline = createPipeline([], [watcher, ...sinks], 'run_1')
  const run: Attempt = startAttempt({
    start,
    broker: createBroker({
      rulesFor: () => all,
      scene: { root, home: '/home/other', realPath: (path) => path },
      interactive: () => answerer !== undefined,
    }),
    answerer,
    chooser,
    guard: combine({}),
    policies: combine(policies),
    pipeline,
    now: Date.now,
  })
  for (const text of prompts) run.send({ type: 'prompt', text })
  run.send({ type: 'finish' })
  const done = await run.done
  pipeline.end()
  for (const [name, lines] of streams) await legal(name, lines)
  assert.equal(events.filter(({ kind }) => kind === 'session.end').length, 1)
  assert.equal(events.at(-1)!.kind, 'session.end')
  const told = <K extends Kind>(kind: K): EventOf<K>[] => events.filter((event): event is EventOf<K> => event.kind === kind)
  return { done, events, told, streams }
}

async function legal(name: string, lines: readonly string[]): Promise<void> {
  const findings: string[] = []
  const validator = createValidator(await loadDialect(name, '--from'), ({ severity, text }) => severity === 'error' && findings.push(text))
  validator.push(Buffer.from(lines.map((line) => `${line}\n`).join('')))
  validator.end()
  assert.deepEqual([name, findings], [name, []])
}
