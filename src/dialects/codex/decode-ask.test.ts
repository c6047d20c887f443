// Approvals and questions of the app-server, and the host's words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { ask, decodeAll, ends, kindsOf, notify, only, plain, serverItem, starts, told } from './support.test.ts'

const command = serverItem('started', 'commandExecution', { command: 'ls' })
const approval = (more: Rec = {}): Rec =>
  ask(0, 'item/commandExecution/requestApproval', { itemId: 'c', command: 'ls', cwd: '/a', reason: 'May I?', ...more })
const answer = (result: Rec): Rec => ({ id: 0, result })
const answered = (request: Rec, result: Rec): Rec[] => [starts(), command, request, answer(result), ends()]

test('an approval is asked with its decisions', () => {
  const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['ls'] } }
  const network = { applyNetworkPolicyAmendment: { network_policy_amendment: { host: 'a', action: 'deny' } } }
  const availableDecisions = ['accept', 'acceptForSession', amendment, network, 'decline', 'cancel', 'newWord']
  const [request] = told(answered(approval({ availableDecisions }), { decision: 'accept' }), 'permission.request')
  assert.deepEqual(request?.['options'], [
    { id: 'accept', kind: 'allow_once' },
    { id: 'acceptForSession', kind: 'allow_session' },
    { id: 'acceptWithExecpolicyAmendment', kind: 'allow_always' },
    { id: 'applyNetworkPolicyAmendment', kind: 'reject_always' },
    { id: 'decline', kind: 'reject_once' },
    { id: 'cancel', kind: 'cancel' },
    { id: 'newWord', kind: 'reject_once' },
  ])
  assert.deepEqual([request?.['question'], request?.['input'], request?.['call']], ['May I?', { command: 'ls', cwd: '/a' }, 'c'])
  assert.deepEqual(request?.['suggestions'], [amendment, network])
})

test('the answer has the decision, its scope, and whether the turn stops', () => {
  const decided = (decision: unknown): unknown =>
    plain(
      told(answered(approval(), { decision }), 'permission.answer').map((told) => [
        told['decision'],
        told['scope'],
        told['stop'],
        told['by'],
      ]),
    )
  assert.deepEqual(decided('accept'), [['allow', 'once', null, 'host']])
  assert.deepEqual(decided('acceptForSession'), [['allow', 'session', null, 'host']])
  assert.deepEqual(decided({ acceptWithExecpolicyAmendment: {} }), [['allow', 'always', null, 'host']])
  assert.deepEqual(decided('decline'), [['reject', null, null, 'host']])
  assert.deepEqual(decided('cancel'), [['reject', null, true, 'host']])
})

test('approvals of old versions', () => {
  const request = ask(0, 'execCommandApproval', { conversationId: 't', callId: 'c', command: ['ls'], cwd: '/a' })
  const [told] = only(decodeAll([starts(), request, answer({ decision: 'approved_for_session' })]), 'permission.answer')
  assert.deepEqual([told?.decision, told?.scope], ['allow', 'session'])
  const patch = ask(0, 'applyPatchApproval', { conversationId: 't', callId: 'c', fileChanges: {} })
  assert.equal(only(decodeAll([starts(), patch, answer({ decision: 'abort' })]), 'permission.answer')[0]?.stop, true)
})

test('permissions are granted or not', () => {
  const request = ask(0, 'item/permissions/requestApproval', { itemId: 'c', permissions: { network: { enabled: true } } })
  const given = (result: Rec): unknown =>
    only(decodeAll([starts(), request, answer(result)]), 'permission.answer').map(({ decision, scope }) => [decision, scope])
  assert.deepEqual(given({ permissions: { network: {} }, scope: 'session' }), [['allow', 'session']])
  assert.deepEqual(given({ permissions: {} }), [['reject', undefined]])
})

test('a request that the host cannot answer is cancelled', () => {
  const records = [starts(), command, approval(), { id: 0, error: { code: -32601, message: 'no such method' } }]
  assert.deepEqual(
    told(records, 'permission.answer').map(({ decision, text }) => [decision, text]),
    [['cancelled', 'no such method']],
  )
})

test('questions are answered by their text', () => {
  const questions = [{ id: 'q1', header: 'H', question: 'Which?', options: [{ label: 'A', description: 'a' }] }]
  const request = ask(0, 'item/tool/requestUserInput', { itemId: 'c', questions })
  const records = [starts(), request, answer({ answers: { q1: { answers: ['A', 'B'] } } })]
  assert.deepEqual(
    told(records, 'question.answer').map(({ answers, decision }) => [answers, decision]),
    [[{ 'Which?': 'A, B' }, 'allow']],
  )
})

test('a server may ask too', () => {
  const request = ask(0, 'mcpServer/elicitation/request', { serverName: 'echo', request: { mode: 'form', message: 'Name?' } })
  const records = [starts(), request, answer({ action: 'decline' })]
  assert.deepEqual(
    told(records, 'question.request').map(({ questions }) => questions),
    [[{ text: 'Name?', header: 'echo', options: [] }]],
  )
  assert.deepEqual(
    told(records, 'question.answer').map(({ decision }) => decision),
    ['reject'],
  )
})

test('a model may judge instead of the user', () => {
  const review = (status: string): Rec => ({
    reviewId: 'r',
    targetItemId: 'c',
    review: { status, rationale: 'risky' },
    action: { type: 'command' },
  })
  const records = [
    starts(),
    command,
    notify('item/autoApprovalReview/started', review('inProgress')),
    notify('item/autoApprovalReview/completed', review('denied')),
  ]
  assert.deepEqual(
    told(records, 'permission.answer').map(({ decision, by, text }) => [decision, by, text]),
    [['reject', 'agent', 'risky']],
  )
})

test('without the answer, what follows tells it: output, the end of the call, the end of the turn', () => {
  const implied = (...records: Rec[]): unknown =>
    told([starts(), command, approval(), ...records], 'permission.answer').map(({ decision, synthetic }) => [decision, synthetic])
  assert.deepEqual(implied(notify('item/commandExecution/outputDelta', { itemId: 'c', delta: 'x' })), [['allow', 'implied']])
  assert.deepEqual(implied(serverItem('completed', 'commandExecution', { command: 'ls', status: 'declined' })), [['reject', 'implied']])
  assert.deepEqual(implied(serverItem('completed', 'commandExecution', { command: 'ls', status: 'failed', exitCode: 1 })), [
    ['allow', 'implied'],
  ])
  assert.deepEqual(implied(ends()), [['withdrawn', 'implied']])
  assert.deepEqual(implied(), [['withdrawn', 'cut']])
})

test('ids of both sides are counted apart', () => {
  const records: Rec[] = [
    { t: 0, from: 'client', message: { id: 0, method: 'turn/start', params: { threadId: 't', input: [] } } },
    { t: 1, from: 'agent', message: starts() },
    { t: 2, from: 'agent', message: approval() },
    { t: 3, from: 'agent', message: { id: 0, result: { turn: { id: '1' } } } },
    { t: 4, from: 'client', message: { id: 0, result: { decision: 'decline' } } },
  ]
  assert.deepEqual(
    only(decodeAll(records), 'permission.answer').map(({ decision, origin }) => [decision, origin?.record]),
    [['reject', 5]],
  )
})

// ── the host ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a host's words alone tell the prompts, and what it wanted of the thread", () => {
  const records: Rec[] = [
    { id: 1, method: 'thread/start', params: { cwd: '/a', model: 'gpt-6', approvalPolicy: 'never' } },
    {
      id: 2,
      method: 'turn/start',
      params: {
        threadId: 't',
        input: [
          { type: 'text', text: 'Do' },
          { type: 'localImage', path: '/b.png' },
        ],
      },
    },
    { id: 3, method: 'turn/steer', params: { threadId: 't', input: [{ type: 'text', text: 'more' }] } },
    { id: 4, method: 'turn/interrupt', params: { threadId: 't', turnId: '1' } },
    { id: 0, result: { decision: 'accept' } },
  ]
  const events = decodeAll(records, 'host')
  assert.deepEqual(kindsOf(events), ['raw', 'session.start*', 'prompt.submit', 'prompt.submit', 'cancel.request', 'raw', 'session.end*'])
  const [start] = only(events, 'session.start')
  assert.deepEqual([start?.cwd, start?.model, start?.mode], ['/a', 'gpt-6', 'never'])
  const [first, second] = only(events, 'prompt.submit')
  assert.deepEqual([first?.text, first?.content?.length, first?.state, second?.delivery], ['Do', 2, 'sent', 'steer'])
})

test('a prompt may change the settings of its thread', () => {
  const records: Rec[] = [{ id: 2, method: 'turn/start', params: { threadId: 't', input: [], model: 'gpt-6' } }]
  assert.deepEqual(
    only(decodeAll(records), 'session.update').map(({ by, model }) => [by, model]),
    [['host', 'gpt-6']],
  )
})

test('a request that fails is a notice that names it', () => {
  const records: Rec[] = [
    { id: 5, method: 'thread/resume', params: { threadId: 'x' } },
    { id: 5, error: { code: -32600, message: 'no rollout found' } },
  ]
  assert.deepEqual(
    only(decodeAll(records), 'notice').map(({ code, text }) => [code, text]),
    [['thread/resume', 'no rollout found']],
  )
})
