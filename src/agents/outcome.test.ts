import assert from 'node:assert/strict'
import test from 'node:test'
import { type Cancel, endOfRun, type Story } from './outcome.ts'

const left = { code: 0, signal: null }
const ended = { reason: 'end_turn' } as const
const story = (more: Partial<Story>): Story => ({
  title: 'It',
  exit: left,
  turn: ended,
  isUnfinished: false,
  wasEnded: false,
  cancel: undefined,
  stderr: '',
  ...more,
})
const reasonOf = (more: Partial<Story>) => endOfRun(story(more)).reason
const cancel = (reason: Cancel['reason']): Cancel => ({ type: 'cancel', target: 'session', by: 'policy', reason, text: 'why' })

test('the last turn and the exit must both be good', () => {
  assert.equal(reasonOf({}), 'end_turn')
  assert.equal(reasonOf({ turn: { reason: 'max_tokens' } }), 'max_tokens')
  assert.equal(reasonOf({ turn: { reason: 'refusal' }, exit: { code: 1, signal: null } }), 'refusal')
  assert.equal(reasonOf({ exit: { code: 1, signal: null } }), 'error')
  assert.equal(reasonOf({ exit: { code: null, signal: 'SIGSEGV' } }), 'error')
  assert.equal(reasonOf({ exit: { code: 143, signal: null }, wasEnded: true }), 'end_turn')
})

test('work that was not finished is no success, whatever the exit code', () => {
  assert.equal(reasonOf({ isUnfinished: true }), 'cut')
  assert.equal(reasonOf({ isUnfinished: true, turn: undefined }), 'cut')
  assert.equal(reasonOf({ isUnfinished: true, exit: { code: 143, signal: null } }), 'error')
  assert.equal(reasonOf({ turn: undefined }), 'end_turn') // it was given nothing to do
})

test('a stop counts unless the work was done or had failed before', () => {
  assert.equal(reasonOf({ cancel: cancel('timeout'), isUnfinished: true }), 'timeout')
  assert.equal(reasonOf({ cancel: cancel('budget'), turn: { reason: 'cancelled' } }), 'budget')
  assert.equal(reasonOf({ cancel: cancel('budget') }), 'end_turn')
  assert.equal(reasonOf({ cancel: cancel('blocked') }), 'blocked')
  assert.equal(reasonOf({ cancel: cancel('error') }), 'error') // nobody answered: not a matter of who is faster
  assert.equal(reasonOf({ cancel: cancel('stall'), turn: { reason: 'max_tokens' } }), 'max_tokens')
  assert.equal(reasonOf({ cancel: cancel('cancelled') }), 'cancelled')
  assert.equal(reasonOf({ cancel: cancel('cancelled'), turn: { reason: 'error' } }), 'error')
  assert.equal(reasonOf({ cancel: cancel('timeout'), turn: { reason: 'error' } }), 'error')
  assert.equal(reasonOf({ cancel: cancel('cancelled'), noStart: 'x', turn: undefined }), 'cancelled')
})

test('who was ended in the middle of his work has failed for that, whatever he says then', () => {
  const abandoned = { category: 'unknown', text: 'it was ended', code: 'unheard' } as const
  const killed = { exit: { code: 143, signal: null }, abandoned }
  for (const more of [{}, { isUnfinished: true }, { turn: { reason: 'error' } } as const])
    assert.equal(endOfRun(story({ ...killed, ...more })).error, abandoned)
  assert.equal(reasonOf({ ...killed, wasEnded: true }), 'end_turn') // his work was done
})

test('the reason comes with what the program said last, cut', () => {
  const { error } = endOfRun(story({ isUnfinished: true, exit: { code: 2, signal: null }, stderr: `${'x'.repeat(2000)}end\n` }))
  assert.match(error!.text, /^It ended with exit code 2: …x+end$/)
  assert.equal(error!.text.length < 600, true)
})

test('cancelled is only what somebody cancelled', () => {
  const turn = { reason: 'cancelled' } as const
  assert.equal(reasonOf({ turn, wasStopped: true }), 'cancelled')
  const killed = endOfRun(story({ turn, exit: { code: 143, signal: null } }))
  assert.deepEqual([killed.reason, killed.error?.code], ['error', '143'])
  assert.match(killed.error!.text, /though nobody had cancelled it, and ended with exit code 143$/)
  assert.equal(endOfRun(story({ turn })).error?.code, 'stopped')
  assert.equal(endOfRun(story({ turn, exit: { code: null, signal: 'SIGTERM' } })).error?.code, 'SIGTERM')
})
