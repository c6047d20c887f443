import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import { customRecord, fieldsText } from './fields.ts'
import { createTimeline } from './rows.ts'

test('fields are key=value, without those that every event has', () => {
  const record = {
    event: 'deploy.checked',
    session_id: 's',
    ts: 1,
    seq: 2,
    target: 'eu-1',
    ok: true,
    note: 'two words',
    n: null,
    urls: ['a', { b: 1 }],
    by: { id: 7 },
  }
  assert.equal(fieldsText(record), 'target=eu-1 ok=true note="two words" n=null urls=[a,{…}] by={id:7}')
  assert.equal(fieldsText({ event: 'x' }), '')
})

test('fields are bounded, however large the record is', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, 'x'.repeat(50)]))
  for (const record of [
    { text: 'x'.repeat(1e6) },
    { list: Array.from({ length: 1e5 }, () => 'item') },
    many,
    { many },
    { ['k'.repeat(1e6)]: 1 },
  ])
    assert.ok(fieldsText(record).length <= 501)
  assert.ok(fieldsText({ text: 'x'.repeat(1e6) }).endsWith('x…'))
})

test('a custom event is a note with its fields; one without meaning in another dialect is not', () => {
  const event = makeEvent('raw', { type: 'deploy.checked', why: 'unknown' }, { session: 's' })
  event.raw = '{"event":"deploy.checked","target":"eu-1"}'
  event.origin = { dialect: 'avenor', record: 1, offset: 0, length: 9 }
  assert.deepEqual(customRecord(event), { event: 'deploy.checked', target: 'eu-1' })
  assert.deepEqual(
    createTimeline()
      .push(event)
      .map((row) => row.type === 'note' && [row.label, row.text]),
    [['deploy.checked', 'target=eu-1']],
  )
  assert.equal(customRecord({ ...event, origin: { ...event.origin, dialect: 'claude' } }), undefined)
  assert.equal(customRecord({ ...event, raw: '{"event":' }), undefined)
})
