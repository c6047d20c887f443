import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { makeEvent } from '../../model/make.ts'
import type { Answer, Ask } from '../../supervise/contract.ts'
import { environmentOf, ownVariables } from './environment.ts'
import { guarded, type Mode, modeOf, stricter } from './mode.ts'
import { createStderrReader } from './stderr.ts'
import { replyTo } from './reply.ts'

// ── modes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a mode is a sandbox, a time to ask, both, or a word of the menu', () => {
  const usual = { sandbox: 'workspace-write', approval: 'on-request' }
  assert.deepEqual(modeOf(undefined), usual)
  assert.deepEqual(modeOf('auto'), usual)
  assert.deepEqual(modeOf('read-only'), { ...usual, sandbox: 'read-only' })
  assert.deepEqual(modeOf('untrusted+danger-full-access'), { sandbox: 'danger-full-access', approval: 'untrusted' })
  assert.deepEqual(modeOf('full-access'), { sandbox: 'danger-full-access', approval: 'never' })
  assert.equal(typeof modeOf('constructor'), 'string')
})

test('of two modes the stricter words count', () => {
  const mode = { sandbox: 'workspace-write', approval: 'on-request' } as const
  assert.deepEqual(stricter(mode, { sandbox_mode: 'danger-full-access', approval_policy: 'untrusted' }), { ...mode, approval: 'untrusted' })
  assert.deepEqual(stricter(mode, { sandbox_mode: null, approval_policy: { granular: {} } }), mode)
})

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ask = { id: '0', input: { a: 1 } } as unknown as Ask
const choice = { ...ask, input: undefined, questions: [] } as Ask
const allow: Answer = { decision: 'allow', by: 'user' }
const deny: Answer = { decision: 'reject', by: 'user' }

test('more rights are given as they were asked for, for the turn, or not at all', () => {
  const method = 'item/permissions/requestApproval'
  const params = { permissions: { network: { enabled: true }, fileSystem: null } }
  assert.deepEqual(replyTo(method, params, ask, allow).result, { permissions: { network: { enabled: true } }, scope: 'turn' })
  assert.deepEqual(replyTo(method, params, ask, deny), { result: { permissions: {}, scope: 'turn' }, stops: false })
  assert.equal(replyTo(method, params, ask, { ...deny, stop: true }).stops, true)
})

test('a choice is answered by the id of its question; nothing chosen is no answer', () => {
  const params = {
    questions: [
      { id: 'q1', question: 'Which?' },
      { id: 'q2', question: 'Why?' },
    ],
  }
  const answer = { ...allow, input: { answers: { 'Which?': 'Red' } } }
  assert.deepEqual(replyTo('item/tool/requestUserInput', params, choice, answer).result, { answers: { q1: { answers: ['Red'] } } })
  assert.deepEqual(replyTo('item/tool/requestUserInput', params, choice, deny).result, { answers: {} })
})

test("a server's form is sent filled in, each field in its type, or declined", () => {
  const method = 'mcpServer/elicitation/request'
  const properties = { name: { type: 'string', title: 'Name' }, age: { type: 'integer' }, ok: { type: 'boolean' } }
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties, required: ['name'] } }
  const answers = { 'Who? (Name)': 'Ann', 'Who? (age)': '7', 'Who? (ok)': 'yes' }
  assert.deepEqual(replyTo(method, params, choice, { ...allow, input: { answers } }).result, {
    action: 'accept',
    content: { name: 'Ann', age: 7, ok: true },
    _meta: null,
  })
  assert.equal(replyTo(method, params, choice, { ...allow, input: { answers: {} } }).result['action'], 'decline')
  const leave = { message: 'Allow?', requestedSchema: { type: 'object', properties: {} } }
  assert.deepEqual(replyTo(method, leave, ask, allow).result, { action: 'accept', content: {}, _meta: null })
  assert.equal(replyTo(method, leave, ask, deny).result['action'], 'decline')
  assert.equal(replyTo(method, leave, ask, { ...deny, stop: true }).result['action'], 'cancel')
})

test('the decision that was chosen among its own is said as it stood there', () => {
  const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'made.txt'] } }
  const another = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch'] } }
  const word = (option: string, answer: Answer, availableDecisions: unknown = ['accept', amendment, another, 'cancel']): unknown =>
    replyTo('item/commandExecution/requestApproval', { availableDecisions }, ask, { ...answer, option }).result['decision']
  assert.deepEqual(word('acceptWithExecpolicyAmendment', allow), amendment)
  assert.deepEqual(word('acceptWithExecpolicyAmendment-2', allow), another)
  assert.deepEqual(
    [word('accept', allow), word('decline', deny), word('acceptForSession', allow, null), word('accept', { ...allow, instead: {} })],
    ['accept', 'decline', 'acceptForSession', 'decline'],
  )
  assert.equal(
    replyTo('execCommandApproval', {}, ask, { ...allow, option: 'approved_for_session' }).result['decision'],
    'approved_for_session',
  )
})

test('the questions of older servers have words of their own', () => {
  const word = (answer: Answer): unknown => replyTo('execCommandApproval', {}, ask, answer).result['decision']
  assert.deepEqual([word(allow), word(deny), word({ ...deny, stop: true })], ['approved', 'denied', 'abort'])
})

// ── stderr ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const line = (text: string, target = 'codex_core::tools::router'): string =>
  `\u001B[2m2026-11-16T07:50:04.07Z\u001B[0m \u001B[31mERROR\u001B[0m \u001B[2m${target}\u001B[0m\u001B[2m:\u001B[0m error=${text}`
const turnStart = makeEvent('turn.start', { trigger: 'prompt' }, {})

test('stderr is heard during turns, each line once, and not without end', () => {
  const stderr = createStderrReader(() => false)
  assert.equal(stderr.readLine(line('too early')), undefined)
  stderr.onEvent(turnStart)
  assert.deepEqual(stderr.readLine(line('patch rejected: writing outside of the project'))?.kind, 'notice')
  assert.deepEqual(stderr.readLine(line('unsupported call: x'))?.kind, 'error')
  assert.equal(stderr.readLine(line('unsupported call: x')), undefined)
  assert.equal(stderr.readLine('2026-11-16T07:50:04.07Z  WARN codex_core: careful'), undefined)
  for (let index = 0; index < 200; index++) stderr.readLine(line(`trouble ${index}`))
  assert.equal(stderr.readLine(line('one more')), undefined)
})

test('what the stream tells itself, and the troubles of a program that is being stopped, are not told', () => {
  const stderr = createStderrReader(() => true)
  stderr.onEvent(turnStart)
  assert.equal(stderr.readLine(line('unsupported call: x')), undefined)
  const other = stderr.readLine(line('the disk is full', 'codex_core::session'))
  assert.ok(other?.kind === 'error')
  assert.deepEqual([other.payload.scope, other.payload.error.text], ['session', 'the disk is full'])
  stderr.rest()
  assert.equal(stderr.readLine(line('the thread is gone', 'codex_core::session')), undefined)
})

// ── the environment ──────────────────────────────────────────────────────────────────────────────────────────────────────

test('Codex gets its own variables and those that its settings name, and nothing that tells of a Codex around us', () => {
  const home = mkdtempSync(join(tmpdir(), 'codex-home-'))
  mkdirSync(join(home, '.codex'))
  writeFileSync(join(home, '.codex', 'config.toml'), '[model_providers.mine]\nenv_key = "MY_KEY"\n')
  const env = {
    PATH: '/bin',
    HOME: home,
    OPENAI_API_KEY: 'o',
    CODEX_API_KEY: 'c',
    CODEX_SANDBOX: 'seatbelt',
    CODEX_SANDBOX_NETWORK_DISABLED: '1',
    CODEX_THREAD_ID: 't',
    MY_KEY: 'm',
    THEIR_KEY: 'x',
    MCP_TOKEN: 'y',
    ANTHROPIC_API_KEY: 'a',
    AWS_SECRET_ACCESS_KEY: 'w',
    SLUICE_TOKEN: 's',
  }
  const about = { session: 's', how: 'new', profile: 'p', cwd: '/', stream: true, env } as const
  const args = ['-c', 'mcp_servers.a.bearer_token_env_var = "MCP_TOKEN"']
  const given = environmentOf({ ...about, args, variables: { SLUICE_EMIT_SOCKET: '/s' } })
  rmSync(home, { recursive: true })
  assert.deepEqual(given, {
    PATH: '/bin',
    HOME: home,
    AGENT: '1',
    NO_COLOR: '1',
    OPENAI_API_KEY: 'o',
    CODEX_API_KEY: 'c',
    MY_KEY: 'm',
    MCP_TOKEN: 'y',
    SLUICE_EMIT_SOCKET: '/s',
  })
  assert.ok(ownVariables('model_provider = "amazon-bedrock"').test('AWS_REGION'))
})

test('where a gate must hold, the sandbox is read-only and it asks, whatever the mode', () => {
  const free = modeOf('full-access') as Mode
  assert.deepEqual(guarded(free, 'read-only'), { sandbox: 'read-only', approval: 'untrusted' })
  assert.deepEqual(guarded(modeOf(undefined) as Mode, 'asking'), { sandbox: 'workspace-write', approval: 'untrusted' })
  assert.deepEqual(guarded(free, undefined), free)
})
