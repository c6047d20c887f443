// A record is what its own key says: a type is no method, and the tags of messages are neither.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codex } from './index.ts'
import { decodeAll, ends, notify, only, starts, told } from './support.test.ts'

test('what only looks like a tag is unknown', () => {
  for (const record of [
    { type: 'message', role: 'user' },
    { type: 'turn/started', params: {} },
    { method: 'turn.started' },
    { method: 'response' },
    { method: 'item/*/plan' },
    { method: 'event_msg', params: {} },
  ])
    assert.deepEqual(
      only(decodeAll([record]), 'raw').map(({ why }) => why),
      ['unknown'],
      JSON.stringify(record),
    )
})

test('a message in recorded traffic is told apart from one alone, and is judged as one', () => {
  const message = notify('turn/diff/updated', { diff: '-' })
  const record = { t: 1, from: 'agent', message }
  assert.deepEqual([codex.tag(message), codex.tag(record)], ['turn/diff/updated', 'traffic turn/diff/updated'])
  const [issue] = only(decodeAll([{ t: 1, from: 'agent', message: notify('turn/diff/updated') }]), 'issue')
  assert.match(issue?.text ?? '', /"\/message\/params" lacks "diff"/)
  assert.equal(codex.tag({ t: 1, from: 'agent', message: {} }), undefined)
  assert.equal(codex.tag({ id: 1 }), undefined)
})

test('a message that names only its turn belongs to the thread of that turn', () => {
  const plan = { method: 'turn/plan/updated', params: { turnId: '1', plan: [] } }
  assert.equal(only(decodeAll([starts(), plan, ends()]), 'plan.update')[0]?.session, 't')
  assert.equal(told([starts(), plan, ends()], 'session.start').length, 1)
})
