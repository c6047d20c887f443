import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aictrl } from './index.ts'
import { fixture, namesIn } from './support.test.ts'

test('every record type of the shapes is known to the claim', () => {
  for (const type of Object.keys(aictrl.shapes.checks)) {
    assert.ok(aictrl.claim({ type, sessionID: 's', timestamp: 1, part: {}, error: {} }) >= 0.5, type)
  }
})

test("the document's examples are claimed, and its sessions for sure", () => {
  for (const name of namesIn('document/', '')) {
    const claims = fixture(name).map((record) => aictrl.claim(record))
    assert.ok(
      claims.every((claim) => claim >= (name.includes('base') ? 0 : 0.5)),
      name,
    )
    if (name.endsWith('.ndjson')) assert.equal(claims[0], 1)
  }
})

test('records that opencode could have written are claimed by half', () => {
  const step = { type: 'step_start', timestamp: 1, sessionID: 's', part: { type: 'step-start' } }
  assert.equal(aictrl.claim(step), 0.6)
  assert.equal(aictrl.claim({ ...step, schemaVersion: '1' }), 1)
  assert.equal(aictrl.claim({ type: 'text', part: { text: 'x' }, sequenceNum: 1 }), 1)
  assert.equal(aictrl.claim({ type: 'error', timestamp: 1, sessionID: 's', error: {}, sourceSessionID: 's' }), 1)
})

test('other dialects are left alone', () => {
  for (const record of [
    { type: 'assistant', session_id: 's' },
    { event: 'session.end' },
    { kind: 'done' },
    { type: 'error', message: 'x' },
    { type: 'text', text: 'x' },
    { type: 7 },
    {},
  ]) {
    assert.equal(aictrl.claim(record), 0, JSON.stringify(record))
  }
  assert.equal(aictrl.claim({ type: 'moon_phase', timestamp: 1, sessionID: 's' }), 0.3)
})

test('the version is the schema version', () => {
  assert.equal(aictrl.version?.({ type: 'session_start', schemaVersion: '1' }), '1')
  assert.equal(aictrl.version?.({ type: 'text' }), undefined)
})
