// What a server tells of sessions, turns and messages: records that only its types name, and what comes at odd times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, grown, kindsOf, only, said, shortly, status, told, userMessage } from './support.test.ts'

const info = (fields: Rec = {}): Rec => ({ info: { id: 's', ...fields } })
const delta = (text: string, partID = 'p-text'): Rec => told('message.part.delta', { messageID: 'm', partID, field: 'text', delta: text })
const toolPart = (state: Rec, fields: Rec = {}): Rec => grown('tool', { tool: 'bash', callID: 'c', state, ...fields })

test('settings are told when they change, tokens when they grow', () => {
  const tokens = { input: 1, output: 2 }
  const events = said([
    told(
      'session.created',
      info({ version: '1.2', directory: '/d', title: 'T', permission: [{ permission: 'bash', pattern: '*', action: 'ask' }, 7] }),
    ),
    told(
      'session.updated',
      info({ version: '1.2', directory: '/d', title: 'T', agent: 'build', model: { id: 'gpt', providerID: 'mock' } }),
    ),
    told('session.updated', info({ agent: 'build', tokens, cost: 0.5 })),
    told('session.updated', info({ agent: 'build', tokens, cost: 0.5 })),
  ])
  assert.deepEqual(events, [
    {
      kind: 'session.start',
      how: 'new',
      native: 's',
      program: 'opencode',
      version: '1.2',
      cwd: '/d',
      title: 'T',
      rules: [{ permission: 'bash', pattern: '*', action: 'ask' }],
    },
    { kind: 'session.update', by: 'agent', agentName: 'build', model: 'gpt', provider: 'mock' },
    { kind: 'usage.update', scope: 'session', cumulative: true, usage: { input: 1, output: 2 }, cost: { usd: 0.5, by: 'source' } },
    { kind: 'raw', type: 'session.updated', why: 'redundant' },
  ])
})

test('a deleted session has ended, and what still comes of it begins nothing', () => {
  const events = decodeAll([userMessage(), status('busy'), status('idle'), told('session.deleted', info()), status('busy')])
  assert.deepEqual(kindsOf(events), ['session.start*', 'turn.start', 'status.update', 'turn.end', 'status.update', 'session.end', 'raw'])
  assert.equal(only(decodeAll([status('busy'), told('session.deleted', info())]), 'session.end')[0]?.reason, 'cancelled')
})

test('a turn goes from prompt to idle; being busy without a prompt is one too', () => {
  const turns = only(
    decodeAll([
      userMessage('u1'),
      status('busy'),
      status('idle'),
      told('session.idle'),
      userMessage('u1'),
      status('busy'),
      told('session.idle'),
      userMessage('u2'),
    ]),
    'turn.start',
  )
  assert.deepEqual(
    turns.map(({ trigger, native, synthetic }) => [trigger, native, synthetic]),
    [
      ['prompt', 'u1', undefined],
      ['unknown', undefined, 'implied'],
      ['prompt', 'u2', undefined],
    ],
  )
})

test('a stream that is joined in the middle is read from there', () => {
  const events = decodeAll([
    delta('a'),
    delta('b'),
    grown('text', { text: 'ab', time: { start: 1, end: 2 } }),
    grown('step-finish', { reason: 'stop' }),
    told('session.idle'),
  ])
  assert.deepEqual(kindsOf(events), [
    'session.start*',
    'turn.start*',
    'message.start*',
    'text.delta',
    'text.delta',
    'text.end',
    'message.end',
    'turn.end',
    'session.end*',
  ])
})

test('structured output and refused calls are told with the turn', () => {
  const refused = toolPart({ status: 'error', input: {}, error: 'The user rejected permission to use this' })
  const message = told('message.updated', { info: { id: 'm', role: 'assistant', structured: { a: 1 } } })
  const [end] = only(
    decodeAll([userMessage(), grown('step-start'), message, refused, grown('step-finish', { reason: 'tool-calls' }), status('idle')]),
    'turn.end',
  )
  assert.deepEqual(shortly(end), { kind: 'turn.end', reason: 'blocked', data: { a: 1 }, denied: [{ call: 'c', name: 'bash' }] })
  assert.equal(only(decodeAll([refused]), 'tool.end')[0]?.permitted, undefined, 'who said no is told by the answer')
})

test('a retry is told once, as a status or as a part', () => {
  const retries = only(
    decodeAll([
      status('retry', { attempt: 1, message: 'x' }),
      grown('retry', { attempt: 1, error: {} }),
      grown('retry', { attempt: 2, error: { name: 'APIError', data: { message: 'y', statusCode: 529 } } }),
    ]),
    'retry.start',
  )
  assert.deepEqual(
    retries.map(({ attempt, error }) => [attempt, error?.text, error?.category]),
    [
      [1, 'x', 'unknown'],
      [2, 'y', 'overloaded'],
    ],
  )
})

test('after a retry the session works again; what goes wrong between turns is not the next one', () => {
  const events = decodeAll([userMessage(), status('busy'), status('busy'), status('retry', { attempt: 1 }), status('busy'), status('idle')])
  assert.deepEqual(
    only(events, 'status.update').map(({ phase }) => phase),
    ['working', 'working', 'idle'],
  )
  const late = told('session.error', { error: { name: 'APIError', data: {} } })
  const [, second] = only(decodeAll([status('busy'), status('idle'), late, userMessage(), status('busy'), status('idle')]), 'turn.end')
  assert.equal(second?.reason, 'end_turn')
})

test('an error ends the open message; one of no session is a notice', () => {
  const error = { name: 'APIError', data: { message: 'no', statusCode: 500 } }
  assert.deepEqual(kindsOf(decodeAll([userMessage(), grown('step-start'), told('session.error', { error }), status('idle')])), [
    'session.start*',
    'turn.start',
    'message.start',
    'error',
    'message.end',
    'turn.end',
    'status.update',
    'session.end*',
  ])
  const [notice] = decodeAll([{ type: 'session.error', properties: { error } }])
  assert.deepEqual(shortly(notice), { kind: 'notice', level: 'warn', code: 'APIError', text: 'no' })
})

test('a message that has no finish of a step ends with its own', () => {
  const over = told('message.updated', {
    info: { id: 'm', role: 'assistant', modelID: 'gpt', finish: 'stop', tokens: { input: 3 }, cost: 1, time: { completed: 9 } },
  })
  const [end] = only(decodeAll([grown('step-start'), over]), 'message.end')
  assert.deepEqual([end?.finish, end?.model, end?.usage?.input, end?.cost?.usd], ['end_turn', 'gpt', 3, 1])
})
