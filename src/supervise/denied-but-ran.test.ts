import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { PolicyAction } from './policy.ts'
import { createDeniedButRan } from './denied-but-ran.ts'

type Answer = Payload<'permission.answer'>
type Status = Payload<'tool.end'>['status']

const place = (call: string, session = 's') => ({ session, call })
const answered = (call: string, decision: Answer['decision'], by: Answer['by'] = 'rule') =>
  makeEvent('permission.answer', { decision, by, name: 'Bash' }, place(call))
const started = (call: string, input: unknown = {}) => makeEvent('tool.start', { name: 'Bash', toolKind: 'execute', input }, place(call))
const ended = (call: string, status: Status, session?: string, exitCode?: number) =>
  makeEvent('tool.end', { status, ...(exitCode !== undefined && { exitCode }) }, place(call, session))
/** Types, codes, and whether the run ends. */
const said = (actions: readonly PolicyAction[]) =>
  actions.map((action) =>
    action.type === 'error' ? ['error', action.error.error.code, action.error.fatal] : action.type === 'stop' ? ['stop', action.code] : [],
  )
const broken = [
  ['error', 'denied-but-ran', true],
  ['stop', 'denied-but-ran'],
]

test('a call that a rule denied and that was made is an error and ends the run, once', () => {
  const policy = createDeniedButRan()
  assert.deepEqual(policy.step(answered('a', 'reject')), [])
  const actions = policy.step(ended('a', 'ok'))
  assert.deepEqual(said(actions), broken)
  assert.ok(actions[1]?.type === 'stop' && actions[1].text.includes('"Bash"'))
  assert.deepEqual(policy.step(ended('a', 'ok')), [])
})

test('a command that failed with an exit code was made, too', () => {
  const policy = createDeniedButRan()
  policy.step(answered('a', 'reject'))
  assert.deepEqual(said(policy.step(ended('a', 'error', 's', 3))), broken)
  policy.step(answered('b', 'reject'))
  assert.deepEqual(policy.step(ended('b', 'error')), [])
})

test('a person refused it: an error and a line, and the run goes on', () => {
  const lines: string[] = []
  const policy = createDeniedButRan({ report: (text) => lines.push(text) })
  policy.step(answered('a', 'reject', 'user'))
  assert.deepEqual(said(policy.step(ended('a', 'ok'))), [['error', 'denied-but-ran', false]])
  assert.equal(lines.length, 1)
})

test('a call that was never asked for is judged when it was made, by its latest input', () => {
  const inputs: unknown[] = []
  const policy = createDeniedButRan({
    against({ input }) {
      inputs.push(input)
      return { text: 'a rule denies it', ends: true }
    },
  })
  policy.step(started('a', {}))
  policy.step(makeEvent('tool.update', { state: 'running', input: { command: 'rm x' } }, place('a')))
  assert.deepEqual(said(policy.step(ended('a', 'ok'))), broken)
  assert.deepEqual(inputs, [{ command: 'rm x' }])
  policy.step(started('b'))
  policy.step(answered('b', 'allow', 'user'))
  assert.deepEqual(policy.step(ended('b', 'ok')), [], 'who was asked has allowed it')
})

test('one that failed, was allowed after all, or is of another session is none', () => {
  const policy = createDeniedButRan()
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
  const policy = createDeniedButRan()
  for (let n = 0; n < 5000; n++) policy.step(answered(`c${n}`, 'reject'))
  assert.deepEqual(policy.step(ended('c0', 'ok')), [])
  assert.equal(policy.step(ended('c4999', 'ok')).length, 2)
})
