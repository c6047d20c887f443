import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { unmarked } from '../support.test.ts'
import {
  child,
  codesOf,
  decodeAll,
  fixture,
  grown,
  jsonFixture,
  line,
  only,
  part,
  repaired,
  status,
  stepFinish,
  stepStart,
  told,
  toolUse,
  userMessage,
} from './support.test.ts'

const expected = jsonFixture('rejected/expected.json') as Record<string, string[]>

const error = (name: string): Rec => line('error', { error: { name, data: {} } })

test('a run may end with its last step, an error or a refused call', () => {
  const refused = toolUse('bash', { status: 'error', error: 'The user rejected permission to use this' })
  for (const records of [
    [stepStart(), stepFinish('stop')],
    [stepStart(), stepFinish('length')],
    [error('APIError')],
    [stepStart(), error('MessageAbortedError')],
    [stepStart(), refused, stepFinish('tool-calls')],
  ])
    assert.deepEqual(codesOf(records), [], JSON.stringify(records))
})

test('a step may be tried again, and an error may end it', () => {
  assert.deepEqual(codesOf([stepStart(), stepStart(), stepFinish('stop')]), [])
  assert.deepEqual(codesOf([stepStart('m1'), error('APIError'), stepStart('m2'), stepFinish('stop', 'm2')]), [])
  const over = told('message.updated', { info: { id: 'm', role: 'assistant', error: {}, time: { completed: 1 } } })
  const next = told('message.part.updated', { part: { ...part('step-start'), messageID: 'm2' } })
  assert.deepEqual(codesOf([grown('step-start'), over, next, status('idle')]), [])
})

test('each time that a session is busy it counts its retries anew', () => {
  const retry = (attempt: number): Rec => status('retry', { attempt, message: 'x', next: 1 })
  assert.deepEqual(codesOf([retry(1), retry(2), status('idle'), retry(1), status('idle')]), [])
  assert.deepEqual(codesOf([retry(1), status('idle'), retry(2), status('idle')]), ['retry-count'])
})

test('sessions are judged apart, also a child and its parent', () => {
  const busy = [status('busy'), grown('step-start'), grown('step-finish'), status('idle')]
  const mixed = busy.flatMap((record) => [record, child(record)])
  assert.deepEqual(codesOf(mixed), [])
  assert.deepEqual(codesOf(mixed.slice(0, -1)), ['missing-end'])
})

test('who connects in the middle misses nothing', () => {
  const delta = told('message.part.delta', { messageID: 'm', partID: 'x', field: 'text', delta: 'a' })
  assert.deepEqual(codesOf([delta, grown('text', { text: 'a', time: { end: 1 } }), grown('step-finish'), status('idle')]), [])
  assert.deepEqual(codesOf([grown('tool', { tool: 'bash', callID: 'c', state: { status: 'completed' } }), status('idle')]), [])
})

test("a user's text needs no step, and an old call may be told again when its output is cleared", () => {
  const prompt = told('message.part.updated', { part: { ...part('text', { text: 'Hi' }), messageID: 'u' } })
  const call = (time: Rec): Rec => grown('tool', { tool: 'read', callID: 'c', state: { status: 'completed', time } })
  assert.deepEqual(
    codesOf([grown('step-start'), call({}), call({ compacted: 5 }), grown('step-finish'), userMessage(), prompt, status('idle')]),
    [],
  )
})

test('an abort may end calls after idle', () => {
  const call = (state: string): Rec => grown('tool', { tool: 'bash', callID: 'c', state: { status: state } })
  assert.deepEqual(
    codesOf([
      status('busy'),
      grown('step-start'),
      call('running'),
      told('session.error', {}),
      status('idle'),
      call('error'),
      status('idle'),
    ]),
    [],
  )
})

test('a stream that was cut is made whole: calls are aborted, the session becomes idle, a run fails', () => {
  for (const name of Object.keys(expected).filter((one) => expected[one]!.includes('missing-end')))
    assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}`))), [], name)
  const cut = [
    status('busy'),
    grown('step-start'),
    grown('tool', { tool: 'bash', callID: 'c', state: { status: 'running', input: { a: 1 } } }),
  ]
  const events = decodeAll(unmarked(repaired(cut)))
  assert.deepEqual([only(events, 'tool.end')[0]?.status, only(events, 'turn.end')[0]?.synthetic], ['cancelled', undefined])
  assert.deepEqual(unmarked(repaired([stepStart()])).at(-1), {
    type: 'error',
    timestamp: 1000,
    sessionID: 's',
    error: { name: 'UnknownError', data: { message: 'the stream ended early' } },
  })
})
