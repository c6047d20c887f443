// An agent that leaves things out, or says them in another type.
import assert from 'node:assert/strict'
import test from 'node:test'
import { fails, mayI, play, says, well } from '../rpc-support.test.ts'
import { session as own, whole } from '../support.test.ts'

test('an answer that names no session is a failure: no prompt goes to a session that nobody named', async () => {
  for (const result of [{}, null, [], 'yes', { sessionId: null }, { sessionId: 5 }, { sessionId: '' }]) {
    const running = play('acp', { 'session/new': [says('$id', result)] })
    const { reason, error } = await whole(running)
    assert.deepEqual([reason, error!.text], ['error', 'rpc.mjs opened no session: its answer names none'])
    assert.ok(running.heard().every((line) => !line.includes('session/prompt')))
    assert.ok(running.events.every(({ session }) => session === undefined || session === own))
  }
})

test('a fork without a name of its own does not go on in the session that it was forked from', async () => {
  const agentCapabilities = { sessionCapabilities: { fork: {}, resume: {} } }
  const table = {
    initialize: [says('$id', { protocolVersion: 1, agentCapabilities })],
    'session/fork': [says('$id', {})],
    'session/resume': [says('$id', {})],
  }
  const forked = play('acp', table, { more: { how: 'forked', native: 's1', forkedFrom: 's1' } })
  assert.equal((await whole(forked)).reason, 'error')
  assert.ok(forked.heard().every((line) => !line.includes('session/prompt')))
  const resumed = play('acp', table, { more: { how: 'resumed', native: 's1' } })
  assert.equal((await whole(resumed)).reason, 'end_turn')
})

test('a question may have the id null, which is no word of the others', async () => {
  const ends = [says(3, { stopReason: 'end_turn' })]
  const update = { ...well.acp['session/prompt'][0], id: null }
  const running = play(
    'acp',
    { 'session/prompt': [update, mayI(null, 'ls')], '(reply)': ends },
    { answer: () => ({ decision: 'allow', by: 'user' }) },
  )
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.heard().filter((line) => line.includes('"id":null')),
    ['{"jsonrpc":"2.0","id":null,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}'],
  )
})

test('an error that is a text is told in its words', async () => {
  const running = play('acp', { 'session/new': [{ ...fails('$id', 0, ''), error: 'out of paper' }] })
  assert.equal((await whole(running)).error!.text, 'out of paper')
})
