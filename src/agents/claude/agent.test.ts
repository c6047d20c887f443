import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { Answer, Ask } from '../../supervise/contract.ts'
import { startSpawned } from '../spawned.ts'
import { timeouts } from '../timeouts.ts'
import { fixture, hear, session, whole } from '../support.test.ts'
import type { AgentRequest } from '../driver.ts'
import { claudeDriver, flagsOf, withoutUnknown } from './agent.ts'

const request: AgentRequest = {
  session,
  how: 'new',
  profile: 'default',
  cwd: process.cwd(),
  env: { PATH: process.env['PATH'] },
  file: fixture('agents/claude.mjs'),
  stream: false,
}

type Play = {
  recording: string
  exit?: number
  prompts?: string[]
  answer?: (ask: Ask) => Answer | undefined
  more?: Record<string, string>
  settleMs?: number
}

function play({ recording, exit = 0, prompts = ['Do the task'], answer, more, settleMs = 20 }: Play) {
  const variables = { FIXTURE_RECORDING: fixture(`claude/${recording}.ndjson`), FIXTURE_EXIT: String(exit), ...more }
  const running = hear(
    (host) => startSpawned(claudeDriver({ ...request, variables }), request, host, { ...timeouts, settleMs, drainMs: 60 }),
    answer,
  )
  for (const text of prompts) running.send({ type: 'prompt', text })
  running.send({ type: 'finish' })
  return running
}

const allow = (): Answer => ({ decision: 'allow', by: 'user' })
const versions = ['1.0.128', '2.0.76', '2.1.325']

for (const version of versions) {
  test(`a prompt has its answer: ${version}`, async () => {
    const running = play({ recording: `${version}/a-text` })
    const done = await whole(running)
    assert.equal(done.reason, 'end_turn')
    assert.ok(done.text!.length > 0)
    assert.ok(done.usage.output! > 0 && done.cost!.usd > 0)
    const { native, program, how } = running.of('session.start')[0]!
    assert.deepEqual([native, program, how], [session, 'claude-code', 'new'])
    assert.deepEqual(
      running.of('prompt.submit').map(({ text, state, turn }) => [text, state, turn]),
      [['Do the task', 'sent', 1]],
    )
    assert.ok(running.events.every((event) => event.session === session || event.session === undefined))
    assert.ok(running.events.every(({ at }) => at! > 0))
  })

  test(`several turns, each with its prompt: ${version}`, async () => {
    const running = play({ recording: `${version}/j-stdin-multiturn`, prompts: ['Do the task', 'And again'] })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.deepEqual(
      running.of('prompt.submit').map(({ text, turn }) => [text, turn]),
      [
        ['Do the task', 1],
        ['And again', 2],
      ],
    )
    assert.equal(running.of('turn.end').length, 2)
  })

  test(`a question about a call is raised, and the answer reaches the program: ${version}`, async () => {
    const running = play({ recording: `${version}/j-permission-allow`, answer: allow })
    assert.equal((await whole(running)).reason, 'end_turn')
    const { permission, patterns, changes, place, name } = running.asks[0]!
    assert.deepEqual([name, permission, changes], ['Write', 'write', true])
    assert.match(patterns[0]!, /new\.txt$/)
    assert.equal(place.session, session)
    assert.equal(place.call, running.of('tool.start')[0]!.call)
    assert.equal(running.of('tool.end')[0]!.status, 'ok')
    // The host tells questions and answers.
    assert.equal(running.of('permission.request').length + running.of('permission.answer').length, 0)
    assert.deepEqual(running.withdrawn, [])
  })
}

test('a refusal reaches the program with its text, and may end the turn', async () => {
  const deny: Answer = { decision: 'reject', by: 'user', text: 'not today' }
  const running = play({ recording: '1.0.128/j-permission-deny', answer: () => deny })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('tool.end')[0]!.status, 'denied')

  const stopping = play({ recording: '2.1.325/j-permission-deny-interrupt', exit: 1, answer: () => ({ ...deny, stop: true }) })
  assert.equal((await whole(stopping)).reason, 'cancelled')
})

test('a question to the user is raised as a choice, and its answers reach the program', async () => {
  const running = play({
    recording: '2.1.325/j-ask-user',
    answer: (ask) => ({ decision: 'allow', by: 'user', input: { answers: { [ask.questions![0]!.text]: 'Red' } } }),
  })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.asks[0]!.questions!.map(({ text, options }) => [text, options.map(({ label }) => label)]),
    [['Which colour?', ['Red', 'Blue']]],
  )
  assert.equal(running.of('question.request').length + running.of('question.answer').length, 0)
})

test('a question that the program takes back is withdrawn', async () => {
  const running = play({ recording: '2.1.325/j-permission-allow', more: { FIXTURE_WITHDRAW: '1' } })
  await whole(running)
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
})

test('a question that is open when the program dies is withdrawn', async () => {
  const running = play({ recording: '2.1.325/t-permission-never-answered' })
  await running.until('tool.start')
  while (running.asks.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'nobody answered' })
  assert.equal((await whole(running)).reason, 'timeout')
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
})

test('an interrupt ends the turn over the control channel', async () => {
  for (const [version, exit] of [
    ['2.0.76', 0],
    ['2.1.325', 1],
  ] as const) {
    const running = play({ recording: `${version}/j-interrupt`, exit })
    await running.until('text.delta')
    running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
    const { reason } = await whole(running)
    assert.equal(reason, 'cancelled')
    assert.equal(running.of('turn.end')[0]!.reason, 'cancelled')
    assert.deepEqual(
      running.of('cancel.request').map(({ by, target }) => [by, target]),
      [['user', 'turn']],
    )
    assert.equal(running.of('session.end')[0]!.exitCode, exit)
  }
})

test('what it calls a success with an error in it is a failure', async () => {
  const running = play({ recording: '2.1.325/h-401', exit: 1 })
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error!.category], ['error', 'auth'])
  assert.equal(running.of('session.end')[0]!.exitCode, 1)
  assert.equal(running.of('error').length, 1) // its own; the end says nothing new
})

test('a turn that a background task brings is waited for', async () => {
  for (const recording of ['2.1.325/q-bash-timeout', '2.1.325/g-subagent']) {
    const running = play({ recording, more: { FIXTURE_PAUSE: '100' }, settleMs: 1000 })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.equal(running.of('turn.end').length, 2)
    assert.equal(running.of('prompt.submit').filter(({ by }) => by === 'user').length, 1)
  }
})

test('a task whose end is never told does not hold a finished run', async () => {
  const lines = readFileSync(fixture('claude/2.1.325/g-subagent.ndjson'), 'utf8').split('\n')
  const recording = join(mkdtempSync(join(tmpdir(), 'sluice-task-')), 'r.ndjson')
  writeFileSync(recording, lines.filter((line) => !/"task_(notification|updated)"|background_tasks/.test(line)).join('\n'))
  const variables = { FIXTURE_RECORDING: recording, FIXTURE_EXIT: '0' }
  const running = hear((host) => startSpawned(claudeDriver({ ...request, variables }), request, host, { ...timeouts, tasksMs: 80 }), allow)
  running.send({ type: 'prompt', text: 'Do the task' })
  running.send({ type: 'finish' })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.of('task.end').map(({ synthetic }) => synthetic),
    ['cut'],
  )
  rmSync(dirname(recording), { recursive: true })
})

test('a version that does not know a flag is started again without it', async () => {
  for (const flag of ['--session-id', '--replay-user-messages']) {
    const running = play({ recording: '2.1.325/a-text', more: { FIXTURE_UNKNOWN: flag } })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.equal(running.of('prompt.submit').length, 1)
    assert.equal(running.of('session.start')[0]!.session, session)
  }
  const running = play({ recording: '2.1.325/a-text', more: { FIXTURE_UNKNOWN: '--verbose' } })
  const { error } = await whole(running)
  assert.match(error!.text, /exit code 1: error: unknown option '--verbose'/)
})

test('the flags say what is wanted, as far as the version knows them', () => {
  const flags = (more: Partial<AgentRequest>, version?: string): string => flagsOf({ ...request, ...more }, version).join(' ')
  assert.match(
    flags({}),
    /^-p --output-format stream-json --verbose --permission-mode default --input-format stream-json --permission-prompt-tool stdio/,
  )
  assert.match(flags({}), / --session-id 0b0e2d0c-/)
  assert.match(flags({}, '2.1.325'), /--forward-subagent-text/)
  assert.doesNotMatch(flags({}, '2.0.76'), /--forward-subagent-text/)
  assert.match(flags({ stream: true, model: 'opus' }), /--include-partial-messages .*--model opus/)
  const native = '11111111-2222-4333-8444-555555555555'
  assert.match(flags({ how: 'resumed', native }), /--resume 1{8}-[\d-]+$/)
  assert.match(flags({ how: 'forked', native }), /--resume \S+ --fork-session --session-id 0b0e2d0c-\S+$/)
  assert.doesNotMatch(flags({ session: 'ses_1' }), /--session-id/)
  assert.doesNotMatch(flags({ headless: true }), /stdio|--input-format|--replay/)
  assert.deepEqual(withoutUnknown(['-p', '--session-id', 'x', '--verbose'], "error: unknown option '--session-id'"), {
    args: ['-p', '--verbose'],
  })
  assert.equal(withoutUnknown(['-p'], "error: unknown option '-p'"), undefined)
})

test('a Claude that is not installed is told, with how to install it', async () => {
  const { file: _file, ...rest } = request
  const running = hear((host) => startSpawned(claudeDriver({ ...rest, env: { PATH: '/no/such/folder' } }), rest, host))
  running.send({ type: 'prompt', text: 'go' })
  const { error } = await whole(running)
  assert.match(error!.text, /^Claude Code is not installed: .*npm install -g @anthropic-ai\/claude-code$/)
})

test("the program gets its own keys and this run's variables, and none of ours", async () => {
  const { claudeDriver } = await import('./agent.ts')
  const env = {
    PATH: '/bin',
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CONFIG_DIR: '/c',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDECODE: '1',
    OPENAI_API_KEY: 'o',
    SLUICE_TOKEN: 's',
    MY_THING: 'm',
  }
  const { program } = claudeDriver({ ...request, env, passed: ['MY_THING'], variables: { SLUICE_EMIT_SOCKET: '/s' } })
  assert.ok(typeof program !== 'string')
  assert.deepEqual(program.env, {
    PATH: '/bin',
    MY_THING: 'm',
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CONFIG_DIR: '/c',
    AGENT: '1',
    SLUICE_EMIT_SOCKET: '/s',
  })
})

test('a result that says nothing of how the turn ended is no success, whatever the exit code', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'claude-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const lines = readFileSync(fixture('claude/2.1.325/a-text.ndjson'), 'utf8').split('\n').filter(Boolean)
  const file = join(folder, 'silent.ndjson')
  writeFileSync(file, lines.map((line) => `${line.includes('"type":"result"') ? '{"type":"result"}' : line}\n`).join(''))
  const { reason, error } = await whole(play({ recording: '2.1.325/a-text', more: { FIXTURE_RECORDING: file } }))
  assert.deepEqual([reason, error?.code], ['error', 'unreadable-end'])
})
