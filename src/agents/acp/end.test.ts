import assert from 'node:assert/strict'
import test from 'node:test'
import { whole } from '../support.test.ts'
import { allow, play, replay } from './support.test.ts'

test('an error in place of an answer ends the turn as failed, with its category', async () => {
  for (const [line, category] of [
    ['fail 401 no key', 'auth'],
    ['fail 429 slow down', 'rate_limit'],
    ['fail -32000 Authentication required', 'auth'],
    ['fail -32603 Internal error', 'unknown'],
  ] as const) {
    const running = play([`say begun\n${line}`])
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.category], ['error', category])
    assert.equal(running.of('turn.end')[0]!.reason, 'error')
    assert.equal(running.of('error').length, 1)
  }
})

test('an answer to the prompt that cannot be read ends the turn as failed, and says what it was', async () => {
  for (const answer of ['{}', '{"result":null}', '{"result":{}}', '{"result":{"stopReason":5}}', '{"error":null}', '{"error":"boom"}']) {
    const running = play([`say begun\nanswer ${answer}`])
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.code, running.of('turn.end').length], ['error', 'unreadable-end', 1], answer)
    assert.match(error!.text, /cannot be read: "\{"jsonrpc":"2.0"/)
    assert.ok(error!.text.includes(answer.slice(1, -1)), answer)
  }
})

test('a failed turn is not the end of the session', async () => {
  const running = play(['fail 500 broken', 'say fine'])
  assert.deepEqual([(await whole(running)).reason, running.of('turn.end')[0]!.reason], ['end_turn', 'error'])
})

test('the reason that the agent gives is told', async () => {
  for (const [word, reason] of [
    ['max_tokens', 'max_tokens'],
    ['max_turn_requests', 'max_turns'],
    ['refusal', 'refusal'],
  ] as const)
    assert.equal((await whole(play([`say half\nstop ${word}`]))).reason, reason)
})

test('a limit or a refusal of the model that is passed on as a failure is told as what it is', async () => {
  for (const [words, reason] of [
    ['Incomplete response returned, reason: max_output_tokens', 'max_tokens'],
    ['stream disconnected before completion: Incomplete response returned, reason: content_filter', 'refusal'],
    ["Internal error: API Error: Claude's response exceeded the 32000 output token maximum.", 'max_tokens'],
  ] as const)
    assert.equal((await whole(play([`say half\nfail -32603 ${words}`]))).reason, reason)
})

test('a 401 of a real agent is a failure to log in', async () => {
  for (const agent of ['claude', 'codex', 'gemini', 'opencode']) {
    const { reason, error } = await whole(replay(`${agent}/h-401`))
    assert.deepEqual([reason, error!.category], ['error', 'auth'], agent)
  }
})

test('Codex has failed when it gives up, though it says that it is done', async () => {
  for (const [recording, category] of [
    ['codex/h-429', 'rate_limit'],
    ['codex/h-cut-forever', 'network'],
  ] as const) {
    const running = replay(recording)
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.category], ['error', category])
    assert.equal(running.of('error').length, 1)
    assert.equal(running.of('retry.start').length, 2)
  }
})

test('an answer that was broken off and said again is told once', async () => {
  assert.equal((await whole(replay('codex/h-cut'))).text, 'The answer is cut in the middle.')
})

test('a subagent whose end is never told does not hold the run', { timeout: 10_000 }, async () => {
  const running = replay('codex/g-subagent-alone', allow)
  const { reason, text } = await whole(running)
  assert.deepEqual([reason, text], ['end_turn', 'The helper says three.'])
  assert.deepEqual(
    running.of('task.end').map(({ status }) => status),
    ['abandoned'],
  )
})

test('an agent that dies in its turn has failed', async () => {
  const running = play(['say begun\ntool ls\ndie 3'])
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error!.code], ['error', '3'])
  const silent = await whole(play(['die 0']))
  assert.equal(silent.reason, 'cut')
})

test('an agent that does not leave when its input closes is ended, and its turn stands', async () => {
  const running = play(['say fine'], { variables: { FIXTURE_STAYS: '1' }, times: { lingerMs: 60, termMs: 100 } })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('notice').filter(({ code }) => code === 'lingering').length, 1)
})

test('a turn that does not end when it is cancelled is ended with its session', async () => {
  const running = play(['say begun\nwait'], { variables: { FIXTURE_DEAF: '1' }, times: { interruptMs: 30, termMs: 100 } })
  await running.until('text.delta')
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  const { reason, error } = await whole(running)
  assert.equal(reason, 'cancelled')
  assert.match(error!.text, /did not end its turn/)
})

test('an agent that answers a cancel with an error has not failed; one that failed before it has', { timeout: 20_000 }, async () => {
  const broken = (): ReturnType<typeof play> => play(['say begun\nwait'], { variables: { FIXTURE_ABORTS: '1' } })
  for (const [target, reason] of [
    ['session', 'timeout'],
    ['turn', 'cancelled'],
  ] as const) {
    const running = broken()
    await running.until('text.delta')
    running.send({ type: 'cancel', target, by: 'policy', reason })
    assert.equal((await whole(running)).reason, reason)
    const [end] = running.of('turn.end')
    assert.deepEqual([end!.reason, end!.error!.text], ['cancelled', 'aborted'])
  }
  const failed = play(['say begun\nfail 500 broken'], { variables: { FIXTURE_STAYS: '1' } })
  await failed.until('turn.end')
  failed.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout' })
  assert.equal((await whole(failed)).reason, 'error')
  const later = broken()
  await later.until('text.delta')
  later.send({ type: 'prompt', text: 'fail 500 broken' })
  later.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(later)).reason, 'error')
})

test('an agent that calls it an end like any other to be cancelled has not done its work', { timeout: 10_000 }, async () => {
  for (const target of ['session', 'turn'] as const) {
    const running = play(['ask rm x'], { variables: { FIXTURE_DEAF: '1' } })
    await running.until('turn.start')
    while (running.asks.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    running.send({ type: 'cancel', target, by: 'policy', reason: 'cancelled' })
    assert.equal((await whole(running)).reason, 'cancelled')
    assert.equal(running.of('turn.end')[0]!.reason, 'cancelled')
  }
})

test('a prompt that is taken back before there is a session is not said', async () => {
  const running = play(['say one', 'say two'])
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(running)).text, 'two')
  assert.equal(running.of('turn.end').length, 1)
})

test('a program that is no agent is told as what it is', async () => {
  const echo = await whole(play(['say hi'], { command: '/bin/cat' }))
  assert.equal(echo.reason, 'error')
  const quitter = await whole(play(['say hi'], { command: '/bin/sh -c "echo I am a shell; exit 0"' }))
  assert.equal(quitter.reason, 'cut')
})
