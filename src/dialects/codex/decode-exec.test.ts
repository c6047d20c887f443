// stdout of exec, record by record: the types that no recording has, and what they become.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeAll, done, event, item, kindsOf, meta, notify, only, plain, shortly, starts, thread, told, turn } from './support.test.ts'

const inTurn = (...records: Parameters<typeof decodeAll>[0][number][]) => [thread, turn, ...records, done]

test('a thought and a plan are told whole', () => {
  assert.deepEqual(told(inTurn(item('completed', 'reasoning', { text: 'Hm' })), 'thought.end'), [
    { kind: 'thought.end', message: 'item_0', block: 0, text: 'Hm', streamed: false },
  ])
  const plan = inTurn(
    { type: 'item.plan.delta', item_id: 'item_0', delta: 'Fir' },
    { type: 'item.plan.delta', item_id: 'item_0', delta: 'st' },
    item('completed', 'plan', { text: 'First' }),
  )
  assert.deepEqual(told(plan, 'text.end'), [{ kind: 'text.end', message: 'item_0', text: 'First', streamed: true }])
})

test('a tool of a server has its name, its answer and its failure', () => {
  const call = { server: 'echo', tool: 'say', arguments: { a: 1 } }
  const answer = { content: [{ type: 'text', text: 'hi' }], structured_content: { n: 1 } }
  const ok = inTurn(
    item('started', 'mcp_tool_call', { ...call, result: null, error: null, status: 'in_progress' }),
    item('completed', 'mcp_tool_call', { ...call, result: answer, error: null, status: 'completed' }),
  )
  assert.deepEqual(told(ok, 'tool.start'), [
    { kind: 'tool.start', call: 'item_0', name: 'say', toolKind: 'other', server: 'echo', input: { a: 1 } },
  ])
  assert.deepEqual(told(ok, 'tool.end'), [
    { kind: 'tool.end', call: 'item_0', status: 'ok', text: 'hi', content: answer.content, data: { n: 1 } },
  ])
  const failed = inTurn(item('completed', 'mcp_tool_call', { ...call, error: { message: 'connection timed out' }, status: 'failed' }))
  const [end] = only(decodeAll(failed), 'tool.end')
  assert.deepEqual([end?.status, end?.error?.category, end?.text], ['error', 'timeout', 'connection timed out'])
})

test('a call that is told only when it is complete gets its start', () => {
  const changes = [{ path: '/a', kind: 'add' }]
  const events = decodeAll(inTurn(item('completed', 'file_change', { changes, status: 'failed' })))
  assert.deepEqual(kindsOf(events).slice(2, 4), ['tool.start*', 'tool.end'])
  assert.deepEqual(plain(only(events, 'tool.start')[0]?.paths), ['/a'])
})

test('a search has its words when it is over', () => {
  const records = inTurn(
    item('started', 'web_search', { query: '' }),
    item('completed', 'web_search', { query: 'cats', action: { type: 'search' } }),
  )
  assert.deepEqual(
    told(records, 'tool.update').map(({ input }) => input),
    [{ query: 'cats', action: { type: 'search' } }],
  )
})

test('refused is denied, and one that never came to its end is abandoned', () => {
  const command = { command: 'rm x', aggregated_output: '', exit_code: null }
  const status = (word: string): unknown =>
    told(inTurn(item('completed', 'command_execution', { ...command, status: word })), 'tool.end').map((end) => end['status'])
  assert.deepEqual([status('declined'), status('in_progress'), status('completed')], [['denied'], ['abandoned'], ['ok']])
})

test('a todo list is a plan, whenever it is told', () => {
  const list = (completed: boolean) => ({
    items: [
      { text: 'a', completed },
      { text: 'b', completed: false },
    ],
  })
  const records = inTurn(item('started', 'todo_list', list(false)), item('updated', 'todo_list', list(true)))
  assert.deepEqual(
    told(records, 'plan.update').map(({ entries }) => entries),
    [
      [
        { text: 'a', status: 'pending' },
        { text: 'b', status: 'pending' },
      ],
      [
        { text: 'a', status: 'done' },
        { text: 'b', status: 'pending' },
      ],
    ],
  )
})

test('subagents: the call that starts one begins its task, the one that waits ends it', () => {
  const spawn = { tool: 'spawn_agent', sender_thread_id: 't', prompt: 'Count', receiver_thread_ids: ['child'] }
  const wait = { tool: 'wait', sender_thread_id: 't', prompt: null, receiver_thread_ids: ['child'] }
  const states = { child: { status: 'errored', message: 'no' } }
  const records = inTurn(
    item('started', 'collab_tool_call', { ...spawn, receiver_thread_ids: [], agents_states: {}, status: 'in_progress' }),
    item('completed', 'collab_tool_call', { ...spawn, agents_states: { child: { status: 'pending_init' } }, status: 'completed' }),
    { type: 'item.completed', item: { id: 'item_1', type: 'collab_tool_call', ...wait, agents_states: states, status: 'completed' } },
  )
  const events = decodeAll(records).filter(({ kind }) => /^(tool|task)/.test(kind))
  assert.deepEqual(kindsOf(events), ['tool.start', 'task.start', 'tool.end', 'tool.start*', 'task.end', 'tool.end'])
  assert.deepEqual(told(records, 'task.start'), [
    { kind: 'task.start', call: 'item_0', task: 'child', type: 'agent', background: true, prompt: 'Count' },
  ])
  assert.deepEqual(told(records, 'task.end'), [
    { kind: 'task.end', task: 'child', status: 'error', text: 'no', error: { category: 'unknown', text: 'no' } },
  ])
})

test('a question to the user is asked, and withdrawn when the turn ends', () => {
  const records = inTurn({
    type: 'request_user_input',
    id: '1',
    call_id: 'c',
    questions: [{ id: 'q', question: 'Which?', options: [{ label: 'A' }] }],
  })
  assert.deepEqual(
    told(records, 'question.request').map(({ questions }) => questions),
    [[{ text: 'Which?', options: [{ label: 'A' }] }]],
  )
  assert.deepEqual(
    told(records, 'question.answer').map(({ decision }) => decision),
    ['withdrawn'],
  )
})

test('an item that is an error is a notice, even before the turn', () => {
  const [note] = only(decodeAll([thread, item('completed', 'error', { message: 'Model metadata not found' }), turn, done]), 'notice')
  assert.deepEqual([note?.level, note?.text], ['warn', 'Model metadata not found'])
})

test('a retry is no failure; a turn that fails has its reason', () => {
  const text = 'unexpected status 503 Service Unavailable: x'
  const events = decodeAll([
    thread,
    turn,
    { type: 'error', message: `Reconnecting... 1/5 (${text})` },
    { type: 'error', message: text },
    { type: 'turn.failed', error: { message: text } },
  ])
  assert.deepEqual(only(events, 'retry.start').map(shortly), [
    { kind: 'retry.start', scope: 'model', attempt: 1, max: 5, error: { category: 'overloaded', text, http: 503 } },
  ])
  assert.deepEqual(
    only(events, 'error').map(({ fatal }) => fatal),
    [false],
  )
  assert.deepEqual([only(events, 'turn.end')[0]?.reason, only(events, 'session.end')[0]?.error?.http], ['error', 503])
  const full = decodeAll([
    thread,
    turn,
    { type: 'turn.failed', error: { message: "Codex ran out of room in the model's context window." } },
  ])
  assert.equal(only(full, 'turn.end')[0]?.reason, 'context')
  const cut = (message: string) => only(decodeAll([thread, turn, { type: 'turn.failed', error: { message } }]), 'turn.end')[0]!
  assert.equal(cut('Incomplete response returned, reason: max_output_tokens').reason, 'max_tokens')
  const refused = cut('stream disconnected before completion: Incomplete response returned, reason: content_filter')
  assert.deepEqual([refused.reason, refused.error?.category], ['refusal', 'invalid'])
})

test('a thread that is resumed goes on: its tokens are differences, its turns are counted on', () => {
  const used = (input: number) => ({ type: 'turn.completed', usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: 0 } })
  const events = decodeAll([thread, turn, used(10), thread, turn, used(25)])
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'turn.start',
    'turn.end',
    'session.end*',
    'session.start',
    'turn.start',
    'turn.end',
    'session.end*',
  ])
  assert.deepEqual(
    only(events, 'session.start').map(({ how }) => how),
    [undefined, 'resumed'],
  )
  assert.deepEqual(
    only(events, 'turn.end').map((end) => [end.turn, end.usage?.input]),
    [
      [1, 10],
      [2, 15],
    ],
  )
})

test('a turn without an end is cut, or ended by the next', () => {
  assert.deepEqual(kindsOf(decodeAll([thread, turn])), ['session.start', 'turn.start', 'turn.end*', 'session.end*'])
  const reasons = only(decodeAll([thread, turn, turn, done]), 'turn.end').map(({ reason }) => reason)
  assert.deepEqual(reasons, ['unknown', 'end_turn'])
})

test('an unknown item is kept as unknown, a known one with a bad body is an issue', () => {
  const [raw] = only(decodeAll(inTurn(item('completed', 'new_thing'))), 'raw')
  assert.deepEqual([raw?.type, raw?.why], ['item.completed/new_thing', 'unknown'])
  const [issue] = only(decodeAll(inTurn(item('completed', 'command_execution', { command: 7 }))), 'issue')
  assert.match(issue?.text ?? '', /"\/item\/command" must be string/)
})

test('unknown keys are kept, however deep they stand, in all three forms', () => {
  const ran = { command: 'x', aggregated_output: '', exit_code: 0, status: 'completed', weather: 'fine' }
  const [byExec] = only(decodeAll([thread, turn, item('completed', 'command_execution', ran)]), 'tool.end')
  assert.deepEqual(plain(byExec?.ext), { codex: { item: { weather: 'fine' } } })
  const total = { inputTokens: 1, outputTokens: 2, moonTokens: 3 }
  const told = notify('thread/tokenUsage/updated', { tokenUsage: { total, last: null } })
  const kept = { params: { tokenUsage: { total: { moonTokens: 3 } } } }
  const [alone, wrapped] = only(decodeAll([starts(), told, { t: 1, from: 'agent', message: told }]), 'usage.update')
  assert.deepEqual(plain([alone?.ext, wrapped?.ext]), [{ codex: kept }, { codex: { message: kept } }])
  const [inFile] = only(decodeAll([meta(), event('task_started', { turn_id: '1', weather: 'fine' })]), 'turn.start')
  assert.deepEqual(plain(inFile?.ext), { codex: { payload: { weather: 'fine' } } })
})
