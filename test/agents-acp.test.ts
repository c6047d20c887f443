// Agents over the Agent Client Protocol, and opencode by its server, under a whole run: the broker decides, questions and answers are told
// once, and the stream is legal in every dialect.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import type { AgentRequest } from '../src/agents/driver.ts'
import { driverFor } from '../src/agents/registry.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import { createLimits } from '../src/supervise/limits.ts'
import type { Policy, PolicyAction } from '../src/supervise/policy.ts'
import { fixture, type Played, playRun, type Told } from './agents-play.ts'
import { quote } from './quote.ts'

type Play = Played & { agent: string; variables?: Record<string, string>; file?: string; mode?: string }

async function play({ agent, variables = {}, file, mode, ...played }: Play): Promise<Told> {
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
  return playRun((host) => startSpawned(driverOf(request), request, host), { root: '/', ...played })
}

const small = `acp:${quote(fixture('agents/acp.mjs'))}`
const recorded = (recording: string): Pick<Play, 'agent' | 'variables'> => ({
  agent: `acp:${quote(fixture('agents/acp-recording.mjs'))}`,
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

test('a cap that is reached when a turn ends lets no other begin', async () => {
  const limits = createLimits({ startedAt: 0, maxTokens: 40 })
  const { done, told } = await play({ agent: small, prompts: ['say one', 'say two', 'say three'], policies: { limits } })
  assert.deepEqual([done.reason, done.error?.code], ['budget', 'max_tokens'])
  assert.deepEqual([told('turn.start').length, told('turn.end')[0]!.reason], [1, 'end_turn'])
  assert.deepEqual(
    told('prompt.submit').map(({ state }) => state),
    ['sent', 'queued', 'queued'],
  )
})

test('a cap that is reached with the last answer changes nothing: what is done is done', async () => {
  const limits = createLimits({ startedAt: 0, maxTokens: 40 })
  const { done, told } = await play({ agent: small, prompts: ['say one'], policies: { limits } })
  assert.deepEqual([done.reason, told('cancel.request').length], ['end_turn', 1])
})

test('a cap that is reached in running text does not wait for its end', async () => {
  const limits = createLimits({ startedAt: 0, maxCost: 0.5 })
  const { done } = await play({ agent: small, prompts: ['say one\nspend 0.6\nwait'], policies: { limits } })
  assert.deepEqual([done.reason, done.error?.code], ['budget', 'max_cost'])
})

test('a cap that is reached during a call waits for its end', async () => {
  const cap: PolicyAction = { type: 'stop', reason: 'budget', text: 'cap', code: 'max_cost', when: 'step' }
  const limits: Policy = { step: ({ kind }) => (kind === 'tool.start' ? [cap] : []) }
  const { done, told } = await play({ agent: small, prompts: ['tool ls\nsay one\nwait'], policies: { limits } })
  assert.deepEqual([done.reason, told('tool.end')[0]!.status], ['budget', 'ok'])
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
