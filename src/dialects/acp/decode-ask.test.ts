import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import {
  allOf,
  answer,
  ask,
  choose,
  decodeAll,
  done,
  fail,
  kindsOf,
  mayI,
  message,
  offered,
  oneOf,
  plain,
  says,
  shortly,
  tool,
  toolUpdate,
  within,
} from './support.test.ts'

test('a question about a call, and its answer', () => {
  const events = within(tool(), mayI('a0', { rawInput: { command: 'ls' } }), choose('always', 'a0'))
  assert.deepEqual(events.slice(1).map(shortly), [
    {
      kind: 'permission.request',
      turn: 1,
      call: 'c1',
      id: 'a0',
      name: 'execute',
      toolKind: 'execute',
      input: { command: 'ls' },
      question: 'ls',
      options: offered.map(({ optionId: id, name: label, kind }) => ({ id, kind, label })),
    },
    { kind: 'permission.answer', turn: 1, call: 'c1', id: 'a0', decision: 'allow', option: 'always', scope: 'always', by: 'host' },
  ])
})

test('answers that are no yes', () => {
  const decided = (record: Rec): unknown => {
    const { decision, option, scope, text } = oneOf(within(tool(), mayI('a0'), record), 'permission.answer')
    return plain([decision, option ?? null, scope ?? null, text ?? null])
  }
  assert.deepEqual(decided(choose('no', 'a0')), ['reject', 'no', 'once', null])
  assert.deepEqual(decided(answer('a0', { outcome: { outcome: 'cancelled' } })), ['cancelled', null, null, null])
  assert.deepEqual(decided(fail('a0', -32603, 'no window')), ['cancelled', null, null, 'no window'])
  assert.deepEqual(decided({ t: 1, from: 'client', message: answer('a0', {}) }), ['cancelled', null, null, null])
  assert.deepEqual(decided(message({ method: '$/cancel_request', params: { requestId: 'a0' } })), ['withdrawn', null, null, null])
})

test('an option whose sense nobody can tell counts as a no', () => {
  const options = [{ optionId: 'proceed_always' }, { optionId: 'cancel' }, { optionId: 'hm' }, { optionId: 'x', kind: 'new_kind' }]
  const request = ask('a0', 'session/request_permission', { sessionId: 's', toolCall: { toolCallId: 'c1' }, options })
  assert.deepEqual(
    oneOf(within(request), 'permission.request').options.map(({ kind }) => kind),
    ['allow_always', 'reject_once', 'reject_once', 'reject_once'],
  )
})

test('where the host is not heard, what became of the call tells what it said', () => {
  const alone = (status: string, content: Rec[] = []) =>
    oneOf(decodeAll([says('a'), mayI(), toolUpdate({ status, content }), done()]), 'permission.answer')
  assert.deepEqual([alone('completed').decision, alone('completed').synthetic], ['allow', 'implied'])
  const refused = [{ type: 'content', content: { type: 'text', text: 'The user rejected permission to use this.' } }]
  assert.equal(alone('failed', refused).decision, 'reject')
  assert.deepEqual([alone('failed').decision, alone('failed').synthetic], ['withdrawn', 'cut'])
})

test('a question whose id comes again was never answered', () => {
  const events = within(mayI('a0'), ask(0, 'initialize', { protocolVersion: 1 }), mayI('a0', { toolCallId: 'c2' }), choose('yes', 'a0'))
  assert.deepEqual(
    allOf(events, 'permission.answer').map(({ decision }) => decision),
    ['withdrawn', 'allow'],
  )
})

test('a form is a question for each of its fields', () => {
  const form = ask('a0', 'elicitation/create', {
    sessionId: 's',
    mode: 'form',
    message: 'How shall it be?',
    requestedSchema: {
      type: 'object',
      properties: {
        colour: { type: 'string', title: 'Colour', enum: ['red', 'green'] },
        sizes: { type: 'array', description: 'Sizes', items: { anyOf: [{ const: 's', title: 'Small' }, { const: 'l' }] } },
      },
    },
  })
  const events = within(form, answer('a0', { action: 'accept', content: { colour: 'red', sizes: ['s', 'l'] } }))
  assert.deepEqual(events.map(shortly), [
    {
      kind: 'question.request',
      turn: 1,
      id: 'a0',
      questions: [
        { text: 'Colour', options: [{ label: 'red' }, { label: 'green' }] },
        { text: 'Sizes', options: [{ label: 'Small' }, { label: 'l' }], many: true },
      ],
    },
    { kind: 'question.answer', turn: 1, id: 'a0', decision: 'allow', answers: { Colour: 'red', Sizes: 's, l' }, by: 'user' },
  ])
})

test('a form with one field asks in the words of its message; one without fields is a link', () => {
  const asks = (fields: Rec): unknown =>
    plain(oneOf(within(ask('a0', 'elicitation/create', { sessionId: 's', message: 'Name?', ...fields })), 'question.request').questions)
  assert.deepEqual(asks({ requestedSchema: { properties: { name: { type: 'string' } } } }), [
    { text: 'Name?', header: 'name', options: [] },
  ])
  assert.deepEqual(asks({ mode: 'url', url: 'https://example.com' }), [{ text: 'Name?', options: [] }])
})

test('forms that are declined, cancelled or taken back', () => {
  const form = ask('a0', 'elicitation/create', { sessionId: 's', message: 'x' })
  const decided = (record: Rec): string => oneOf(within(form, record), 'question.answer').decision
  assert.deepEqual(
    [
      answer('a0', { action: 'decline' }),
      answer('a0', { action: 'cancel' }),
      fail('a0', -32601, 'no'),
      message({ method: '$/cancel_request', params: { requestId: 'a0' } }),
    ].map(decided),
    ['reject', 'cancelled', 'cancelled', 'withdrawn'],
  )
})

test('a form before there is a session is kept as it is', () => {
  assert.deepEqual(kindsOf(decodeAll([ask('a0', 'elicitation/create', { message: 'Log in' })])), ['raw'])
})
