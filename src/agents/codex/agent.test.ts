import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Answer, Ask, Command } from '../../supervise/contract.ts'
import type { AgentRequest } from '../driver.ts'
import { startSpawned } from '../spawned.ts'
import { timeouts } from '../timeouts.ts'
import { fixture, hear, session, whole } from '../support.test.ts'
import { codexDriver, execArgs } from './agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'codex-'))
test.after(() => rmSync(folder, { recursive: true }))
let plays = 0

const request: AgentRequest = {
  session,
  how: 'new',
  profile: 'default',
  cwd: process.cwd(),
  env: { PATH: process.env['PATH'], HOME: folder },
  file: fixture('agents/codex.mjs'),
  stream: true,
}

type Play = {
  recording?: string
  exec?: string
  prompts?: Exclude<Command, { type: 'finish' }>[]
  answer?: (ask: Ask) => Answer | undefined
  more?: Record<string, string>
  with?: Partial<AgentRequest>
}

/** `heard`: what the program was told, as records. */
function play({ recording = 'a-text', exec = 'a-text', prompts, answer, more, with: extra }: Play) {
  const file = join(folder, `heard-${++plays}`)
  writeFileSync(file, '')
  const variables = {
    FIXTURE_RECORDING: fixture(`codex/app-server/${recording}.traffic.ndjson`),
    FIXTURE_EXEC: fixture(`codex/exec/${exec}.ndjson`),
    FIXTURE_HEARD: file,
    ...more,
  }
  const times = { ...timeouts, settleMs: 20, drainMs: 60, interruptMs: 300 }
  const running = hear(
    (host) => startSpawned(codexDriver({ ...request, ...extra, variables }), { ...request, ...extra }, host, times),
    answer,
  )
  for (const prompt of prompts ?? [{ type: 'prompt', text: 'Do the task' }]) running.send(prompt)
  running.send({ type: 'finish' })
  const heard = (): Rec[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Rec)
  const params = (method: string): Rec => {
    const found = heard().find((record) => record['method'] === method)?.['params']
    return isRecord(found) ? found : {}
  }
  const asked = (): unknown => heard().find(({ id }) => id === 'asked')
  return Object.assign(running, { heard, params, asked })
}

const allow = (): Answer => ({ decision: 'allow', by: 'user' })

test('a prompt has its answer, told once, with what it cost in tokens', async () => {
  const running = play({})
  const done = await whole(running)
  assert.equal(done.reason, 'end_turn')
  assert.ok(done.text!.length > 0)
  assert.deepEqual([done.usage.input, done.usage.output, done.usage.cacheRead, done.cost], [12, 34, 1000, undefined])
  assert.deepEqual(
    running.of('prompt.submit').map(({ text, state }) => [text, state]),
    [['Do the task', 'sent']],
  )
  const { native, program, version, mode } = running.of('session.start')[0]!
  assert.deepEqual([native?.length, program, version, mode], [36, 'codex', '0.166.0', 'on-request'])
  assert.ok(running.events.every((event) => event.session === session || event.session === undefined))
  assert.ok(running.of('text.delta').length > 0 && running.of('thought.end').length > 0)
})

test('it is asked to ask: approvals on request, the sandbox of the workspace, and no model as judge', async () => {
  const running = play({ with: { model: 'gpt-x' } })
  await whole(running)
  const { cwd, approvalPolicy, sandbox, approvalsReviewer, model } = running.params('thread/start')
  assert.deepEqual(
    [cwd, approvalPolicy, sandbox, approvalsReviewer, model],
    [undefined, 'on-request', 'workspace-write', 'user', 'gpt-x'], // a folder would be trusted from then on
  )
})

test('settings that forbid more stay, unless a mode is named', async () => {
  const config = JSON.stringify({ sandbox_mode: 'read-only', approval_policy: 'never' })
  const usual = play({ more: { FIXTURE_CONFIG: config } })
  await whole(usual)
  assert.deepEqual([usual.params('thread/start')['sandbox'], usual.params('thread/start')['approvalPolicy']], ['read-only', 'on-request'])
  const named = play({ more: { FIXTURE_CONFIG: config }, with: { mode: 'danger-full-access' } })
  await whole(named)
  assert.equal(named.params('thread/start')['sandbox'], 'danger-full-access')
})

test('without deltas nobody sends any', async () => {
  const running = play({ with: { stream: false } })
  await whole(running)
  const { capabilities } = running.params('initialize')
  assert.ok(isRecord(capabilities))
  assert.ok((capabilities['optOutNotificationMethods'] as string[]).includes('item/agentMessage/delta'))
})

test('several prompts are several turns, one after the other', async () => {
  const prompts = ['One', 'Two'].map((text) => ({ type: 'prompt', text }) as const)
  const running = play({ recording: 'j-multiturn', prompts })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.events.flatMap((event) =>
      event.kind === 'prompt.submit' ? [event.text] : event.kind === 'turn.end' ? [`end of ${event.turn}`] : [],
    ),
    ['One', 'end of 1', 'Two', 'end of 2'],
  )
})

test('a command that needs leave is raised in the words of our rules, and the answer reaches the program', async () => {
  const running = play({ recording: 'c-approve', answer: allow })
  assert.equal((await whole(running)).reason, 'end_turn')
  const { permission, command, changes, place, name } = running.asks[0]!
  assert.deepEqual([name, permission, changes], ['commandExecution', 'bash', true])
  assert.match(command!.text, /touch made\.txt/)
  assert.deepEqual([place.session, place.call], [session, running.of('tool.start')[0]!.call])
  assert.equal(running.of('tool.end')[0]!.status, 'ok')
  assert.equal(running.of('permission.request').length + running.of('permission.answer').length, 0)
  assert.deepEqual(running.withdrawn, [])
})

test('a refusal lets the turn go on; with stop, or when it is taken back, the turn ends', async () => {
  const deny: Answer = { decision: 'reject', by: 'user', text: 'no' }
  const running = play({ recording: 'e-decline', answer: () => deny })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('tool.end')[0]!.status, 'denied')
  for (const answer of [
    { ...deny, stop: true },
    { ...deny, decision: 'cancelled' as const },
  ]) {
    const stopped = play({ recording: 'e-cancel', answer: () => answer })
    assert.equal((await whole(stopped)).reason, 'cancelled')
  }
})

test('a call that was changed, or must only seem to be made, is declined: it can do nothing but what it asked for', async () => {
  for (const answer of [
    { ...allow(), instead: { dry_run: true } },
    { ...allow(), input: { command: 'true' } },
  ])
    assert.equal((await whole(play({ recording: 'e-decline', answer: () => answer }))).reason, 'end_turn')
})

test('who is asked about a patch learns what it changes', async () => {
  const running = play({ recording: 'e-patch-approve', answer: allow })
  assert.equal((await whole(running)).reason, 'end_turn')
  const { name, toolKind, input, place } = running.asks[0]!
  assert.deepEqual([name, toolKind, place.call], ['fileChange', 'edit', running.of('tool.start')[0]!.call])
  assert.deepEqual(input, running.of('tool.start')[0]!.input)
})

test('every other request is refused at once', async () => {
  const methods = ['item/tool/call', 'account/chatgptAuthTokens/refresh', 'attestation/generate', 'currentTime/read', 'a/new/one']
  for (const method of methods) {
    const params = { callId: 'c', tool: 'mine', arguments: {} }
    const running = play({ more: { FIXTURE_ASKS: JSON.stringify({ method, params }) } })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.deepEqual(running.asked(), { id: 'asked', error: { code: -32601, message: `sluice does not answer ${method}` } })
    assert.equal(running.asks.length, 0)
  }
})

test('a question that cannot be read is refused too', async () => {
  const method = 'item/commandExecution/requestApproval'
  const running = play({ more: { FIXTURE_ASKS: JSON.stringify({ method, params: { itemId: 7 } }) }, answer: allow })
  await whole(running)
  assert.ok(isRecord(running.asked()) && 'error' in (running.asked() as Rec))
  assert.equal(running.of('issue').length, 1)
})

test('an interrupt ends the turn, and the next prompt goes on', async () => {
  const running = play({ more: { FIXTURE_STALLS: '1' } })
  await running.until('turn.start')
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.equal(running.of('turn.end')[0]!.reason, 'cancelled')
  assert.equal(running.of('cancel.request').length, 1)
  assert.equal(running.params('turn/interrupt')['turnId'], running.of('turn.start')[0]!.native)
})

test('an interrupt that comes before the turn is kept for it', async () => {
  const running = play({ more: { FIXTURE_STALLS: '1' } })
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.equal(running.of('turn.start').length, 1)
})

test('a question that nobody answers is withdrawn when the session is ended', async () => {
  const running = play({ recording: 'c-approve' })
  while (running.asks.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'nobody answered' })
  assert.equal((await whole(running)).reason, 'timeout')
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
  assert.equal(running.of('tool.end')[0]!.status, 'abandoned')
})

test('trouble of the provider is retried and then fails the session, with its category', async () => {
  for (const [recording, category] of [
    ['h-401', 'auth'],
    ['h-429', 'rate_limit'],
  ] as const) {
    const running = play({ recording })
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error?.category], ['error', category])
  }
})

test('a program that is killed, or leaves with another code, has failed', async () => {
  const killed = play({ more: { FIXTURE_DIES: '1' } })
  assert.match((await whole(killed)).error!.text, /^Codex ended by SIGKILL/)
  const left = play({ more: { FIXTURE_EXIT: '3' } })
  assert.match((await whole(left)).error!.text, /^Codex said that it was done, and then ended with exit code 3/)
})

test('a subagent is waited for, and told in its own lane', async () => {
  const running = play({ recording: 'g-subagent' })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('task.end').length, 1)
  assert.ok(running.of('tool.end').some(({ agent }) => agent !== undefined))
})

test('a thread, or a turn, that the program refuses is a failure with its words', async () => {
  for (const [method, extra] of [
    ['thread/start', {}],
    ['thread/resume', { how: 'resumed', native: '01a1e0cf-0000-7000-8000-000000000000' }],
    ['thread/fork', { how: 'forked', native: '01a1e0cf-0000-7000-8000-000000000000' }],
    ['turn/start', {}],
  ] as const) {
    const running = play({ more: { FIXTURE_REFUSES: method }, with: extra })
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error?.text], ['error', `no ${method} today`])
    assert.equal(running.of('prompt.submit').length, 1)
    assert.ok(running.events.every((event) => event.session === session || event.session === undefined))
  }
})

test('a session goes on by the id that Codex knows it by', async () => {
  const native = '01a1e0cf-0000-7000-8000-000000000000'
  const running = play({ more: { FIXTURE_REFUSES: 'thread/resume' }, with: { how: 'resumed', native } })
  await whole(running)
  assert.deepEqual([running.params('thread/resume')['threadId'], running.params('thread/resume')['excludeTurns']], [native, true])
})

test('images are items of the prompt, other files its text', async () => {
  const data = Buffer.from('inside').toString('base64')
  const files = [
    { path: '/a.png', mime: 'image/png', data },
    { path: '/b.txt', mime: 'text/plain', data },
  ]
  const running = play({ prompts: [{ type: 'prompt', text: 'Look', files, id: 'p1' }] })
  await whole(running)
  const { input, clientUserMessageId } = running.params('turn/start')
  assert.deepEqual(input, [
    { type: 'image', url: `data:image/png;base64,${data}` },
    { type: 'text', text: 'The file /b.txt:\ninside', text_elements: [] },
    { type: 'text', text: 'Look', text_elements: [] },
  ])
  assert.deepEqual([clientUserMessageId, running.of('prompt.submit')[0]!.id], ['p1', 'p1'])
})

test('another model or mode holds from the next turn on', async () => {
  const running = play({
    prompts: [
      { type: 'set', model: 'gpt-y', mode: 'read-only+never' },
      { type: 'prompt', text: 'Go' },
    ],
  })
  await whole(running)
  const { model, approvalPolicy, sandboxPolicy } = running.params('turn/start')
  assert.deepEqual([model, approvalPolicy, sandboxPolicy], ['gpt-y', 'never', { type: 'readOnly', networkAccess: false }])
})

// ── exec ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('without a way back it is exec, with the prompt on its input', async () => {
  const running = play({ exec: 'c-bash', with: { headless: true } })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(running.heard(), [{ args: ['--json', '--skip-git-repo-check', '-s', 'workspace-write', '-'], stdin: 'Do the task' }])
  assert.deepEqual(
    running.of('prompt.submit').map(({ text, turn }) => [text, turn]),
    [['Do the task', 1]],
  )
})

test('a program without an app-server is started again as exec, with its prompt', async () => {
  const running = play({ more: { FIXTURE_OLD: '1' }, with: { args: ['-c', 'a=1'] } })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(running.heard()[0]!['args'], [
    '--json',
    '--skip-git-repo-check',
    '-s',
    'workspace-write',
    '-c',
    'a=1',
    '--',
    'Do the task',
  ])
  assert.equal(running.of('prompt.submit').length, 1)
})

test('exec: a failed turn, a call that never ended, and what only stderr tells', async () => {
  const failed = play({ exec: 'h-429', more: { FIXTURE_EXIT: '1' }, with: { headless: true } })
  assert.equal((await whole(failed)).error!.category, 'rate_limit')
  assert.equal(failed.of('retry.start').length, 2)

  const long = play({ exec: 'q-long-command', with: { headless: true } })
  assert.equal((await whole(long)).reason, 'end_turn')
  assert.equal(long.of('tool.end').at(-1)!.status, 'abandoned')

  const says = '2026-11-16T07:50:04.07Z ERROR codex_core::tools::router: error=unsupported call: no_such_tool'
  const unknown = play({ exec: 'd-unknown-tool', more: { FIXTURE_SAYS: says }, with: { headless: true } })
  assert.equal((await whole(unknown)).reason, 'end_turn')
  assert.deepEqual(
    unknown.of('error').map(({ error, fatal, scope }) => [error.text, fatal, scope]),
    [['unsupported call: no_such_tool', false, 'turn']],
  )
})

test('the arguments of exec say what goes on', () => {
  const mode = { sandbox: 'read-only', approval: 'never' } as const
  const native = 'abc'
  assert.deepEqual(execArgs({ ...request, model: 'm', how: 'resumed', native }, mode).slice(4), [
    'read-only',
    '-m',
    'm',
    'resume',
    native,
    '-',
  ])
  assert.deepEqual(execArgs({ ...request, how: 'forked', native }, mode).slice(-3), ['fork', native, '-'])
})

test('a Codex that is not installed, or a mode that it does not have, is told with what to do', () => {
  const { file: _file, ...rest } = request
  const missing = codexDriver({ ...rest, env: { PATH: '/no/such/folder' } }).program
  const wild = codexDriver({ ...request, mode: 'wild' }).program
  assert.ok(typeof missing === 'string' && typeof wild === 'string')
  assert.match(missing, /^Codex is not installed: .*@openai\/codex$/)
  assert.match(wild, /^Codex has no mode "wild"; name a sandbox \(read-only, /)
})
