import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createDefiance } from './defiance.ts'

type Decision = Payload<'permission.answer'>['decision']
type Status = Payload<'tool.end'>['status']

const place = (call: string, session = 's') => ({ session, call })
const answered = (call: string, decision: Decision, session?: string) =>
  makeEvent('permission.answer', { decision, by: 'rule', name: 'Bash' }, place(call, session))
const ended = (call: string, status: Status, session?: string) => makeEvent('tool.end', { status }, place(call, session))

test('a call that was refused and is told as made is told of, once', () => {
  const policy = createDefiance()
  assert.deepEqual(policy.step(answered('a', 'reject')), [])
  const [said] = policy.step(ended('a', 'ok'))
  assert.ok(said?.type === 'notice' && said.notice.code === 'made-in-spite' && said.notice.text!.includes('"Bash"'))
  assert.deepEqual(policy.step(ended('a', 'ok')), [])
})

test('one that failed, was allowed after all, or is of another session is not', () => {
  const policy = createDefiance()
  policy.step(answered('a', 'expired'))
  assert.deepEqual(policy.step(ended('a', 'denied')), [])
  policy.step(answered('b', 'reject'))
  policy.step(answered('b', 'allow'))
  assert.deepEqual(policy.step(ended('b', 'ok')), [])
  policy.step(answered('c', 'cancelled'))
  assert.deepEqual(policy.step(ended('c', 'ok', 'other')), [])
  assert.deepEqual(policy.step(ended('d', 'ok')), [])
})

test('what is remembered is bounded', () => {
  const policy = createDefiance()
  for (let n = 0; n < 5000; n++) policy.step(answered(`c${n}`, 'reject'))
  assert.deepEqual(policy.step(ended('c0', 'ok')), [])
  assert.equal(policy.step(ended('c4999', 'ok')).length, 1)
})
