import assert from 'node:assert/strict'
import test from 'node:test'
import { request as base } from '../acp/support.test.ts'
import type { AgentRequest } from '../driver.ts'
import { timeouts } from '../timeouts.ts'
import { startSpawned } from '../spawned.ts'
import { fixture, hear, whole } from '../support.test.ts'
import { geminiDriver, headlessFlags, olderName } from './agent.ts'
import { readGeminiStderr, readLateStderr } from './stderr.ts'

function play(prompt: string, more: Partial<AgentRequest> = {}) {
  const all = { ...base, file: fixture('agents/acp.mjs'), ...more }
  const running = hear((host) => startSpawned(geminiDriver(all), all, host, { ...timeouts, drainMs: 60 }))
  running.send({ type: 'prompt', text: prompt })
  running.send({ type: 'finish' })
  return running
}

const replay = (recording: string, variables: Record<string, string> = {}) =>
  play('Do the task', {
    file: fixture('agents/headless.mjs'),
    headless: true,
    variables: { FIXTURE_RECORDING: fixture(`gemini/${recording}.ndjson`), ...variables },
  })

test('it is driven over the protocol, with its model by a flag', async () => {
  assert.equal((await whole(play('say hi'))).text, 'hi')
  const { program } = geminiDriver({
    ...base,
    file: '/bin/gemini',
    model: 'gemini-2.5-pro',
    env: { PATH: '/bin', GEMINI_API_KEY: 'k', GEMINI_CLI: '1' },
  })
  assert.ok(typeof program !== 'string')
  assert.deepEqual(program.args, ['--acp', '-m', 'gemini-2.5-pro'])
  assert.deepEqual(program.env, { GEMINI_CLI_NO_RELAUNCH: 'true', PATH: '/bin', AGENT: '1', GEMINI_API_KEY: 'k' })
})

test('a turn without an answer has failed, whatever it is called', async () => {
  const { reason, error } = await whole(play('tool ls'))
  assert.deepEqual([reason, error!.code], ['error', 'no-answer'])
  assert.equal((await whole(play('tool ls\nsay done'))).reason, 'end_turn')
})

test('a loop that it found is no success', async () => {
  const { reason, error } = await whole(play('say again\nstop max_turn_requests'))
  assert.equal(reason, 'max_turns')
  assert.match(error!.text, /found a loop/)
})

test('retries that it tells on stderr alone are told', async () => {
  const line = 'Attempt 2 failed with status 429. Retrying with backoff... _ApiError: {"error":{"code":429,"message":"slow down"}}'
  assert.deepEqual(readGeminiStderr(line), {
    kind: 'retry.start',
    payload: {
      scope: 'model',
      attempt: 2,
      error: { category: 'rate_limit', text: 'slow down', code: undefined, http: 429, retryable: undefined },
    },
  })
  const later = readGeminiStderr('Attempt 1 failed: quota exceeded. Retrying after 5000ms...')
  assert.deepEqual([later?.kind, later?.kind === 'retry.start' && later.payload.delayMs], ['retry.start', 5000])
  assert.equal(readGeminiStderr('Attempt 3 failed. Max attempts reached'), undefined)
  const late = readLateStderr(line) // over the protocol it tells them when it leaves
  assert.deepEqual([late?.kind, late?.kind === 'notice' && late.payload.code], ['notice', 'retried'])
  const running = replay('a-text', { FIXTURE_STDERR: line })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('retry.start')[0]!.attempt, 2)
})

test('without a way back its own stream is read, with the prompt once and the answer', async () => {
  const running = replay('a-text')
  const { reason, text } = await whole(running)
  assert.equal(reason, 'end_turn')
  assert.ok(text!.length > 0)
  assert.equal(running.of('prompt.submit').length, 1)
})

test('its exit codes are told as what they are', async () => {
  const refused = await whole(replay('h-400', { FIXTURE_EXIT: '144' }))
  assert.deepEqual([refused.reason, refused.error!.http], ['error', 400])
  assert.equal((await whole(replay('m-max-turns', { FIXTURE_EXIT: '53' }))).reason, 'max_turns')
  assert.equal((await whole(replay('r-sigterm'))).reason, 'cut') // with exit code 0
})

test('an older version is started again by the older name of the flag', () => {
  assert.deepEqual(olderName(['--acp', '-m', 'x'], 'Unknown argument: acp'), { args: ['--experimental-acp', '-m', 'x'] })
  assert.equal(olderName(['--acp'], 'some other trouble'), undefined)
  assert.equal(
    headlessFlags({ ...base, model: 'm', mode: 'yolo', native: 'id' }).join(' '),
    '-o stream-json -m m --approval-mode yolo --resume id',
  )
})
