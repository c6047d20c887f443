// Calls, what became of them, and questions about them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { plain, type Told, written } from './support.test.ts'
import { at } from './words.ts'

const text = (value: string): Rec => ({ type: 'text', text: value })

test('a call, its update, its end', () => {
  const { updates, lost } = written(
    ['tool.start', { name: 'Bash', toolKind: 'execute', paths: ['/home/dev/a'] }, { call: 'c' }],
    ['tool.update', { state: 'running', input: { command: 'ls' }, title: 'List' }, { call: 'c' }],
    ['tool.end', { status: 'ok', text: 'a\n', exitCode: 0 }, { call: 'c' }],
  )
  assert.deepEqual(updates, [
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Bash',
      name: 'Bash',
      kind: 'execute',
      status: 'pending',
      locations: [{ path: '/home/dev/a' }],
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress', title: 'List', rawInput: { command: 'ls' } },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'completed',
      content: [{ type: 'content', content: text('a\n') }],
      rawOutput: { output: 'a\n', exitCode: 0 },
    },
  ])
  assert.deepEqual(lost, [])
})

test('kinds of tools that the protocol has no word for', () => {
  const kinds = (name: string, toolKind: 'task' | 'plan' | 'skill' | 'question' | 'mode' | 'execute'): unknown[] => {
    const { updates, lost } = written(['tool.start', { name, toolKind }, { call: 'c' }])
    return [updates[0]?.['kind'], ...lost]
  }
  assert.deepEqual(kinds('Task', 'task'), ['think'])
  assert.deepEqual(kinds('TodoWrite', 'plan'), ['think'])
  assert.deepEqual(kinds('Skill', 'skill'), ['other'])
  assert.deepEqual(kinds('AskUserQuestion', 'question'), ['other'])
  assert.deepEqual(kinds('ExitPlanMode', 'mode'), ['switch_mode'])
  assert.deepEqual(kinds('helper', 'task'), ['think', 'tool.start.toolKind approx'])
})

test('a command that left with a code is failed, and its code can be read', () => {
  const last = (payload: Extract<Told, readonly ['tool.end', ...unknown[]]>[1]): unknown => {
    const { updates, lost } = written(
      ['tool.start', { name: 'Bash', toolKind: 'execute' }, { call: 'c' }],
      ['tool.end', payload, { call: 'c' }],
    )
    return plain([updates.at(-1)?.['status'], updates.at(-1)?.['rawOutput'] ?? null, ...lost])
  }
  assert.deepEqual(last({ status: 'ok', exitCode: 3, text: 'x' }), ['failed', { output: 'x', exitCode: 3 }])
  assert.deepEqual(last({ status: 'ok', exitCode: 3, data: { metadata: { exit: 3 } } }), ['failed', { metadata: { exit: 3 } }])
  assert.deepEqual(last({ status: 'ok', data: { metadata: { exit: 3 } }, text: 'x' }), ['completed', 'x', 'tool.end.data drop'])
  assert.deepEqual(last({ status: 'denied', error: { category: 'unknown', text: 'no' } }), ['failed', 'no'])
  assert.deepEqual(last({ status: 'abandoned' }), ['failed', null])
})

test("content takes the protocol's form, or is lost", () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
  const diff = { type: 'diff', path: '/home/dev/a', newText: 'x' }
  const { updates, lost } = written(
    ['tool.start', { name: 'Read', toolKind: 'read' }, { call: 'c' }],
    ['tool.end', { status: 'ok', content: [text('a'), image, diff, { type: 'tool_reference' }] }, { call: 'c' }],
  )
  assert.deepEqual(updates.at(-1)?.['content'], [
    { type: 'content', content: text('a') },
    { type: 'content', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
    diff,
  ])
  assert.deepEqual(lost, ['tool.end.content drop'])
})

test('a call of a subagent names the call that started it; its text is lost', () => {
  const { updates, lost } = written(
    ['tool.start', { name: 'Task', toolKind: 'task' }, { call: 't' }],
    ['task.start', { task: 'a', type: 'agent' }, { call: 't' }],
    ['tool.start', { name: 'Read', toolKind: 'read' }, { call: 'c', agent: 'a' }],
    ['text.end', { text: 'sub', streamed: false }, { agent: 'a' }],
    ['task.end', { task: 'a', status: 'ok' }],
  )
  assert.deepEqual(updates[1]?.['_meta'], { claudeCode: { parentToolUseId: 't' } })
  assert.deepEqual(lost, ['text.end drop'])
})

test('a question is a request of the agent', () => {
  const { records } = written(
    ['tool.start', { name: 'Bash', toolKind: 'execute' }, { call: 'c' }],
    [
      'permission.request',
      {
        id: '17',
        name: 'Bash',
        question: 'Run ls?',
        input: { command: 'ls' },
        options: [
          { id: 'y', kind: 'allow_session', label: 'Yes' },
          { id: 'n', kind: 'cancel' },
        ],
      },
      { call: 'c' },
    ],
    ['permission.answer', { id: '17', decision: 'allow', by: 'user' }],
  )
  assert.deepEqual(records[1], {
    jsonrpc: '2.0',
    id: 17,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 'c', title: 'Run ls?', name: 'Bash', kind: 'execute', status: 'pending', rawInput: { command: 'ls' } },
      options: [
        { optionId: 'y', name: 'Yes', kind: 'allow_always' },
        { optionId: 'n', name: 'n', kind: 'reject_once' },
      ],
    },
  })
})

test('a question must be about a call: by its name, or it is lost; options and ids are made up', () => {
  const call: Told = ['tool.start', { name: 'Bash', toolKind: 'execute' }, { call: 'c' }]
  const question = (id: string, name: string): Told => ['permission.request', { id, name, options: [] }]
  const { records, added, lost } = written(call, question('~q', 'bash'), question('q', 'bash'), question('x', 'other'))
  const asked = records.filter(({ method }) => method === 'session/request_permission')
  assert.deepEqual(
    asked.map(({ id, params }) => [id, at(at(params, 'toolCall'), 'toolCallId')]),
    [
      ['q', 'c'],
      ['q-2', 'c'],
    ],
  )
  assert.deepEqual(
    new Set(added),
    new Set(['session/request_permission.toolCallId', 'session/request_permission.options', 'session/request_permission.id']),
  )
  assert.deepEqual(lost, ['permission.request drop'])
})
