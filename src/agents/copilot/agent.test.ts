import assert from 'node:assert/strict'
import test from 'node:test'
import { answerOf, request as base } from '../acp/support.test.ts'
import type { AgentRequest } from '../driver.ts'
import { timeouts } from '../timeouts.ts'
import { startSpawned } from '../spawned.ts'
import { fixture, hear, whole } from '../support.test.ts'
import { copilotDriver, headlessFlags } from './agent.ts'

function play(prompts: string[], more: Partial<AgentRequest> = {}) {
  const all = { ...base, file: fixture('agents/acp.mjs'), ...more }
  const running = hear((host) => startSpawned(copilotDriver(all), all, host, { ...timeouts, drainMs: 60 }))
  for (const text of prompts) running.send({ type: 'prompt', text })
  running.send({ type: 'finish' })
  return running
}

test('a failure that it tells as text, and calls a success, is a failure', async () => {
  const words = 'Authentication failed with provider at http://127.0.0.1:1 (HTTP 401).'
  const running = play([`say Error: ${words}`])
  const { reason, error, text } = await whole(running)
  assert.deepEqual([reason, error!.category, error!.http, error!.text], ['error', 'auth', 401, words])
  assert.equal(text, undefined)
  assert.equal(answerOf(running), '')
  assert.equal(running.of('error').length, 1)
})

test('its notes are no words of the model', async () => {
  const retrying = 'say Info: Request failed due to a transient API error. Retrying...'
  const running = play([
    [
      retrying,
      retrying,
      "say Info: The conversation exceeded the model's context limit. Compacting history and retrying...",
      'say fine',
    ].join('\n'),
    retrying,
  ])
  await whole(running)
  assert.equal(answerOf(running), 'fine')
  assert.deepEqual(
    running.of('retry.start').map(({ attempt, turn }) => [turn, attempt]),
    [
      [1, 1],
      [1, 2],
      [2, 1],
    ],
  )
  assert.equal(running.of('context.trim').length, 1)
  assert.equal(running.of('turn.end')[0]!.text, 'fine')
})

test('a failure after which the model went on is not the end', async () => {
  const running = play(['say Error: Last error: 500 broken\nsay fine'])
  assert.deepEqual([(await whole(running)).reason, running.of('error')[0]!.error.category], ['end_turn', 'provider'])
})

test('words that only look like a note are the answer', async () => {
  assert.equal((await whole(play(['say Errors: none\nsay , Info here']))).text, 'Errors: none, Info here')
})

test('it gets what it logs in with, and its model by a flag', () => {
  const env = { PATH: '/bin', COPILOT_MODEL: 'm', GH_TOKEN: 'g', GITHUB_TOKEN: 't', OPENAI_API_KEY: 'o' }
  const { program } = copilotDriver({ ...base, file: '/bin/copilot', model: 'gpt-5', env })
  assert.ok(typeof program !== 'string')
  assert.deepEqual(program.args, ['--acp', '--model', 'gpt-5'])
  assert.deepEqual(program.env, { PATH: '/bin', AGENT: '1', COPILOT_MODEL: 'm', GH_TOKEN: 'g', GITHUB_TOKEN: 't' })
})

test('without a way back its own stream is read, with the prompt once and the answer', async () => {
  const replay = (recording: string, exit: string) =>
    play(['Do the task'], {
      file: fixture('agents/headless.mjs'),
      headless: true,
      variables: { FIXTURE_RECORDING: fixture(`copilot/${recording}.ndjson`), FIXTURE_EXIT: exit },
    })
  const running = replay('a-text', '0')
  const { reason, text } = await whole(running)
  assert.equal(reason, 'end_turn')
  assert.ok(text!.length > 0)
  assert.equal(running.of('prompt.submit').length, 1)
  const failed = await whole(replay('h-401', '1'))
  assert.deepEqual([failed.reason, failed.error!.category], ['error', 'auth'])
  assert.deepEqual(headlessFlags({ ...base, model: 'm', native: 'id' }), ['--output-format', 'json', '--model', 'm', '--resume=id'])
})
