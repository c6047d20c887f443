// What is neither written nor in the table of losses must be counted by the encoder, case by case.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../../model/event.ts'
import { avenor } from './index.ts'
import { encodeAll, type Told, tellAll } from './support.test.ts'

const lostIn = (told: readonly Told[]): string[] => encodeAll(tellAll(told)).lost

test('how a session began', () => {
  const start = (about: Payload<'session.start'>): string[] => lostIn([['session.start', about]])
  assert.deepEqual(start({ how: 'new', native: 's' }), [])
  assert.deepEqual(start({ how: 'resumed' }), ['session.start.how drop'])
  assert.deepEqual(start({ how: 'forked' }), ['session.start.how drop'])
  assert.deepEqual(start({ native: 'n' }), ['session.start.native drop'])
  const goesOn: Told[] = [
    ['session.start', {}],
    ['session.end', { reason: 'end_turn' }],
    ['session.start', {}],
    ['session.end', { reason: 'end_turn' }],
  ]
  assert.deepEqual(lostIn(goesOn), []) // that it was resumed can be seen
})

test('how a turn and a session ended', () => {
  const error = { category: 'unknown', text: 'e' } as const
  assert.deepEqual(
    lostIn([
      ['turn.start', { trigger: 'prompt' }],
      ['turn.end', { reason: 'end_turn', error }],
    ]),
    ['turn.end.error drop'],
  )
  assert(avenor.loss['turn.end'].lost?.includes('failed'))
  assert(avenor.loss['session.end'].lost?.includes('native'))
})
