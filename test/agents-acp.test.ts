// Agents over the Agent Client Protocol, and opencode by its server, under a whole run: the broker decides, questions and answers are told
// once, and the stream is legal in every dialect.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AgentRequest } from '../src/agents/driver.ts'
import { driverFor } from '../src/agents/registry.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import { loadDialect, writableNames } from '../src/cli/dialects.ts'
import { isWritable } from '../src/dialects/contract.ts'
import type { Event, EventOf, Kind } from '../src/model/event.ts'
import { createPipeline } from '../src/run/pipeline.ts'
import { type Answerer, type Run, startRun } from '../src/run/run.ts'
import { dialectSink } from '../src/run/sinks.ts'
import { createValidator } from '../src/stream/validate.ts'
import { createBroker } from '../src/supervise/permission.ts'
import { combine } from '../src/supervise/policy.ts'
import { defaultRules, parseRule } from '../src/supervise/rules.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))

type Play = {
  agent: string
  variables?: Record<string, string>
  file?: string
  rules?: string[]
  answerer?: Answerer
  prompts?: string[]
  mode?: string
}

async function play({ agent, variables = {}, file, rules = [], answerer, prompts = ['Do the task'], mode }: Play) {
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
  const driverOf = await driverFor(agent)!
  const request: AgentRequest = {
    session: randomUUID(),
    how: 'new',
    profile: 'default',
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] },
    variables,
    stream: true,
    ...(file !== undefined && { file: fixture(file) }),
    ...(mode !== undefined && { mode }),
  }
  const all = [...defaultRules, ...rules.map(parseRule)]
  const watcher = { push: (event: Event) => void events.push(event), flush() {}, end() {} }
  const run: Run = startRun({
    start: (host) => startSpawned(driverOf(request), request, host),
    broker: createBroker({
      rulesFor: () => all,
      scene: { root: '/', home: '/home/other', realPath: (path) => path },
      interactive: () => answerer !== undefined,
    }),
    answerer,
    chooser: undefined,
    guard: combine({}),
    policies: combine({}),
    pipeline: createPipeline([], [watcher, ...sinks], 'run_1'),
    now: Date.now,
  })
  for (const text of prompts) run.send({ type: 'prompt', text })
  run.send({ type: 'finish' })
  const done = await run.done
  for (const [name, lines] of streams) await legal(name, lines)
  assert.equal(events.filter(({ kind }) => kind === 'session.end').length, 1)
  assert.equal(events.at(-1)!.kind, 'session.end')
  const told = <K extends Kind>(kind: K): EventOf<K>[] => events.filter((event): event is EventOf<K> => event.kind === kind)
  return { done, told }
}

async function legal(name: string, lines: readonly string[]): Promise<void> {
  const findings: string[] = []
  const validator = createValidator(await loadDialect(name, '--from'), ({ severity, text }) => severity === 'error' && findings.push(text))
  for (const line of lines) validator.push(Buffer.from(`${line}\n`))
  validator.end()
  assert.deepEqual([name, findings], [name, []])
}

const small = `acp:${fixture('agents/acp.mjs')}`
const recorded = (recording: string): Pick<Play, 'agent' | 'variables'> => ({
  agent: `acp:${fixture('agents/acp-recording.mjs')}`,
  variables: { FIXTURE_RECORDING: fixture(`acp/${recording}.traffic.ndjson`) },
})
const served = (recording: string): Pick<Play, 'agent' | 'variables' | 'file'> => ({
  agent: 'opencode',
  file: 'agents/opencode.mjs',
  variables: { FIXTURE_RECORDING: fixture(`opencode/1.18.33/serve/${recording}.sse.ndjson`) },
})

test('a rule answers, and nobody is asked', async () => {
  for (const one of [recorded('gemini/c-bash-allow'), recorded('claude/c-bash-allow'), served('c-bash-allow')]) {
    const { done, told } = await play({ ...one, rules: ['bash=allow'] })
    assert.equal(done.reason, 'end_turn', done.error?.text)
    assert.equal(told('permission.request').length, 0)
    assert.deepEqual(
      told('permission.answer').map(({ decision, by, permission }) => [decision, by, permission]),
      [['allow', 'rule', 'bash']],
    )
  }
})

test('a person answers: one request, one answer, with the same id', async () => {
  for (const one of [recorded('gemini/e-write-allow'), recorded('opencode/e-write-allow'), served('e-write-allow')]) {
    const { done, told } = await play({ ...one, answerer: () => Promise.resolve({ option: 'allow_once', by: 'terminal' }) })
    assert.equal(done.reason, 'end_turn')
    const [request] = told('permission.request')
    const [answer] = told('permission.answer')
    assert.deepEqual([answer!.id, answer!.by], [request!.id, 'terminal'])
    assert.equal(told('permission.request').length + told('permission.answer').length, 2)
  }
})

test('nobody can be asked: the call is refused, and told so', async () => {
  const { done, told } = await play({ agent: small, prompts: ['ask rm -r x'] })
  assert.equal(done.reason, 'end_turn')
  assert.deepEqual([told('permission.answer')[0]!.decision, told('permission.answer')[0]!.by], ['reject', 'headless'])
  assert.equal(told('tool.end')[0]!.status, 'denied')
})

for (const [name, one, reason] of [
  ['gemini text', recorded('gemini/a-text'), 'end_turn'],
  ['gemini plan', recorded('gemini/q-plan'), 'end_turn'],
  ['claude subagent', { ...recorded('claude/g-subagent'), rules: ['*=allow'] }, 'end_turn'],
  ['codex text', { ...recorded('codex/a-text'), mode: 'read-only' }, 'end_turn'],
  ['opencode over the protocol', recorded('opencode/b-read'), 'end_turn'],
  ['gemini 401', recorded('gemini/h-401'), 'error'],
  ['opencode 401', served('h-401'), 'error'],
  ['opencode retry', served('h-429-then-ok'), 'end_turn'],
  ['opencode subagent', served('g-subagent'), 'end_turn'],
  ['no login', { agent: small, variables: { FIXTURE_AUTH: '1' } }, 'error'],
  ['a failed turn', { agent: small, prompts: ['say half\nfail 500 broken'] }, 'error'],
  ['a dead agent', { agent: small, prompts: ['tool ls\ndie 4'] }, 'error'],
  ['copilot as text', { agent: 'copilot', file: 'agents/acp.mjs', prompts: ['say Error: no (HTTP 401)'] }, 'error'],
] as const satisfies readonly (readonly [string, Play, string])[]) {
  test(`the end says what happened: ${name} is ${reason}`, async () => {
    const { done } = await play(one as Play)
    assert.equal(done.reason, reason, done.error?.text)
  })
}
