import assert from 'node:assert/strict'
import test from 'node:test'
import type { Kind, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createProgress } from './progress.ts'

type Told = { [K in Kind]: [K, Payload<K>] }[Kind]

function spent(...told: Told[]) {
  const progress = createProgress()
  for (const [kind, payload] of told) progress.onEvent(makeEvent(kind, payload as never, {}))
  const { usage, cost } = progress.spent()
  return { ...usage, usd: cost?.usd }
}

const began: Told = ['turn.start', { trigger: 'prompt' }]
const answer: Told = ['message.end', { usage: { input: 10, output: 5 } }]
const bill = (usd: number): Told => ['usage.update', { scope: 'session', cumulative: true, cost: { usd, by: 'source' } }]
const start = (how: 'new' | 'resumed'): Told => ['session.start', { how }]

test('a turn counts as its end tells it', () => {
  const end: Told = ['turn.end', { reason: 'end_turn', usage: { input: 21, output: 9 }, cost: { usd: 0.5, by: 'source' } }]
  assert.deepEqual(spent(began, answer, end, began, answer, end), { input: 42, output: 18, usd: 1 })
  const free: Told = ['turn.end', { reason: 'end_turn', usage: { input: 0, output: 0 }, cost: { usd: 0, by: 'source' } }]
  assert.deepEqual(spent(began, free), { input: 0, output: 0, usd: 0 }) // no model was called
})

test('of a turn that was broken off, what its messages told counts; a cost of 0 is then not known', () => {
  const nothing: Told = ['turn.end', { reason: 'cancelled', usage: { input: 0, output: 0 }, cost: { usd: 0, by: 'source' } }]
  assert.deepEqual(spent(began, answer, answer, nothing), { input: 20, output: 10, usd: undefined })
  assert.deepEqual(spent(began, answer, answer, ['turn.end', { reason: 'cut' }]), { input: 20, output: 10, usd: undefined })
  assert.deepEqual(spent(began, answer), { input: 10, output: 5, usd: undefined })
})

test('of a turn that tells no cost, that of its messages counts, or what the bill of the session has grown by', () => {
  const priced: Told = ['message.end', { usage: { input: 1 }, cost: { usd: 0.25, by: 'source' } }]
  assert.equal(spent(start('new'), began, priced, priced, bill(0.5), ['turn.end', { reason: 'cancelled' }]).usd, 0.5)
  assert.equal(spent(start('new'), began, bill(0.25), bill(0.75)).usd, 0.75)
  assert.equal(spent(start('new'), began, bill(0.25), bill(0.75), ['turn.end', { reason: 'cut' }]).usd, 0.75)
  const whole: Told = ['turn.end', { reason: 'end_turn', cost: { usd: 0.5, by: 'source' } }]
  assert.equal(spent(start('new'), began, bill(0.5), whole, began, bill(0.75), ['turn.end', { reason: 'cut' }]).usd, 0.75)
  assert.equal(spent(start('resumed'), began, bill(3), ['turn.end', { reason: 'cut' }]).usd, undefined) // most of it was spent before
})
