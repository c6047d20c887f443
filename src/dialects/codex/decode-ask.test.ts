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

test('a form of a server is a question for each field', () => {
  const properties = {
    name: { type: 'string' },
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
    ok: { type: 'boolean' },
  }
  const request = ask(0, 'mcpServer/elicitation/request', { serverName: 'echo', message: 'Who?', requestedSchema: { properties } })
  assert.deepEqual(told([starts(), request], 'question.request')[0]?.['questions'], [
    { text: 'Who? (name)', header: 'echo', options: [] },
    { text: 'Who? (Colour)', header: 'echo', options: [{ label: 'red' }, { label: 'blue' }] },
    { text: 'Who? (ok)', header: 'echo', options: [{ label: 'yes' }, { label: 'no' }] },
  ])
})

test('a form without fields asks for leave, to call a tool of the server', () => {
  const call = serverItem('started', 'mcpToolCall', { server: 'my echo', tool: 'say', arguments: { text: 'hi' } })
  const request = ask(0, 'mcpServer/elicitation/request', {
    serverName: 'my echo',
    message: 'Allow the my echo MCP server to run tool "say"?',
    _meta: { tool_params: { text: 'hi' } },
    requestedSchema: { type: 'object', properties: {} },
  })
  const rejected = serverItem('completed', 'mcpToolCall', {
    server: 'my echo',
    tool: 'say',
    status: 'failed',
    error: { message: 'user rejected MCP tool call' },
  })
  const records = [starts(), call, request, answer({ action: 'decline', content: null }), rejected, ends()]
  assert.deepEqual(
    told(records, 'permission.request').map(({ name, input, call: id, question }) => [name, input, id, question]),
    [['my_echo_say', { text: 'hi' }, 'c', 'Allow the my echo MCP server to run tool "say"?']],
  )
  assert.deepEqual(
    told(records, 'permission.answer').map(({ decision, by }) => [decision, by]),
    [['reject', 'host']],
  )
  assert.equal(told(records, 'tool.end')[0]?.['status'], 'denied')
})

test('who is asked about a patch is told what it changes, as it stands now', () => {
  const patch = serverItem('started', 'fileChange', { changes: [{ path: '/a' }] })
  const newer = notify('item/fileChange/patchUpdated', { itemId: 'c', changes: [{ path: '/b' }] })
  const request = ask(0, 'item/fileChange/requestApproval', { itemId: 'c', grantRoot: '/r' })
  const input = (...records: Rec[]): unknown => told([starts(), ...records, request], 'permission.request')[0]?.['input']
  assert.deepEqual(input(patch), { changes: [{ path: '/a' }], grantRoot: '/r' })
  assert.deepEqual(input(patch, newer), { changes: [{ path: '/b' }], grantRoot: '/r' })
  assert.deepEqual(input(patch, serverItem('completed', 'fileChange', { changes: [], status: 'completed' })), { grantRoot: '/r' })
})

test('a question about the network names the host that is to be reached', () => {
  const [request] = told(
    [starts(), command, approval({ networkApprovalContext: { host: 'a.example', protocol: 'https' } })],
    'permission.request',
  )
  assert.deepEqual(
    [request?.['name'], request?.['toolKind'], request?.['input']],
    ['network', 'fetch', { url: 'https://a.example', command: 'ls' }],
  )
})

test('a call that nobody allowed before its turn ended is not made', () => {
  const records = [starts(), command, approval(), ends('interrupted')]
  assert.deepEqual(
    told(records, 'tool.end').map(({ status, synthetic, call }) => [status, synthetic, call]),
    [['cancelled', 'implied', 'c']],
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
  const events = decodeAll(records, undefined, 'host')
  assert.deepEqual(kindsOf(events), ['raw', 'session.start*', 'prompt.submit', 'prompt.submit', 'cancel.request', 'raw', 'session.end*'])
  const [start] = only(events, 'session.start')
  assert.deepEqual([start?.cwd, start?.model, start?.mode], ['/a', 'gpt-6', 'never'])
  const [first, second] = only(events, 'prompt.submit')
  assert.deepEqual([first?.text, first?.content?.length, first?.state, second?.delivery], ['Do', 2, 'sent', 'steer'])
})

test('a prompt that the program repeats is told once; one that it did not get, or that the host did not give, does not hide another', () => {
  const prompt = (id: number, text: string, method = 'turn/start'): Rec => ({
    id,
    method,
    params: { threadId: 't', input: [{ type: 'text', text }] },
  })
  const repeated = (text: string): Rec => serverItem('completed', 'userMessage', { content: [{ type: 'text', text }] })
  const records = [
    prompt(1, 'a'),
    starts(),
    repeated('a'),
    prompt(2, 'b', 'turn/steer'),
    { id: 2, error: { code: -1, message: 'no' } },
    repeated('c'),
    ends(),
    prompt(3, 'd'),
    { id: 3, error: { code: -1, message: 'no' } },
    prompt(4, 'e'),
    starts('t', '2'),
    repeated('e'),
    repeated('f'),
  ]
  assert.deepEqual(
    only(decodeAll(records), 'prompt.submit').map(({ text, state }) => [text, state]),
    [
      ['a', 'sent'],
      ['b', 'sent'],
      ['c', 'seen'],
      ['d', 'sent'],
      ['e', 'sent'],
      ['f', 'seen'],
    ],
  )
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
    { id: 5, method: 'thread/archive', params: { threadId: 'x' } },
    { id: 5, error: { code: -32600, message: 'no rollout found' } },
  ]
  assert.deepEqual(
    only(decodeAll(records), 'notice').map(({ code, text }) => [code, text]),
    [['thread/archive', 'no rollout found']],
  )
})

test('a thread or a turn that cannot begin is a turn that failed', () => {
  for (const method of ['thread/start', 'thread/resume', 'thread/fork', 'turn/start']) {
    const records: Rec[] = [
      { id: 5, method, params: { threadId: 'x', input: [{ type: 'text', text: 'Go' }] } },
      { id: 5, error: { code: -32600, message: 'not today' } },
    ]
    const events = decodeAll(records)
    assert.deepEqual(
      only(events, 'turn.end').map(({ reason, error, synthetic }) => [reason, error?.text, synthetic]),
      [['error', 'not today', 'implied']],
    )
    assert.deepEqual(
      only(events, 'session.end').map(({ reason, session }) => [reason, session]),
      [['error', method === 'turn/start' ? 'x' : undefined]],
    )
  }
})

test('a turn that is refused while another runs ends nothing', () => {
  const records: Rec[] = [
    starts(),
    { id: 5, method: 'turn/start', params: { threadId: 't', input: [] } },
    { id: 5, error: { code: -32600, message: 'busy' } },
    ends(),
  ]
  const events = decodeAll(records)
  assert.deepEqual(
    only(events, 'error').map(({ error, fatal }) => [error.text, fatal]),
    [['busy', false]],
  )
  assert.equal(only(events, 'turn.end').length, 1)
})

test('the words of a host about a thread that it forks are not of that thread', () => {
  const records: Rec[] = [{ id: 5, method: 'thread/fork', params: { threadId: 'x' } }]
  assert.deepEqual(
    decodeAll(records).map(({ kind, session }) => [kind, session]),
    [['raw', undefined]],
  )
})
