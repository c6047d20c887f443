import assert from 'node:assert/strict'
import test from 'node:test'
import { type Facts, type Input, type State, transition } from './lifecycle.ts'
import { createProgress } from './progress.ts'
import { timeOf, timeouts } from './timeouts.ts'

type Known = Partial<Record<keyof Facts, boolean>>

const factsOf = (known: Known): Facts => {
  const says = (name: keyof Facts) => (): boolean => known[name] === true
  return {
    isBusy: says('isBusy'),
    isLast: says('isLast'),
    isClosed: says('isClosed'),
    isUnanswered: says('isUnanswered'),
    isCancelledTurn: says('isCancelledTurn'),
    hasTasks: says('hasTasks'),
    mayGoOn: says('mayGoOn'),
    stays: known.stays === true,
  }
}

/** The states that follow from the start, one for each input. */
function walk(...inputs: (Input | [Input, Known])[]): string {
  let state: State = 'starting'
  const states = inputs.map((one) => {
    const [input, known] = typeof one === 'string' ? [one, {}] : one
    const step = transition(state, input, factsOf(known))
    state = step?.to ?? state
    return step?.because === undefined ? state : `${state}: ${step.because}`
  })
  return states.join(', ')
}

const running = ['ready', 'in-turn', 'interrupting', 'last-step', 'settling', 'background', 'leaving', 'unanswered', 'silent'] as const
const all: readonly State[] = ['starting', ...running, 'stopping', 'ending', 'left', 'over']
const done = { isLast: true, isClosed: true }

test('a session that does its work leaves by itself', () => {
  const busy = { isBusy: true, isLast: true }
  assert.equal(walk(['started', busy], ['activity', busy], ['activity', done], 'exit', 'finished'), 'in-turn, in-turn, leaving, left, over')
})

test('a program that lives on is ended, however much it says', () => {
  assert.equal(walk(['started', done], ['activity', done], ['timeout', done]), 'leaving, leaving, ending: lingering')
  const busy = { ...done, isBusy: true }
  assert.equal(walk(['started', done], ['activity', busy], ['timeout', busy]), 'leaving, leaving, ending: went-on')
  assert.equal(walk(['started', { ...done, stays: true }]), 'ending: dismissed')
})

test('the end of a task may start a turn: until then the input stays open, and the time of the rest starts anew', () => {
  const open = { isLast: true, mayGoOn: true }
  assert.equal(walk(['started', open], ['activity', { ...open, isBusy: true }], ['activity', open]), 'settling, in-turn, settling')
  assert.equal(walk(['started', open], ['timeout', { ...open, hasTasks: true }], ['activity', done]), 'settling, background, leaving')
  assert.deepEqual(transition('settling', 'activity', factsOf(open)), { to: 'settling' })
  assert.equal(transition('leaving', 'activity', factsOf({ ...done, hasTasks: true })), undefined)
})

test('a cancelled session stops after its step, or at once', () => {
  const busy = { isBusy: true }
  assert.equal(
    walk(['started', busy], ['cancel-after-step', busy], ['activity', busy], 'cancel', 'timeout'),
    'in-turn, last-step, last-step, stopping, ending',
  )
  assert.equal(walk('cancel', 'started', 'exit'), 'stopping, ending, left')
  assert.equal(walk(['cancel-after-step', busy], ['started', busy], ['activity', {}]), 'last-step, last-step, stopping')
  for (const state of ['interrupting', 'unanswered', 'silent'] as const)
    // no step will end there
    assert.deepEqual(transition(state, 'cancel-after-step', factsOf(busy)), { to: 'stopping' })
})

test('a cancelled turn has its time, which ends with the turn', () => {
  const stuck = { isBusy: true, isCancelledTurn: true }
  assert.equal(
    walk(['started', stuck], 'interrupt', ['activity', stuck], ['timeout', stuck]),
    'in-turn, interrupting, interrupting, ending: turn-stuck',
  )
  assert.equal(walk(['started', stuck], 'interrupt', ['activity', { isBusy: true }]), 'in-turn, interrupting, in-turn')
})

test('an exit and the end of the session count in every state, and nothing counts after it', () => {
  for (const state of all) {
    if (state !== 'left' && state !== 'over') assert.deepEqual(transition(state, 'exit', factsOf({})), { to: 'left' })
    if (state !== 'over') assert.deepEqual(transition(state, 'finished', factsOf({})), { to: 'over' })
  }
  for (const input of ['started', 'activity', 'timeout', 'cancel', 'exit', 'finished'] as const)
    assert.equal(transition('over', input, factsOf({})), undefined)
})

test('each state that has a time is left when it is up', () => {
  for (const state of all) {
    const next = transition(state, 'timeout', factsOf(done))
    assert.equal(next !== undefined && next.to !== state, timeOf(state, timeouts, createProgress()) !== undefined, state)
  }
})

test('a running program can be cancelled in every state', () => {
  for (const state of running) assert.deepEqual(transition(state, 'cancel', factsOf({})), { to: 'stopping' })
})
