// What comes back to appctl as it was told, and what of a start and an end is counted where it has no place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Fault } from '../../model/event.ts'
import { appctl } from './index.ts'
import { decodeAll, encodeAll, plain, type Told, tellAll } from './support.test.ts'

test('a session_state comes back without what the source did not tell', () => {
  const stream = (about: Rec): Rec[] => [
    { kind: 'session_state', session_id: 's', transcript_len: 2, ...about },
    { kind: 'user_prompt', text: 'go' },
    { kind: 'done' },
  ]
  for (const about of [{}, { resumed: false }, { resumed: true }])
    assert.deepEqual(encodeAll(plain(decodeAll(stream(about)))), { records: stream(about), added: [], lost: [] })
})

test('what of a session and a turn is never told stands in the table', () => {
  for (const field of ['native', 'forkedFrom']) assert(appctl.loss['session.start'].lost?.includes(field), field)
  for (const field of ['native', 'text', 'status']) assert(appctl.loss['session.end'].lost?.includes(field), field)
  for (const field of ['program', 'version', 'agentName', 'schema']) assert(appctl.loss['session.update'].lost?.includes(field), field)
  assert(appctl.loss['turn.end'].lost?.includes('failed'))
})

test('an error that an end tells beside another one is counted', () => {
  const fault = (text: string): Fault => ({ category: 'unknown', text })
  const lostIn = (...told: Told[]): string[] => encodeAll(tellAll([['turn.start', { trigger: 'prompt' }], ...told])).lost
  const failed: Told = ['turn.end', { reason: 'error', error: fault('a') }]
  assert.deepEqual(lostIn(failed, ['session.end', { reason: 'error', error: fault('a') }]), [])
  assert.deepEqual(lostIn(failed, ['session.end', { reason: 'error', error: fault('b') }]), ['session.end.error drop'])
  assert.deepEqual(lostIn(['error', { scope: 'turn', fatal: true, error: fault('b') }], failed), ['turn.end.error drop'])
  assert.deepEqual(lostIn(['error', { scope: 'turn', fatal: true, error: fault('a') }], failed), [])
})
