// The events of rollout files, and what the order of records implies: turns, tokens, subagents, forks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, event, kindsOf, line, meta, only, plain, response, told } from './support.test.ts'

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

test('subagents: their task begins and ends with the events of the calls', () => {
  const records = inTurn(
    call('spawn_agent', '{}', { namespace: 'multi_agent_v1' }),
    event('collab_agent_spawn_end', { call_id: 'c', new_thread_id: 'child', prompt: 'Count' }),
    output('{}'),
    event('collab_waiting_end', { statuses: { child: { completed: 'Three.' } } }),
  )
  assert.deepEqual(
    told(records, 'task.start').map(({ task, call: spawn, prompt }) => [task, spawn, prompt]),
    [['child', 'c', 'Count']],
  )
  assert.deepEqual(
    told(records, 'task.end').map(({ status, text }) => [status, text]),
    [['ok', 'Three.']],
  )
})

test("a subagent's own file is a lane of its root", () => {
  const head = meta({
    id: 'child',
    session_id: 'root',
    source: { subagent: { thread_spawn: { parent_thread_id: 'root', depth: 1 } } },
    agent_role: 'worker',
  })
  const events = decodeAll([
    head,
    begins,
    message('user', 'Count'),
    message('assistant', 'Three.'),
    event('task_complete', { turn_id: '1', last_agent_message: 'Three.' }),
  ])
  assert.deepEqual(
    only(events, 'text.end').map(({ session, agent }) => [session, agent]),
    [['root', 'child']],
  )
  assert.deepEqual(
    only(events, 'task.end').map(({ status, text }) => [status, text]),
    [['ok', 'Three.']],
  )
  assert.deepEqual(
    only(events, 'prompt.submit').map(({ by }) => by),
    ['agent'],
  )
  assert.equal(only(events, 'session.end')[0]?.reason, 'end_turn')
})

test('a compaction is told once, by whichever record comes first', () => {
  const compacted = line('compacted', { message: 'Summary' })
  assert.deepEqual(
    told(inTurn(compacted, event('context_compacted')), 'context.trim').map(({ text }) => text),
    ['Summary'],
  )
  assert.equal(told(inTurn(event('item_completed', { item: { id: 'x', type: 'ContextCompaction' } }), compacted), 'context.trim').length, 1)
  assert.equal(told(inTurn(compacted, message('assistant', 'a'), compacted), 'context.trim').length, 2)
})

test('tokens are told once, by turn; limits and the size of the window beside', () => {
  const total = (input: number): Rec => ({ input_tokens: input, cached_input_tokens: 0, output_tokens: 0, total_tokens: input })
  const record = (input: number, last: number): Rec => line('token_usage_record', { thread_token_usage: total(input), usage: total(last) })
  const count = (input: number, last: number): Rec =>
    event('token_count', {
      info: { total_token_usage: total(input), last_token_usage: total(last), model_context_window: 100 },
      rate_limits: { primary: { used_percent: 50, resets_at: 2 } },
    })
  const records = [meta(), begins, record(10, 10), count(10, 10), count(30, 20), finish]
  assert.deepEqual(
    told(records, 'turn.end').map(({ usage }) => usage),
    [{ input: 30, output: 0, cacheRead: 0 }],
  )
  assert.deepEqual(
    told(records, 'usage.update').map(({ usage, context, limits }) =>
      plain([(usage as Rec | undefined)?.['input'] ?? null, context, limits ?? null]),
    ),
    [
      [10, { used: 10 }, null],
      [null, { used: 10, limit: 100 }, [{ name: 'primary', state: 'ok', used: 0.5, resetsAt: 2000 }]],
      [30, { used: 20, limit: 100 }, [{ name: 'primary', state: 'ok', used: 0.5, resetsAt: 2000 }]],
    ],
  )
})

test('tokens of turns that a fork copied were counted where they were taken', () => {
  const head = meta({ id: '019b0000-0000-7000-8000-000000000002', forked_from_id: '019a0000-0000-7000-8000-000000000001' })
  const count = (input: number, last: number): Rec =>
    event('token_count', { info: { total_token_usage: { input_tokens: input }, last_token_usage: { input_tokens: last } } })
  const turn = (id: string): Rec => event('task_started', { turn_id: id })
  const records = [
    head,
    meta({ id: '019a0000-0000-7000-8000-000000000001' }),
    turn('019a0000-0000-7000-8000-000000000003'),
    count(100, 100),
    event('task_complete', { turn_id: '019a0000-0000-7000-8000-000000000003' }),
    turn('019b0000-0000-7000-8000-000000000004'),
    count(130, 30),
    event('task_complete', { turn_id: '019b0000-0000-7000-8000-000000000004' }),
  ]
  assert.deepEqual(
    told(records, 'turn.end').map(({ usage }) => usage),
    [undefined, { input: 30 }],
  )
  assert.equal(told(records, 'session.start').length, 1)
})

test('files of versions that told no turns: a prompt begins one, the next or the end of the file ends it', () => {
  const events = decodeAll([meta(), message('user', 'One'), message('assistant', 'A'), message('user', 'Two'), message('assistant', 'B')])
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'turn.start*',
    'prompt.submit',
    'text.end',
    'turn.end*',
    'turn.start*',
    'prompt.submit',
    'text.end',
    'turn.end*',
    'session.end*',
  ])
  assert.deepEqual(
    only(events, 'turn.end').map(({ reason }) => reason),
    ['end_turn', 'end_turn'],
  )
  const cut = decodeAll([meta(), message('user', 'One'), call('shell')])
  assert.equal(only(cut, 'turn.end')[0]?.reason, 'cut')
})

test('turns end as they are said to', () => {
  const reason = (record: Rec): unknown =>
    only(decodeAll([meta(), begins, record]), 'turn.end').map((end) => [end.reason, end.error?.category])
  assert.deepEqual(reason(event('turn_aborted', { turn_id: '1', reason: 'interrupted' })), [['cancelled', undefined]])
  assert.deepEqual(reason(event('turn_aborted', { turn_id: '1', reason: 'budget_limited' })), [['budget', undefined]])
  const error = { message: 'x', codex_error_info: 'usage_limit_exceeded' }
  assert.deepEqual(reason(event('task_complete', { turn_id: '1', error })), [['error', 'rate_limit']])
})

test('other events', () => {
  const of = (record: Rec): unknown => kindsOf(decodeAll(inTurn(record)).filter(({ origin }) => origin?.record === 3))
  assert.deepEqual(of(event('plan_update', { plan: [{ step: 'a', status: 'completed' }] })), ['plan.update'])
  assert.deepEqual(of(event('turn_diff', { unified_diff: '-' })), ['file.update'])
  assert.deepEqual(of(event('thread_rolled_back', { num_turns: 1 })), ['context.trim'])
  assert.deepEqual(of(event('stream_error', { message: 'Reconnecting... 1/5' })), ['retry.start'])
  assert.deepEqual(of(event('error', { message: 'x' })), ['error'])
  assert.deepEqual(of(event('warning', { message: 'x' })), ['notice'])
  assert.deepEqual(of(event('entered_review_mode')), ['notice'])
  assert.deepEqual(of(event('thread_name_updated', { thread_name: 'x' })), ['session.update'])
  assert.deepEqual(of(line('inter_agent_communication', { content: 'x' })), ['prompt.submit'])
  assert.deepEqual(of(line('inter_agent_communication_metadata', { trigger_turn: true })), ['raw'])
})
