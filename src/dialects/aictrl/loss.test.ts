// What is neither written nor in the table of losses must be counted by the encoder, case by case.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { aictrl } from './index.ts'
import { encodeAll, tellAll } from './support.test.ts'

const at = 1741500000000
const place = { session: 's', at }

test('what an end tells and aictrl has no place for is counted', () => {
  const ended = (reason: Reason, about: Partial<Payload<'session.end'>>): string[] =>
    encodeAll(
      tellAll([
        ['session.start', { model: 'm', agentName: 'a', rules: [] }, place],
        ['turn.start', { trigger: 'prompt' }, place],
        ['turn.end', { reason }, place],
        ['session.end', { reason, ...about }, place],
      ]),
    ).lost
  const sum = { input: 5, output: 6 }
  assert.deepEqual(ended('end_turn', { signal: 'SIGPIPE', usage: sum }), ['session.end.usage drop', 'session.end.signal drop'])
  assert.deepEqual(ended('end_turn', { usage: { input: 0 } }), [])
  assert.deepEqual(ended('cancelled', { signal: 'SIGINT' }), [])
  assert.deepEqual(ended('cancelled', { signal: 'SIGKILL' }), ['session.end.signal drop'])
  assert.deepEqual(ended('end_turn', { error: { category: 'unknown', text: 'e' } }), ['session.end.error drop'])
  for (const field of ['exitCode', 'native', 'files']) assert(aictrl.loss['session.end'].lost?.includes(field), field)
})

test('the tokens of a session that its last message takes are not lost', () => {
  const { records, lost } = encodeAll(
    tellAll([
      ['session.start', {}, place],
      ['text.end', { text: 'hi', streamed: false }, place],
      ['session.end', { reason: 'end_turn', usage: { input: 5, output: 6 } }, place],
    ]),
  )
  assert.match(JSON.stringify(records), /"tokens":\{"input":5,"output":6/)
  assert.deepEqual(lost, ['session.end.usage.attributed approx'])
})

test('what a turn and a start tell', () => {
  const turn = (about: Partial<Payload<'turn.end'>>, time: number | undefined): string[] =>
    encodeAll(
      tellAll([
        ['session.start', {}, { session: 's', at: time }],
        ['turn.start', { trigger: 'prompt' }, { session: 's', at: time }],
        ['turn.end', { reason: 'end_turn', ...about }, { session: 's', at: time }],
      ]),
    ).lost
  assert.deepEqual(turn({ durationMs: 7 }, undefined), []) // the duration of the session
  assert.deepEqual(turn({ durationMs: 7 }, at), ['turn.end.durationMs drop'])
  assert.deepEqual(turn({ reason: 'end_turn', error: { category: 'unknown', text: 'e' } }, at), [
    'turn.end.error drop',
    'session.end.error drop',
  ])
  for (const field of ['steps', 'failed']) assert(aictrl.loss['turn.end'].lost?.includes(field), field)

  const start = (about: Payload<'session.start'>): string[] => encodeAll(tellAll([['session.start', about, place]])).lost
  assert.deepEqual(start({ native: 's', schema: '1' }), [])
  assert.deepEqual(start({ native: 'n', schema: '7' }), ['session.start.native drop', 'session.start.schema drop'])
})
