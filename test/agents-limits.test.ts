// Caps under a whole run: with an agent that goes on to spend while somebody is asked, and with one that tells what all runs have cost.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { claudeDriver } from '../src/agents/claude/agent.ts'
import type { AgentRequest } from '../src/agents/driver.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import type { Answerer } from '../src/run/contract.ts'
import { createLimits, type LimitSettings } from '../src/supervise/limits.ts'
import { fixture, playRun, type Told } from './agents-play.ts'
import { linesOf, place, sluice } from './run-support.ts'
import { quote } from './quote.ts'

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

test('a session that goes on may spend as much again, though its agent tells what all of it has cost', async (t) => {
  const here = place(t)
  const agent = [
    'run',
    '--format',
    'sluice',
    '--agent',
    `acp:env FIXTURE_RESUME=1 node ${quote(fixture('agents/acp.mjs'))}`,
    '--max-cost',
    '1',
  ]
  const first = await sluice(here, [...agent, 'spend 0.9'])
  assert.equal(first.code, 0, first.stderr)
  const resume = ['--resume', String(linesOf(first.stdout).at(-1)!['session'])]
  const second = await sluice(here, [...agent, ...resume, 'spend 1.7'])
  assert.deepEqual([second.code, second.stderr.includes('max cost')], [0, false], second.stderr)
  const third = await sluice(here, [...agent, ...resume, 'spend 2.8\nwait'])
  assert.equal(third.code, 4, third.stderr)
})
