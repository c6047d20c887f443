// How sure the dialect is of a record, and what it leaves to others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copilot } from './index.ts'
import { rec, result } from './support.test.ts'

test('the whole envelope is sure, less of it is less so', () => {
  const { id: _id, ...bare } = rec('user.message', { content: 'x' })
  const { timestamp: _timestamp, ...barest } = bare
  assert.deepEqual(
    [rec('user.message', { content: 'x' }), result, rec('brand.new'), bare, barest].map((record) => copilot.claim(record)),
    [1, 1, 0.9, 0.9, 0.6],
  )
})

test('records of other agents are left to them', () => {
  for (const record of [
    { type: 'result', subtype: 'success', session_id: 's', is_error: false },
    { type: 'result', timestamp: '2026-11-15T20:04:06.459Z', status: 'success', stats: {} },
    { type: 'session.idle', properties: { sessionID: 's' } },
    { type: 'turn.completed', usage: {} },
    { type: 'text', timestamp: 1, sessionID: 's', part: {} },
    { event: 'session.start', session_id: 's' },
    { kind: 'session.start', v: 1, seq: 1 },
    { type: 'session_meta', timestamp: '2026-11-15T20:04:06.459Z', payload: {} },
    { type: 5, data: {} },
  ])
    assert.equal(copilot.claim(record), 0, JSON.stringify(record))
})

test('a session file says which version wrote it', () => {
  assert.equal(copilot.version?.(rec('session.start', { sessionId: 's', copilotVersion: '1.0.102' })), '1.0.102')
  assert.equal(copilot.version?.(rec('user.message', { content: 'x', copilotVersion: '1' })), undefined)
})
