import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opencode } from './index.ts'
import { fixture } from './support.test.ts'

const [step, text] = fixture('1.18.33/run/a-text.ndjson')

test("a server's events are claimed for sure, also those of types that nobody knows yet", () => {
  for (const type of Object.keys(opencode.shapes.checks).filter((tag) => tag.includes('.') && !tag.includes('/')))
    assert.ok(opencode.claim({ type, properties: {} }) >= 0.7, type)
  assert.equal(opencode.claim({ type: 'session.status', properties: {} }), 1)
  assert.equal(opencode.claim({ type: 'moon.phase', properties: {} }), 0.7)
  assert.equal(opencode.claim({ type: 'session.status', data: {} }), 0)
})

test("a run's lines are claimed unless they say that they are aictrl's", () => {
  assert.deepEqual([opencode.claim(step!), opencode.claim(text!)], [0.7, 0.8])
  for (const mark of [{ sequenceNum: 1 }, { schemaVersion: '1' }, { sourceSessionID: 's' }])
    assert.equal(opencode.claim({ ...text, ...mark }), 0)
  assert.equal(opencode.claim({ type: 'error', timestamp: 1, sessionID: text!['sessionID'], error: { name: 'APIError' } }), 0.7)
})

test('other dialects are left alone', () => {
  for (const record of [
    { type: 'assistant', session_id: 's' },
    { type: 'session_start', timestamp: 1, sessionID: text!['sessionID'] },
    { type: 'text', timestamp: 1, sessionID: 's', part: { text: 'x' } },
    { type: 'error', message: 'x' },
    { event: 'session.end' },
    { type: 7 },
    {},
  ])
    assert.equal(opencode.claim(record), 0, JSON.stringify(record))
})

test('the version is that of the program, as a session tells it', () => {
  const [created] = fixture('1.18.33/serve/a-text.sse.ndjson').filter(({ type }) => type === 'session.created')
  assert.equal(opencode.version?.(created!), '1.18.33')
  assert.equal(opencode.version?.(text!), undefined)
  assert.equal(opencode.version?.({ type: 'session.created', properties: { info: null } }), undefined)
})
