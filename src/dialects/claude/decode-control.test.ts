// The control channel: questions and answers, both sides in one stream, and stdout alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, decodeBoth, ended, eventsIn, fixture, gave, init, kindsOf, only, said, told, use } from './support.test.ts'

/** What both sides of a two-way run said, in the order in which it must have come. */
function bothSides(name: string): (readonly [Rec, 'agent' | 'host'])[] {
  const host = fixture(`${name}.stdin.ndjson`)
  const answers = new Map(
    host.filter(({ type }) => type === 'control_response').map((record) => [(record['response'] as Rec)['request_id'], record]),
  )
  const asked = host.filter(({ type }) => type !== 'control_response')
  const opening = asked.slice(0, 2).map((record) => [record, 'host'] as const)
  const rest = asked.slice(2).map((record) => [record, 'host'] as const)
  const records = fixture(`${name}.ndjson`).flatMap((record) => {
    const answer = answers.get(record['request_id'])
    const own = [record, 'agent'] as const
    if (answer !== undefined) return [own, [answer, 'host'] as const]
    return rest.length > 0 && (record['type'] === 'result' || name.includes('interrupt')) && JSON.stringify(record).includes('wer w')
      ? [own, ...rest.splice(0)]
      : [own]
  })
  return [...opening, ...records, ...rest]
}

test('a permission asked and granted by the host', () => {
  const events = decodeBoth(bothSides('2.1.325/j-permission-allow'))
  const [request] = only(events, 'permission.request')
  assert.deepEqual([request?.name, request?.toolKind, request?.call, request?.question], ['Write', 'edit', 'toolu_mock000001', 'new.txt'])
  assert.deepEqual(
    request?.options.map(({ id, kind }) => [id, kind]),
    [
      ['allow', 'allow_once'],
      ['suggestion-1', 'allow_session'],
      ['deny', 'reject_once'],
      ['interrupt', 'cancel'],
    ],
  )
  const [answer] = only(events, 'permission.answer')
  assert.deepEqual(
    [answer?.id, answer?.decision, answer?.by, answer?.scope, answer?.synthetic],
    [request?.id, 'allow', 'host', 'once', undefined],
  )
  assert.deepEqual(answer?.input, request?.input)
})

test('a refusal, and one that also interrupts', () => {
  for (const version of ['1.0.128', '2.1.325']) {
    const events = decodeBoth(bothSides(`${version}/j-permission-deny`))
    assert.deepEqual(
      only(events, 'permission.answer').map(({ decision, text, stop }) => [decision, text, stop]),
      [['reject', 'Not on my machine', undefined]],
    )
    assert.deepEqual(
      only(events, 'tool.end').map(({ status }) => status),
      ['denied'],
      version,
    )
  }
  const [stopped] = only(decodeBoth(bothSides('2.1.325/j-permission-deny-interrupt')), 'permission.answer')
  assert.deepEqual([stopped?.decision, stopped?.stop, stopped?.option], ['reject', true, 'interrupt'])
})

test('a question to the user, and its answer', () => {
  const events = decodeBoth(bothSides('2.1.325/j-ask-user'))
  const [question] = only(events, 'question.request')
  assert.deepEqual(JSON.parse(JSON.stringify(question?.questions)), [
    {
      text: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: 'warm' },
        { label: 'Blue', description: 'cold' },
      ],
      many: false,
    },
  ])
  assert.deepEqual(
    only(events, 'question.answer').map(({ id, decision, answers }) => [id, decision, answers]),
    [[question?.id, 'allow', { 'Which colour?': 'Red' }]],
  )
})

test('hook callbacks', () => {
  const events = decodeBoth(bothSides('2.1.325/t-hook-callback'))
  assert.deepEqual(
    only(events, 'hook.start').map(({ name, event, needsAnswer, call }) => [name, event, needsAnswer, call]),
    [
      ['pre-1', 'PreToolUse', true, 'toolu_mock000001'],
      ['stop-1', 'Stop', true, undefined],
    ],
  )
  assert.deepEqual(
    only(events, 'hook.end').map(({ status, text, synthetic }) => [status, text, synthetic]),
    [
      ['denied', 'The supervisor says no', undefined],
      ['ok', undefined, undefined],
    ],
  )
})

test('what a host asks: interrupt, model, mode', () => {
  assert.deepEqual(
    only(decodeBoth(bothSides('2.1.325/j-interrupt')), 'cancel.request').map(({ target, by, id }) => [target, by, id]),
    [['turn', 'host', 'int-1']],
  )
  const updates = only(decodeBoth(bothSides('2.1.325/j-control-misc')), 'session.update').filter(({ by }) => by === 'host')
  assert.deepEqual(
    updates.map(({ mode, model }) => [mode, model]),
    [
      ['plan', undefined],
      [undefined, 'claude-haiku-4-5-20251001'],
    ],
  )
})

test('a host speaks first: the session goes on under the id that comes later', () => {
  const events = decodeBoth(bothSides('2.1.325/j-permission-allow'))
  assert.equal(only(events, 'session.end').length, 1)
  assert.equal(new Set(events.map(({ session }) => session)).size, 1)
  assert.equal(only(events, 'session.update')[0]?.native, 'b5175aaa-8e7f-47c1-a878-84e0a4dc9898')
})

test('stdout alone: the result of the call implies the answer', () => {
  const answers = (path: string) => only(eventsIn(path), 'permission.answer').map(({ decision, synthetic }) => [decision, synthetic])
  for (const version of ['1.0.128', '2.0.76', '2.1.325'])
    assert.deepEqual(answers(`${version}/j-permission-allow.ndjson`), [['allow', 'implied']], version)
  for (const version of ['1.0.128', '2.1.325'])
    assert.deepEqual(answers(`${version}/j-permission-deny.ndjson`), [['reject', 'implied']], version)
  assert.deepEqual(answers('2.1.325/t-permission-never-answered.ndjson'), [['withdrawn', 'cut']])
  assert.deepEqual(answers('1.0.128/j-plan-exit.ndjson'), [['allow', 'implied']])
})

const ask = (request: string, call: string, name = 'Write'): Rec => ({
  type: 'control_request',
  request_id: request,
  request: { subtype: 'can_use_tool', tool_name: name, input: {}, tool_use_id: call },
})

test('a question that is withdrawn, and one whose host failed', () => {
  const withdrawn = decodeAll([
    init,
    said('m', use('a', 'Write')),
    ask('r1', 'a'),
    { type: 'control_cancel_request', request_id: 'r1' },
    told(gave('a', 'x', { is_error: true })),
    ended(),
  ])
  assert.deepEqual(
    only(withdrawn, 'permission.answer').map(({ id, decision, by }) => [id, decision, by]),
    [['r1', 'withdrawn', 'agent']],
  )
  const failed = decodeAll([
    init,
    said('m', use('a', 'Write')),
    ask('r1', 'a'),
    { type: 'control_response', response: { subtype: 'error', request_id: 'r1', error: 'host broke' } },
    ended(),
  ])
  assert.deepEqual(
    only(failed, 'permission.answer').map(({ decision, text }) => [decision, text]),
    [['cancelled', 'host broke']],
  )
})

test('stdout alone: no allow is made up for a call that may never have been made', () => {
  const answers = (result: Rec | undefined, end: Rec) =>
    only(
      decodeAll([init, said('m', use('a', 'Write')), ask('r1', 'a'), ...(result === undefined ? [] : [told(result)]), end]),
      'permission.answer',
    ).map(({ decision }) => decision)
  const failed = (text: string) => gave('a', text, { is_error: true })
  const listed = { permission_denials: [] as Rec[] }
  const aborted = { ...listed, subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }
  assert.deepEqual(answers(failed('no such folder'), ended(listed)), ['allow'])
  assert.deepEqual(answers(failed('Exit code 2'), ended(aborted)), ['allow'])
  assert.deepEqual(answers(failed('x'), ended({ permission_denials: [{ tool_name: 'Write', tool_use_id: 'a', tool_input: {} }] })), [
    'reject',
  ])
  assert.deepEqual(answers(failed('x'), ended(aborted)), ['withdrawn'])
  assert.deepEqual(answers(failed('cancelled'), ended(listed)), ['withdrawn'])
  assert.deepEqual(answers(failed('[Request interrupted by user for tool use]'), ended(listed)), ['withdrawn'])
  assert.deepEqual(answers(undefined, ended(listed)), ['withdrawn'])
})

test('an answer that lasts says for how long', () => {
  const answer = (destination: string): Rec => ({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id: 'r1',
      response: { behavior: 'allow', updatedPermissions: [{ type: 'addRules', destination }] },
    },
  })
  const scope = (destination: string) =>
    only(decodeAll([init, said('m', use('a', 'Write')), ask('r1', 'a'), answer(destination), ended()]), 'permission.answer')[0]?.scope
  assert.deepEqual([scope('session'), scope('localSettings')], ['session', 'always'])
})

test('a question belongs to the session of its call', () => {
  const other = (record: Rec): Rec => ({ ...record, session_id: 's2' })
  const events = decodeAll([init, said('m', use('a', 'Write')), other(init), ask('r1', 'a'), other(ended()), told(gave('a')), ended()])
  assert.deepEqual(
    only(events, 'permission.request').map(({ session }) => session),
    ['s1'],
  )
  assert.equal(kindsOf(events).filter((kind) => kind === 'session.end*').length, 2)
})
