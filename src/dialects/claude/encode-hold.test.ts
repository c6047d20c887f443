// Every block of a message tells what the whole message has used, though that is known only at its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { type Told, written } from './support.test.ts'

const usage = { input: 11, output: 22, cacheRead: 1000, cacheWrite: 7 }
const tokens = {
  input_tokens: 11,
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 1000,
  output_tokens: 22,
  cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
}
const open: Told[] = [
  ['session.start', { model: 'm' }],
  ['turn.start', { trigger: 'prompt' }],
]
const call = (place: object): Told => [
  'tool.start',
  { name: 'bash', toolKind: 'execute', input: { command: 'ls' } },
  { call: 'c', ...place },
]
const gave: Told = ['tool.end', { name: 'bash', status: 'ok', text: 'a' }, { call: 'c' }]
const over: Told = ['message.end', { finish: 'tool_use', usage }, { message: 'x' }]
const blocks = (records: readonly Rec[]): Rec[] => records.filter(({ type }) => type === 'assistant').map(({ message }) => message as Rec)

test('all blocks of a message have its tokens and one id, also when its calls are told before or after its end', () => {
  const text: Told = ['text.end', { text: 'a', streamed: false }, { message: 'x', block: 0 }]
  for (const rest of [
    [call({ message: 'x' }), over, gave],
    [call({ message: 'x' }), gave, over],
    [over, call({}), gave],
  ]) {
    const { records, added } = written([
      ...open,
      ['message.start', {}, { message: 'x' }],
      text,
      ...rest,
      ['turn.end', { reason: 'end_turn' }],
    ])
    const told = blocks(records)
    assert.deepEqual(
      told.map(({ usage: used }) => used),
      [tokens, tokens],
    )
    assert.equal(new Set(told.map(({ id }) => id)).size, 1)
    assert.equal(added.includes('assistant.message.usage'), false)
    assert.equal((records.at(-1) as { num_turns: number }).num_turns, 1)
  }
})

test('so has a subagent, whose calls have their structure', () => {
  const lane = { agent: 'sub' }
  const { records } = written([
    ...open,
    ['tool.start', { name: 'task', toolKind: 'task', input: {} }, { message: 'p', call: 't' }],
    ['task.start', { task: 'sub', type: 'agent' }, { call: 't' }],
    ['message.start', {}, { ...lane, message: 'x' }],
    call({ ...lane, message: 'x' }),
    ['message.end', { finish: 'tool_use', usage }, { ...lane, message: 'x' }],
    ['tool.delta', { of: 'output', text: 'out', stream: 'stdout' }, { ...lane, call: 'c' }],
    ['tool.delta', { of: 'output', text: 'err', stream: 'stderr' }, { ...lane, call: 'c' }],
    ['tool.end', { name: 'bash', status: 'ok', text: 'outerr' }, { ...lane, call: 'c' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  const own = records.filter(({ parent_tool_use_id: parent }) => parent === 't')
  assert.deepEqual(
    blocks(own).map(({ usage: used }) => used),
    [tokens],
  )
  const structure = own.find(({ type }) => type === 'user')?.['tool_use_result']
  assert.deepEqual(structure, { stdout: 'out', stderr: 'err', interrupted: false, isImage: false })
})

test('in a live run of our own agent no lane waits for the message of another', () => {
  const begin = (task: string, call: string): Told[] => [
    ['task.start', { task, type: 'agent' }, { call }],
    ['message.start', {}, { agent: task, message: `m-${task}` }],
    ['text.end', { text: task, streamed: false }, { agent: task, message: `m-${task}` }],
  ]
  const start = (name: string, id: string, place: object): Told => [
    'tool.start',
    { name, toolKind: 'other', input: {} },
    { ...place, call: id },
  ]
  const end = (name: string, id: string, place: object = {}): Told => [
    'tool.end',
    { name, status: 'ok', text: 'x' },
    { ...place, call: id },
  ]
  const finish = (task: string): Told => ['message.end', { finish: 'tool_use', usage }, { agent: task, message: `m-${task}` }]
  const { records, added } = written(
    [
      ['session.start', { model: 'm', program: 'sluice' }],
      ['turn.start', { trigger: 'prompt' }],
      ['message.start', {}, { message: 'p' }],
      start('task', 't1', { message: 'p' }),
      start('task', 't2', { message: 'p' }),
      start('read', 'r', { message: 'p' }),
      ['message.end', { finish: 'tool_use', usage }, { message: 'p' }],
      ...begin('a', 't1'),
      ...begin('b', 't2'),
      end('read', 'r'),
      start('glob', 'g', { agent: 'b', message: 'm-b' }),
      finish('b'),
      ['permission.request', { id: 'q', name: 'glob', options: [] }, { agent: 'b', call: 'g' }],
      ['permission.answer', { id: 'q', decision: 'allow', by: 'user' }, { agent: 'b', call: 'g' }],
      end('glob', 'g', { agent: 'b' }),
      ['task.end', { task: 'b', status: 'ok' }],
      end('task', 't2'),
      start('glob', 'h', { agent: 'a', message: 'm-a' }),
      finish('a'),
      end('glob', 'h', { agent: 'a' }),
      ['task.end', { task: 'a', status: 'ok' }],
      end('task', 't1'),
      ['turn.end', { reason: 'end_turn' }],
    ],
    true,
  )
  assert.deepEqual(
    blocks(records).map(({ usage: used }) => used),
    Array.from({ length: 7 }, () => tokens),
  )
  assert.equal(added.includes('assistant.message.usage'), false)
  const results = records.flatMap(({ type, message }) => {
    const [first] = type === 'user' ? (message as { content: Rec[] }).content : []
    return first?.['type'] === 'tool_result' ? [first['tool_use_id']] : []
  })
  assert.deepEqual(results, ['r', 'g', 't2', 'h', 't1'])
})

test('a state that goes on is not told again', () => {
  const phases = ['working', 'thinking', 'waiting', 'working', 'idle'] as const
  const { records } = written([...open, ...phases.map((phase): Told => ['status.update', { phase }])])
  const states = records.filter(({ subtype }) => subtype === 'session_state_changed').map(({ state }) => state)
  assert.deepEqual(states, ['running', 'requires_action', 'running', 'idle'])
})
