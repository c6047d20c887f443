// Messages of the app-server: threads, turns, items and what stands beside them, as far as no recording shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { otherEvents, otherMethods, otherResponses } from './names.ts'
import { decodeAll, ends, kindsOf, line, notify, only, plain, serverItem, shortly, starts, told } from './support.test.ts'

const wireThread = { id: 't', sessionId: 't', modelProvider: 'openai', cwd: '/a', cliVersion: '0.166.0', name: 'Fix', forkedFromId: null }
const opened: Rec = { method: 'thread/started', params: { thread: wireThread } }
const inTurn = (...records: Rec[]): Rec[] => [opened, starts(), ...records, ends()]

test('a thread that starts is a session with its settings', () => {
  assert.deepEqual(told([opened], 'session.start'), [
    { kind: 'session.start', native: 't', program: 'codex', version: '0.166.0', title: 'Fix', provider: 'openai', cwd: '/a' },
  ])
})

test('the answer to a request tells how the thread began', () => {
  const result = { thread: { ...wireThread, forkedFromId: 'old' }, model: 'gpt-5.5', cwd: '/a', approvalPolicy: { granular: {} } }
  const how = (method: string): unknown[] =>
    told(
      [
        { id: 7, method, params: {} },
        { id: 7, result },
      ],
      'session.start',
    ).map((start) => [start['how'], start['model'], start['mode'], start['forkedFrom']])
  assert.deepEqual(how('thread/resume'), [['resumed', 'gpt-5.5', 'granular', 'old']])
  assert.deepEqual(how('thread/fork'), [['forked', 'gpt-5.5', 'granular', 'old']])
  assert.deepEqual(told([{ id: 7, result: { thread: wireThread } }], 'session.start'), []) // somebody reads a thread
})

test('a thread that is closed ends its session', () => {
  const events = decodeAll([...inTurn(), notify('thread/closed')])
  assert.deepEqual(kindsOf(events), ['session.start', 'turn.start', 'turn.end', 'session.end'])
  const again = decodeAll([...inTurn(), notify('thread/closed'), opened])
  assert.deepEqual(
    only(again, 'session.start').map(({ how }) => how),
    [undefined, 'resumed'],
  )
})

test('tokens of a thread that goes on count from what the last call took', () => {
  const total = (input: number, last: number): Rec =>
    notify('thread/tokenUsage/updated', {
      tokenUsage: { total: { inputTokens: input }, last: { inputTokens: last }, modelContextWindow: 100 },
    })
  const [end] = only(decodeAll([opened, total(1000, 10), starts(), total(1020, 20), total(1050, 30), ends()]), 'turn.end')
  assert.deepEqual(plain(end?.usage), { input: 50 })
  const [joined] = only(decodeAll([opened, starts(), total(1020, 20), ends()]), 'turn.end')
  assert.deepEqual(plain(joined?.usage), { input: 20 })
  const [update] = only(decodeAll([opened, starts(), total(1020, 20)]), 'usage.update')
  assert.deepEqual(plain([update?.scope, update?.cumulative, update?.usage, update?.context]), [
    'session',
    true,
    { input: 1020 },
    { used: 20, limit: 100 },
  ])
})

test('limits are told when there are any', () => {
  const limits = { primary: { usedPercent: 100, resetsAt: 1741500000 }, secondary: { usedPercent: 5, resetsAt: null } }
  const [update] = only(decodeAll([{ method: 'account/rateLimits/updated', params: { rateLimits: limits } }]), 'usage.update')
  assert.deepEqual(plain(update?.limits), [
    { name: 'primary', state: 'reached', used: 1, resetsAt: 1741500000000 },
    { name: 'secondary', state: 'ok', used: 0.05 },
  ])
})

test('thoughts come in parts, of their summary and raw', () => {
  const part = (delta: string, summaryIndex: number): Rec => notify('item/reasoning/summaryTextDelta', { itemId: 'c', delta, summaryIndex })
  const records = inTurn(
    serverItem('started', 'reasoning', { summary: [], content: [] }),
    part('a', 0),
    part('b', 1),
    notify('item/reasoning/textDelta', { itemId: 'c', delta: 'raw', contentIndex: 0 }),
    serverItem('completed', 'reasoning', { summary: ['a', 'b'], content: ['raw', 'more'] }),
  )
  assert.deepEqual(
    told(records, 'thought.end').map(({ block, text, streamed, synthetic }) => [block, text, streamed, synthetic]),
    [
      [0, undefined, true, 'implied'],
      [1, undefined, true, 'implied'],
      [1000, 'raw', true, undefined],
      [1001, 'more', false, undefined],
    ],
  )
})

test('thoughts that nobody may read are redacted', () => {
  const records = inTurn(serverItem('completed', 'reasoning', { summary: [], content: [] }))
  assert.deepEqual(told(records, 'thought.end'), [{ kind: 'thought.end', message: 'c', streamed: false, redacted: true }])
})

test('text whose block was ended by what came between is not told again', () => {
  const delta = notify('item/agentMessage/delta', { itemId: 'm', delta: 'Hi' })
  const command = serverItem('started', 'commandExecution', { command: 'ls' })
  const whole = notify('item/completed', { item: { id: 'm', type: 'agentMessage', text: 'Hi' } })
  const events = decodeAll(inTurn(delta, command, whole))
  assert.deepEqual(kindsOf(events).slice(2, 6), ['text.delta', 'text.end*', 'tool.start', 'raw'])
})

test('output and input of a running call', () => {
  const records = inTurn(
    serverItem('started', 'commandExecution', { command: 'cat', cwd: '/a', commandActions: [{ type: 'read', path: '/a/b' }] }),
    notify('item/commandExecution/outputDelta', { itemId: 'c', delta: 'x' }),
    notify('item/commandExecution/terminalInteraction', { itemId: 'c', processId: '1', stdin: 'y' }),
    serverItem('completed', 'commandExecution', { command: 'cat', status: 'completed', exitCode: 3, aggregatedOutput: 'x', durationMs: 5 }),
  )
  assert.deepEqual(
    told(records, 'tool.start').map(({ input, paths }) => [input, paths]),
    [[{ command: 'cat', cwd: '/a' }, ['/a/b']]],
  )
  assert.deepEqual(
    told(records, 'tool.delta').map(({ of, text }) => [of, text]),
    [
      ['output', 'x'],
      ['input', 'y'],
    ],
  )
  assert.deepEqual(told(records, 'tool.end'), [{ kind: 'tool.end', call: 'c', status: 'ok', text: 'x', exitCode: 3, durationMs: 5 }])
})

test('patches grow, tools of a server tell their progress, the host has tools of its own', () => {
  const patch = inTurn(
    serverItem('started', 'fileChange', { changes: [] }),
    notify('item/fileChange/patchUpdated', { itemId: 'c', changes: [{ path: '/a' }] }),
  )
  assert.deepEqual(
    told(patch, 'tool.update').map(({ input }) => input),
    [{ changes: [{ path: '/a' }] }],
  )
  const progress = inTurn(
    serverItem('started', 'mcpToolCall', { tool: 'say' }),
    notify('item/mcpToolCall/progress', { itemId: 'c', message: 'half' }),
  )
  assert.deepEqual(
    told(progress, 'tool.update').map(({ content }) => content),
    [[{ type: 'text', text: 'half' }]],
  )
  const hosted = inTurn(
    serverItem('started', 'dynamicToolCall', { tool: 'look', arguments: { a: 1 } }),
    { id: 0, method: 'item/tool/call', params: { threadId: 't', turnId: '1', callId: 'c', tool: 'look', arguments: { a: 1 } } },
    serverItem('completed', 'dynamicToolCall', { tool: 'look', success: false, contentItems: [{ type: 'inputText', text: 'no' }] }),
  )
  assert.deepEqual(
    told(hosted, 'tool.start').map(({ name, hostedBy }) => [name, hostedBy]),
    [['look', 'host']],
  )
  assert.deepEqual(
    told(hosted, 'tool.end').map(({ status, text }) => [status, text]),
    [['error', 'no']],
  )
})

test('other tools are calls by the name of their item', () => {
  const items: [string, Rec, Rec][] = [
    ['imageView', { path: '/a.png' }, { toolKind: 'read', input: { path: '/a.png' } }],
    ['imageGeneration', { revisedPrompt: 'a cat', result: 'AAAA' }, { toolKind: 'other', input: { prompt: 'a cat' } }],
    ['sleep', { durationMs: 5 }, { toolKind: 'other', input: { durationMs: 5 } }],
    ['webSearch', { query: 'q', action: null }, { toolKind: 'fetch', input: { query: 'q' } }],
  ]
  for (const [type, fields, expected] of items) {
    const [start] = told(inTurn(serverItem('completed', type, fields)), 'tool.start')
    assert.deepEqual({ toolKind: start?.['toolKind'], input: start?.['input'] }, expected, type)
  }
})

test('a subagent that speaks before its call is complete is known by the root turn', () => {
  const message = notify('item/completed', { threadId: 'child', turnId: '2', item: { id: 'm', type: 'agentMessage', text: 'Hi' } })
  const events = decodeAll(inTurn(starts('child', '2', '1'), message, ends('interrupted', {}, 'child', '2')))
  assert.deepEqual(
    only(events, 'text.end').map(({ agent, session }) => [agent, session]),
    [['child', 't']],
  )
  assert.deepEqual(
    only(events, 'task.end').map(({ status }) => status),
    ['cancelled'],
  )
})

test('a thread with a parent is its lane, a nested one the lane of a lane', () => {
  const child = (id: string, parentThreadId: string): Rec =>
    notify('thread/started', { thread: { id, parentThreadId, agentRole: 'worker' } })
  const events = decodeAll(inTurn(child('a', 't'), child('b', 'a'), starts('b', '3', '1')))
  assert.deepEqual(
    only(events, 'task.start').map(({ task, agent, agentType, session }) => [task, agent, agentType, session]),
    [
      ['a', undefined, 'worker', 't'],
      ['b', 'a', 'worker', 't'],
    ],
  )
})

test('a root is never its own subagent', () => {
  const events = decodeAll(inTurn(serverItem('completed', 'subAgentActivity', { kind: 'started', agentThreadId: 't' })))
  assert.deepEqual(kindsOf(events), ['session.start', 'turn.start', 'raw', 'turn.end', 'session.end*'])
})

test('what a subagent does is told of the running task', () => {
  const activity = (kind: string): Rec => serverItem('completed', 'subAgentActivity', { kind, agentThreadId: 'child', agentPath: '/a' })
  const events = decodeAll(inTurn(activity('started'), activity('interacted'), activity('interrupted')))
  assert.deepEqual(kindsOf(events).slice(2, 5), ['task.start', 'task.update', 'task.end'])
})

test('what stands beside the work has its event', () => {
  const of = (record: Rec): Rec => {
    const { kind, ...rest } = shortly(decodeAll([opened, starts(), record]).find(({ origin }) => origin?.record === 3)!)
    return { kind, ...rest }
  }
  assert.deepEqual(of(notify('turn/plan/updated', { explanation: 'Why', plan: [{ step: 'a', status: 'inProgress' }] })), {
    kind: 'plan.update',
    entries: [{ text: 'a', status: 'active' }],
    title: 'Why',
  })
  assert.deepEqual(of(notify('turn/diff/updated', { diff: '---' })), { kind: 'file.update', diff: '---' })
  assert.deepEqual(of(notify('thread/compacted')), { kind: 'context.trim', why: 'compact' })
  assert.deepEqual(of(notify('thread/reverted')), { kind: 'context.trim', why: 'trim', trigger: 'manual' })
  assert.deepEqual(of(notify('thread/name/updated', { threadName: 'New' })), { kind: 'session.update', title: 'New' })
  assert.deepEqual(of(notify('model/rerouted', { toModel: 'gpt-6' })), { kind: 'session.update', model: 'gpt-6' })
  assert.deepEqual(of(notify('thread/settings/updated', { threadSettings: { cwd: '/b' } })), { kind: 'session.update', cwd: '/b' })
  assert.deepEqual(of(notify('warning', { message: 'w' })), { kind: 'notice', level: 'warn', code: 'warning', text: 'w' })
  assert.deepEqual(of(serverItem('completed', 'hookPrompt', { fragments: [{ text: 'h' }] })), {
    kind: 'prompt.submit',
    text: 'h',
    by: 'hook',
    state: 'seen',
  })
  assert.equal(of(serverItem('completed', 'contextCompaction'))['kind'], 'context.trim')
  assert.equal(of(serverItem('completed', 'enteredReviewMode', { review: 'r' }))['text'], 'r')
})

test('a compaction that is told twice is one', () => {
  const events = decodeAll(inTurn(serverItem('completed', 'contextCompaction'), notify('thread/compacted')))
  assert.equal(only(events, 'context.trim').length, 1)
})

test('servers are listed together, hooks pair', () => {
  const server = (name: string, status: string): Rec => notify('mcpServer/startupStatus/updated', { name, status, error: null })
  assert.deepEqual(
    told(inTurn(server('a', 'starting'), server('b', 'failed'), server('a', 'ready')), 'catalog.update').at(-1)?.['servers'],
    [
      { name: 'b', status: 'failed' },
      { name: 'a', status: 'ready' },
    ],
  )
  const early = [server('a', 'failed'), notify('thread/started', { thread: { id: 't' } })]
  assert.deepEqual(
    told(early, 'catalog.update').map(({ servers }) => servers),
    [[{ name: 'a', status: 'failed' }]],
  )
  const run = { id: 'h', eventName: 'preToolUse' }
  const hooks = decodeAll(inTurn(notify('hook/started', { run }), notify('hook/completed', { run: { ...run, status: 'blocked' } })))
  assert.deepEqual(kindsOf(hooks).slice(2, 4), ['hook.start', 'hook.end'])
  assert.equal(only(hooks, 'hook.end')[0]?.status, 'denied')
})

test('text that a broken connection cut off is withdrawn when it is asked for again', () => {
  const delta = (itemId: string, text: string): Rec => notify('item/agentMessage/delta', { itemId, delta: text })
  const retry = notify('error', { error: { message: 'Reconnecting... 1/2 (stream disconnected)' }, willRetry: true })
  const whole = serverItem('completed', 'agentMessage', { id: 'b', text: 'All' })
  const events = decodeAll(inTurn(delta('a', 'Al'), retry, delta('b', 'All'), whole, retry))
  assert.deepEqual(
    events.filter(({ kind }) => /^(text|message|retry)/.test(kind)).map(({ kind, message }) => [kind, message]),
    [
      ['text.delta', 'a'],
      ['message.drop', 'a'],
      ['retry.start', undefined],
      ['text.delta', 'b'],
      ['text.end', 'b'],
      ['retry.start', undefined],
    ],
  )
})

test('an error that is tried again is a retry, another is the end of the turn', () => {
  const error = (message: string, willRetry: boolean, codexErrorInfo: unknown = 'other'): Rec =>
    notify('error', { willRetry, error: { message, codexErrorInfo } })
  const events = decodeAll([
    opened,
    starts(),
    error('Reconnecting... 2/5', true, { responseStreamDisconnected: { httpStatusCode: null } }),
    error('Falling back to HTTPS', true),
    error('full', false, 'contextWindowExceeded'),
    ends('failed', { error: { message: 'full', codexErrorInfo: 'contextWindowExceeded' } }),
  ])
  assert.deepEqual(
    only(events, 'retry.start').map((retry) => [retry.attempt, retry.max, retry.error?.category]),
    [[2, 5, 'network']],
  )
  assert.deepEqual(
    only(events, 'error').map(({ fatal, error: fault }) => [fatal, fault.category]),
    [
      [false, 'unknown'],
      [true, 'context'],
    ],
  )
  assert.equal(only(events, 'turn.end')[0]?.reason, 'context')
})

test('a method, response or event that the program has and we pass on is not unknown', () => {
  const records = [
    ...[...otherMethods.keys()].map((method) => ({ method, id: 9, params: {} })),
    ...[...otherResponses.keys()].map((type) => line('response_item', { type })),
    ...[...otherEvents.keys()].map((type) => line('event_msg', { type })),
    { method: 'codex/event/agent_message', params: { msg: {} } },
  ]
  assert.deepEqual(
    only(decodeAll(records), 'raw').filter(({ why }) => why === 'unknown'),
    [],
  )
  assert.equal(only(decodeAll(records), 'issue').length, 0)
  assert.equal(only(decodeAll([{ method: 'made/up', params: {} }]), 'raw')[0]?.why, 'unknown')
})

test('an end of a turn that has no shape, or a status of no end, is a failure that says what it was', () => {
  const record = (params: unknown): Rec => ({ method: 'turn/completed', params })
  for (const params of [null, {}, { threadId: 't' }, { threadId: 't', turn: { id: 5 } }]) {
    const events = decodeAll([opened, starts(), record(params)])
    const [end, ...more] = only(events, 'turn.end')
    assert.deepEqual([end?.reason, end?.error?.code, more.length, only(events, 'issue').length], ['error', 'unreadable-end', 0, 1])
    assert.deepEqual(kindsOf(decodeAll([opened, record(params)])), ['session.start', 'issue', 'session.end*']) // nothing was open
  }
  for (const status of ['weird', 'inProgress']) {
    const [end] = only(decodeAll([opened, starts(), record({ threadId: 't', turn: { id: 'u', status } })]), 'turn.end')
    assert.deepEqual([end?.reason, end?.error?.text], ['error', `the turn ended with the status "${status}"`])
  }
})

test('a turn that is refused without a shape is refused', () => {
  const start = { id: 4, method: 'turn/start', params: { threadId: 't', input: [{ type: 'text', text: 'go' }] } }
  for (const error of ['no turn', null]) {
    const [end, ...more] = only(decodeAll([opened, start, { id: 4, error }]), 'turn.end')
    assert.deepEqual([end?.reason, more.length], ['error', 0])
    assert.match(end!.error!.text, /cannot be read: /)
  }
})
