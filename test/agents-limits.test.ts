// A cap that is reached while somebody is asked: a whole run with an agent that goes on to spend.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { claudeDriver } from '../src/agents/claude/agent.ts'
import type { AgentRequest } from '../src/agents/driver.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import type { Answerer } from '../src/run/run.ts'
import { createLimits, type LimitSettings } from '../src/supervise/limits.ts'
import { fixture, playRun, type Told } from './agents-play.ts'

const nobody: Answerer = (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))

function play(detail: string, caps: Partial<LimitSettings>): Promise<Told> {
  const session = randomUUID()
  const env = { PATH: process.env['PATH'] }
  const request: AgentRequest = { session, how: 'new', profile: 'default', cwd: process.cwd(), env, stream: true, file: '/bin/true' }
  const driver = claudeDriver(request)
  assert.ok(typeof driver.program !== 'string')
  const program = { ...driver.program, file: process.execPath, args: [fixture('agents/hostile.mjs'), 'spends', detail] }
  const limits = createLimits({ startedAt: Date.now(), ...caps })
  return playRun((host) => startSpawned({ ...driver, program }, request, host), { answerer: nobody, policies: { limits } })
}

for (const detail of ['', 'late'])
  test(`a cap is reached ${detail === '' ? 'while a question is open' : 'before a question'}: nobody is waited for, and it is no success`, async () => {
    const { done, told } = await play(detail, { maxTokens: 8000 })
    assert.deepEqual([done.reason, done.error?.code], ['budget', 'max_tokens'])
    assert.equal(told('permission.request').length, detail === '' ? 1 : 0)
    assert.deepEqual(
      told('permission.answer').map(({ decision, by }) => [decision, by]),
      [['cancelled', 'policy']],
    )
  })
