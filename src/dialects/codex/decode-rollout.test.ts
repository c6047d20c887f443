// Rollout files: what no recording shows, above all the forms of older versions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, event, line, meta, only, plain, response, told } from './support.test.ts'

const begins = event('task_started', { turn_id: '1' })
const finish = event('task_complete', { turn_id: '1', last_agent_message: null })
const inTurn = (...records: Rec[]): Rec[] => [meta(), begins, ...records, finish]
const message = (role: string, ...texts: string[]): Rec =>
  response('message', {
    id: 'm',
    role,
    content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
  })
const call = (name: string, input: unknown = '{}', more: Rec = {}): Rec =>
  response('function_call', { call_id: 'c', name, arguments: input, ...more })
const output = (said: unknown): Rec => response('function_call_output', { call_id: 'c', output: said })

test('the head is the session', () => {
  const head = meta({ cwd: '/a', cli_version: '0.60.0', model_provider: 'openai', forked_from_id: 'old' })
  assert.deepEqual(told([head], 'session.start'), [
    {
      kind: 'session.start',
      at: 1794772993043,
      how: 'forked',
      native: 't',
      forkedFrom: 'old',
      program: 'codex',
      version: '0.60.0',
      provider: 'openai',
      cwd: '/a',
    },
  ])
})

test('settings are told when they change, whoever tells them', () => {
  const setting = { cwd: '/a', approval_policy: 'never', model: 'gpt-5.5' }
  const records = inTurn(
    line('turn_context', setting),
    event('thread_settings_applied', { thread_settings: setting }),
    line('turn_context', { ...setting, model: 'gpt-6' }),
  )
  assert.deepEqual(
    told(records, 'session.update').map(({ cwd, mode, model }) => plain([cwd, mode, model])),
    [
      ['/a', 'never', 'gpt-5.5'],
      [null, null, 'gpt-6'],
    ],
  )
})

test('who speaks in a message: the user, the program under its name, the model', () => {
  const kinds = (kind: string): Rec => ({ internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] } })
  const typed = response('message', { role: 'user', content: [{ type: 'input_text', text: '<html>' }], ...kinds('user.text') })
  const made = response('message', {
    role: 'user',
    content: [{ type: 'input_text', text: 'x' }],
    ...kinds('environments.environment_context'),
  })
  const records = inTurn(
    message('developer', 'd'),
    message('user', '<environment_context>'),
    message('user', 'Do'),
    typed,
    made,
    message('assistant', 'a', 'b'),
  )
  assert.deepEqual(
    told(records, 'prompt.submit').map(({ by }) => by),
    ['system', 'system', 'user', 'user', 'system'],
  )
  assert.deepEqual(
    told(records, 'text.end').map(({ text, block }) => [text, block]),
    [
      ['a', 0],
      ['b', 1],
    ],
  )
})

test('a skill that the user names is loaded', () => {
  const records = inTurn(message('user', '<skill>\n<name>greet</name>\n<path>/s/SKILL.md</path>\nSay ahoy'))
  assert.deepEqual(
    told(records, 'skill.load').map(({ name, level, path }) => [name, level, path]),
    [['greet', 'loaded', '/s/SKILL.md']],
  )
})

test('thoughts: a summary, the raw ones, or nothing that can be read', () => {
  const thought = (fields: Rec): Rec => response('reasoning', { id: 'r', ...fields })
  const both = inTurn(thought({ summary: [{ type: 'summary_text', text: 's' }], content: [{ type: 'reasoning_text', text: 'raw' }] }))
  assert.deepEqual(
    told(both, 'thought.end').map(({ text, block }) => [text, block]),
    [
      ['s', 0],
      ['raw', 1000],
    ],
  )
  const hidden = inTurn(thought({ summary: [], encrypted_content: 'gAAA' }))
  assert.deepEqual(
    told(hidden, 'thought.end').map(({ redacted, text }) => [redacted, text]),
    [[true, undefined]],
  )
})

test('how a command ended, in every form that the program had for it', () => {
  const end = (said: unknown, name = 'shell', ...before: Rec[]): unknown =>
    told(inTurn(call(name), ...before, output(said)), 'tool.end').map(({ status, exitCode }) => plain([status, exitCode ?? null]))
  assert.deepEqual(end('Chunk ID: 1\nWall time: 0 seconds\nProcess exited with code 3\nOutput:\nx', 'exec_command'), [['error', 3]])
  assert.deepEqual(end('Exit code: 2\nWall time: 0 seconds\nOutput:\nx'), [['error', 2]])
  assert.deepEqual(end(JSON.stringify({ output: 'x', metadata: { exit_code: 5, duration_seconds: 0.1 } })), [['error', 5]])
  assert.deepEqual(end({ content: 'x', success: false }), [['error', null]])
  assert.deepEqual(end('plain words\nExit code: 3'), [['ok', null]])
  assert.deepEqual(end('Exit code: 3\nOutput:\n', 'some_mcp_tool'), [['ok', null]])
  assert.deepEqual(end('x', 'shell', event('exec_command_end', { call_id: 'c', exit_code: 7, duration: { secs: 1, nanos: 5e8 } })), [
    ['error', 7],
  ])
  assert.deepEqual(end('aborted by user after 2s'), [['cancelled', null]])
  assert.deepEqual(end('exec command rejected by user'), [['denied', null]])
})

test('an event before the answer tells status and time of the call', () => {
  const item = { type: 'CommandExecution', id: 'c', status: 'failed', exit_code: 3, duration: { secs: 1, nanos: 5e8 } }
  const records = inTurn(call('exec_command'), event('item_completed', { item }), output('x'))
  assert.deepEqual(
    told(records, 'tool.end').map(({ status, exitCode, durationMs }) => [status, exitCode, durationMs]),
    [['error', 3, 1500]],
  )
})

test('input is what its JSON says, or the text that it is', () => {
  const input = (told: unknown): unknown => only(decodeAll(inTurn(call('f', told))), 'tool.start')[0]?.input
  assert.deepEqual(input('{"a":[1]}'), { a: [1] })
  assert.equal(input('{"a":'), '{"a":')
  const server = (name: string, namespace?: string): unknown =>
    only(decodeAll(inTurn(call(name, '{}', { namespace }))), 'tool.start')[0]?.server
  assert.deepEqual([server('say', 'mcp__echo'), server('mcp__echo__say'), server('say')], ['echo', 'echo', undefined])
})

test('calls of other kinds', () => {
  const start = (record: Rec): unknown =>
    told(inTurn(record), 'tool.start').map(({ name, toolKind, input, hostedBy }) => plain([name, toolKind, input, hostedBy ?? null]))
  const action = { type: 'exec', command: ['ls'] }
  assert.deepEqual(start(response('local_shell_call', { call_id: 'c', status: 'completed', action })), [
    ['local_shell', 'execute', { command: ['ls'] }, null],
  ])
  assert.deepEqual(start(response('custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '***' })), [
    ['apply_patch', 'edit', '***', null],
  ])
  assert.deepEqual(start(response('web_search_call', { status: 'completed', action: { type: 'search', query: 'q' } })), [
    ['web_search', 'fetch', { type: 'search', query: 'q' }, 'provider'],
  ])
  assert.deepEqual(start(response('tool_search_call', { call_id: 'c', arguments: { query: 'q' } })), [
    ['tool_search', 'other', { query: 'q' }, null],
  ])
})
