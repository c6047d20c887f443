// Codex's driver under a whole run: the broker decides, questions and answers are told once, and the stream is legal in every dialect.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import test from 'node:test'
import { startCodex } from '../src/agents/codex/agent.ts'
import { loadDialect, writableNames } from '../src/cli/dialects.ts'
import { isWritable } from '../src/dialects/contract.ts'
import type { Event } from '../src/model/event.ts'
import { createPipeline } from '../src/run/pipeline.ts'
import { type Answerer, type Chooser, type Run, startRun } from '../src/run/run.ts'
import { dialectSink } from '../src/run/sinks.ts'
import { createValidator } from '../src/stream/validate.ts'
import { createBroker } from '../src/supervise/permission.ts'
import { combine } from '../src/supervise/policy.ts'
import { defaultRules, parseRule } from '../src/supervise/rules.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))

type Play = { exit?: number; dies?: boolean; rules?: string[]; answerer?: Answerer; chooser?: Chooser; act?(run: Run, event: Event): void }

async function play(recording: string, { exit = 0, dies = false, rules = [], answerer, chooser, act }: Play = {}) {
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
  const session = randomUUID()
  const pipeline = createPipeline([], [watcher, ...sinks], 'run_1')
  const run: Run = startRun({
    start: (host) =>
      startCodex(
        {
          session,
          how: 'new',
          profile: 'default',
          cwd: process.cwd(),
          env: { PATH: process.env['PATH'] },
          variables: {
            FIXTURE_RECORDING: fixture(`${recording}.traffic.ndjson`),
            FIXTURE_EXIT: String(exit),
            ...(dies && { FIXTURE_DIES: '1' }),
          },
          file: fixture('agents/codex.mjs'),
          stream: true,
        },
        host,
      ),
    broker: createBroker({
      rulesFor: () => all,
      scene: { root: '/home/dev', home: '/home/other', realPath: (path) => path },
      interactive: () => answerer !== undefined,
    }),
    answerer,
    chooser,
    guard: combine({}),
    policies: combine({}),
    pipeline,
    now: Date.now,
  })
  run.send({ type: 'prompt', text: 'Do the task' })
  run.send({ type: 'finish' })
  const done = await run.done
  pipeline.end()
  for (const [name, lines] of streams) await legal(name, lines)
  assert.equal(events.filter(({ kind }) => kind === 'session.end').length, 1)
  assert.equal(events.at(-1)!.kind, 'session.end')
  const told = (kind: Event['kind']) => events.filter((event) => event.kind === kind)
  return { done, events, told, session }
}

async function legal(name: string, lines: readonly string[]): Promise<void> {
  const findings: string[] = []
  const validator = createValidator(await loadDialect(name, '--from'), ({ severity, text }) => severity === 'error' && findings.push(text))
  validator.push(Buffer.from(lines.map((line) => `${line}\n`).join('')))
  validator.end()
  assert.deepEqual([name, findings], [name, []])
}

test('a rule answers, and nobody is asked', async () => {
  const { done, told } = await play('codex/app-server/c-approve', { rules: ['bash=allow'] })
  assert.equal(done.reason, 'end_turn')
  assert.equal(told('permission.request').length, 0)
  const answers = told('permission.answer').flatMap((event) => (event.kind === 'permission.answer' ? [event] : []))
  assert.ok(answers.length > 0)
  assert.ok(answers.every(({ decision, by, permission }) => decision === 'allow' && by === 'rule' && permission === 'bash'))
})

test('a person answers: one request, one answer, with the same id', async () => {
  const { done, told } = await play('codex/app-server/c-approve', {
    answerer: () => Promise.resolve({ option: 'allow_once', by: 'terminal' }),
  })
  assert.equal(done.reason, 'end_turn')
  const [request] = told('permission.request')
  const [answer] = told('permission.answer')
  assert.ok(request?.kind === 'permission.request' && answer?.kind === 'permission.answer')
  assert.deepEqual([answer.id, answer.option, answer.by], [request.id, 'allow_once', 'terminal'])
  assert.ok(request.call !== undefined && request.call === answer.call)
})

test('nobody can be asked: the call is refused, the run goes on', async () => {
  const { done, told } = await play('codex/app-server/e-decline')
  assert.equal(done.reason, 'end_turn')
  const [end] = told('tool.end')
  assert.ok(end?.kind === 'tool.end' && end.status === 'denied')
})

test('calls that leave no item, a refused tool of a server, a late subagent: all is told, and every token counted once', async () => {
  const { done, told, events } = await play('agents/codex/raw-items')
  assert.equal(done.reason, 'end_turn')
  assert.deepEqual(
    told('tool.end').map((event) => event.kind === 'tool.end' && [event.call, event.status]),
    [
      ['call_1_1', 'ok'],
      ['call_1_2', 'error'],
      ['call_2_1', 'error'],
      ['call_3_1', 'denied'],
      ['call_4_1', 'ok'],
      ['call_6_1', 'ok'],
    ],
  )
  assert.equal(done.turns, 5)
  assert.deepEqual([done.usage.input, done.usage.output], [700, 140])
  assert.equal(new Set(events.flatMap(({ session }) => (session === undefined ? [] : [session]))).size, 1)
})

for (const [recording, exit, reason] of [
  ['a-text', 0, 'end_turn'],
  ['b-read', 0, 'end_turn'],
  ['d-fail', 0, 'end_turn'],
  ['g-subagent', 0, 'end_turn'],
  ['k-mcp', 0, 'end_turn'],
  ['h-401', 0, 'error'],
  ['h-429', 0, 'error'],
  ['a-text', 3, 'error'],
] as const) {
  test(`the end says what happened: ${recording} with exit code ${exit} is ${reason}`, async () => {
    const { done } = await play(`codex/app-server/${recording}`, { exit })
    assert.equal(done.reason, reason, done.error?.text)
  })
}

test('a program that dies in its turn has failed', async () => {
  const { done } = await play('codex/app-server/b-read', { dies: true })
  assert.match(done.error!.text, /SIGKILL/)
})
