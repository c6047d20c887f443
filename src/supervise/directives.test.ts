import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createDirectives } from './directives.ts'

const said = (text: string): Event => makeEvent('text.end', { streamed: false, text }, {})

test('an abort ends the run as blocked, once, with its label', () => {
  const { step, strongest } = createDirectives()
  assert.deepEqual(step(said('<|workflow: exit | all green|>\n[status: done]')), [])
  assert.deepEqual(strongest(), { type: 'exit', label: 'all green' })
  assert.deepEqual(step(said('[abort | no network]')), [
    { type: 'stop', reason: 'blocked', text: 'the agent gave up: "no network"', code: 'abort', when: 'step' },
  ])
  assert.deepEqual(step(said('[abort | again]\n[exit]')), [])
  assert.deepEqual(strongest(), { type: 'abort', label: 'no network' })
})

test('the next phase begins without the directives of the one before', () => {
  const { step, strongest, reset } = createDirectives()
  step(said('[abort]'))
  reset()
  assert.equal(strongest(), undefined)
  assert.equal(step(said('[abort]')).length, 1)
})
