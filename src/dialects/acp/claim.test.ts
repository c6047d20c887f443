import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimer } from './claim.ts'
import { agents, answer, ask, bare, fail, fixture, message, namesIn, says } from './support.test.ts'

test('methods and updates of the protocol are claimed for sure, alone and in traffic', () => {
  for (const record of [says('a'), ask(2, 'session/prompt'), ask(0, 'session/request_permission'), ask(1, 'terminal/output')]) {
    assert.equal(claimer.claim(record), 1)
    assert.equal(claimer.claim({ t: 1, from: 'agent', message: record }), 1)
  }
})

test('what other protocols say too is claimed with doubt', () => {
  const doubtful = [
    ask(0, 'initialize', { protocolVersion: '2025-06-18' }),
    ask(1, 'elicitation/create', { message: 'x' }),
    ask(2, 'textDocument/hover'),
    answer(3, {}),
    fail(4, -32603, 'x'),
    message({ method: '_x/y' }),
  ]
  for (const record of doubtful) assert(claimer.claim(record) > 0 && claimer.claim(record) < 0.9, JSON.stringify(record))
})

test("messages without jsonrpc are not the protocol's", () => {
  assert.equal(claimer.claim({ id: 1, method: 'initialize', params: { clientInfo: {} } }), 0)
  assert.equal(claimer.claim({ t: 1, from: 'client', message: { method: 'turn/start', id: 3 } }), 0)
  assert.equal(claimer.claim({ type: 'assistant', message: { content: [] } }), 0)
  assert.equal(claimer.claim({ message: null, jsonrpc: '2.0' }), 0)
})

test('the version is that of the protocol, from the answer to initialize', () => {
  assert.equal(claimer.version?.(answer(0, { protocolVersion: 1 })), '1')
  assert.equal(claimer.version?.(answer(0, {})), undefined)
})

test('every recorded message is claimed, one of each stream for sure', () => {
  for (const agent of agents)
    for (const name of namesIn(`${agent}/`, '.ndjson')) {
      const claims = fixture(name).map((record) => claimer.claim(record))
      assert(Math.min(...claims) >= 0.6 && Math.max(...claims) === 1, name)
      assert.deepEqual(
        bare(fixture(name)).map((record) => claimer.claim(record)),
        claims,
        name,
      )
    }
})
