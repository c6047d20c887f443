// What other agents tell: deltas without wholes, lanes without calls, questions, prompts, and streams without turn, end or name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord } from '../../base/json.ts'
import { codesOf, contentOf, decodeAll, encodeAll, eventsIn, only, tellAll, type Told, typesOf, written } from './support.test.ts'

test('deltas stand in a bracket, with the full record before the stop of its block', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['text.delta', { text: 'He' }],
    ['text.delta', { text: 'llo' }],
    ['tool.start', { name: 'Read', toolKind: 'read' }, { call: 'a' }],
    ['tool.delta', { of: 'input', text: '{"file_' }, { call: 'a' }],
    ['tool.delta', { of: 'input', text: 'path":"f"}' }, { call: 'a' }],
    ['tool.end', { status: 'ok', text: 'x' }, { call: 'a' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  assert.deepEqual(typesOf(records), [
    'system/init',
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'assistant',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'assistant',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'user',
    'result/success',
  ])
  assert.deepEqual(contentOf(records[5]!), [{ type: 'text', text: 'Hello' }])
  assert.deepEqual(contentOf(records[10]!), [{ type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'f' } }])
})

test('a thought that ends after the first words of the answer (appctl)', () => {
  const events = tellAll(
    [
      ['turn.start', { trigger: 'prompt' }],
      ['thought.delta', { text: 'hm' }],
      ['text.delta', { text: 'a' }],
      ['thought.end', { text: 'hm', streamed: true }],
      ['text.delta', { text: 'b' }],
      ['text.end', { text: 'ab', streamed: true }],
      ['turn.end', { reason: 'end_turn' }],
    ],
    undefined,
    { interleaved: true },
  ).filter(({ kind, synthetic }) => kind !== 'text.end' || synthetic === undefined)
  const { records } = encodeAll(events)
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(
    records.filter(({ type }) => type === 'assistant').map((record) => contentOf(record)[0]),
    [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'ab' },
    ],
  )
})

test('a picture is a block of its own: the text after it is told once', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['thought.delta', { text: 'hm' }],
    ['content.end', { type: 'image', mime: 'image/png', data: 'aGk=' }],
    ['text.delta', { text: 'hello' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  assert.deepEqual(
    only(decodeAll(records), 'text.end').map(({ text, streamed }) => [text, streamed]),
    [['hello', true]],
  )
})

test('withdrawn text', () => {
  const { records } = encodeAll(eventsIn('2.1.325/t-stream-error-forever.ndjson'))
  const stops = records.filter((record) => isRecord(record['abandoned_blocks']))
  assert.deepEqual(
    stops.map((record) => record['abandoned_blocks']),
    [{ api_message_id: 'msg_mock000001', from_block_index: 0 }],
  )
})

test('permissions and questions, both sides', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['tool.start', { name: 'Bash', toolKind: 'execute', input: { command: 'ls' } }, { call: 'a' }],
    ['permission.request', { id: '~1', name: 'Bash', options: [] }, { call: 'a' }],
    ['permission.answer', { id: '~1', decision: 'allow', by: 'user' }, { call: 'a' }],
    ['permission.request', { id: 'r2', name: 'Write', permission: 'edit', options: [], input: { a: 1 } }],
    ['permission.answer', { id: 'r2', decision: 'reject', by: 'user', text: 'no', stop: true }],
    ['question.request', { id: 'q', questions: [{ text: 'Which?', options: [{ label: 'Red' }] }] }],
    ['question.answer', { id: 'q', decision: 'allow', answers: { 'Which?': 'Red' }, by: 'user' }],
    ['permission.request', { id: 'r3', name: 'Read', options: [] }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  const control = records
    .filter(({ type }) => String(type).startsWith('control_'))
    .map((record) => record['request'] ?? record['response'] ?? record['request_id'])
  assert.deepEqual(control, [
    { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'a' },
    { subtype: 'success', request_id: '1', response: { behavior: 'allow', updatedInput: { command: 'ls' } } },
    { subtype: 'can_use_tool', tool_name: 'Write', input: { a: 1 } },
    { subtype: 'success', request_id: 'r2', response: { behavior: 'deny', message: 'no', interrupt: true } },
    {
      subtype: 'can_use_tool',
      tool_name: 'AskUserQuestion',
      input: { questions: [{ question: 'Which?', header: '', options: [{ label: 'Red' }], multiSelect: false }] },
      requires_user_interaction: true,
    },
    {
      subtype: 'success',
      request_id: 'q',
      response: {
        behavior: 'allow',
        updatedInput: {
          questions: [{ question: 'Which?', header: '', options: [{ label: 'Red' }], multiSelect: false }],
          answers: { 'Which?': 'Red' },
        },
      },
    },
    { subtype: 'can_use_tool', tool_name: 'Read', input: {} },
    'r3',
  ])
})

test('a lane of another system: its tools, its text joined, its end', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['task.start', { task: 'child', type: 'agent', title: 'Count' }],
    ['text.delta', { text: 'on' }, { agent: 'child' }],
    ['text.delta', { text: 'e' }, { agent: 'child' }],
    ['tool.start', { name: 'read', toolKind: 'read', input: {} }, { agent: 'child', call: 'c1' }],
    ['tool.end', { status: 'ok', text: 'x' }, { agent: 'child', call: 'c1' }],
    ['turn.end', { reason: 'end_turn' }],
    ['text.end', { text: 'after', streamed: false }, { agent: 'child' }],
    ['task.end', { task: 'child', status: 'ok', text: 'two' }],
  ])
  assert.deepEqual(typesOf(records), [
    'system/init',
    'system/task_started',
    'assistant',
    'assistant',
    'user',
    'result/success',
    'assistant',
    'system/task_notification',
  ])
  assert.deepEqual(
    records
      .filter(({ type }) => type === 'assistant')
      .map((record) => [record['parent_tool_use_id'], record['agent_id'], contentOf(record)[0]?.['text']]),
    [
      ['child', 'child', 'one'],
      ['child', 'child', undefined],
      ['child', 'child', 'after'],
    ],
  )
})

test('prompts are replayed inside their turn', () => {
  const { records, lost } = written([
    ['prompt.submit', { text: 'wait', by: 'user', state: 'queued' }],
    ['prompt.submit', { text: 'go', by: 'user', state: 'sent' }],
    ['turn.start', { trigger: 'prompt' }],
    ['prompt.submit', { text: 'go', by: 'user', state: 'seen' }],
    ['prompt.submit', { text: 'do', by: 'user', state: 'sent', partial: true }],
    ['prompt.submit', { text: 'ne', by: 'user', state: 'sent', partial: true }],
    ['text.end', { text: 'ok', streamed: false }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  const users = records.filter(({ type }) => type === 'user')
  assert.deepEqual(
    users.map((record) => [contentOf(record)[0]?.['text'], record['isReplay']]),
    [
      ['go', true],
      ['done', true],
    ],
  )
  assert.deepEqual(lost, ['prompt.submit drop'])
})

test('the same words twice are two prompts; only what was sent comes back', () => {
  const prompt = (state: 'sent' | 'seen'): Told => ['prompt.submit', { text: 'continue', by: 'user', state }]
  const turn = (...prompts: Told[]): Told[] => [['turn.start', { trigger: 'prompt' }], ...prompts, ['turn.end', { reason: 'end_turn' }]]
  const users = (...told: Told[]): number => written(told).records.filter(({ type }) => type === 'user').length
  assert.equal(users(...turn(prompt('seen')), ...turn(prompt('seen'))), 2)
  assert.equal(users(...turn(prompt('sent'), prompt('seen')), ...turn(prompt('seen'))), 2)
  assert.equal(users(...turn(prompt('sent'), prompt('seen'))), 1)
})

test('sources without a turn, without an end, without a name', () => {
  assert.deepEqual(typesOf(written([['text.end', { text: 'a', streamed: false }]]).records), [
    'system/init',
    'assistant',
    'result/error_during_execution',
  ])
  assert.deepEqual(typesOf(written([['session.start', {}]]).records), ['result/error_during_execution'])
  const two = written([
    ['turn.start', { trigger: 'prompt' }, { session: '~a' }],
    ['turn.start', { trigger: 'prompt' }],
  ])
  assert.deepEqual([...new Set(two.records.map((record) => record['session_id']))], ['a', 'session-1'])
  assert.deepEqual(
    two.added.filter((what) => what === 'session_id'),
    ['session_id'],
  )
  const unanswered = written([['prompt.submit', { text: 'hello?', by: 'user', state: 'sent' }]])
  assert.deepEqual(typesOf(unanswered.records), ['system/init', 'user', 'result/error_during_execution'])
  const { records } = encodeAll([]) // nothing said, nothing written
  assert.deepEqual(records, [])
})

test('what a record must have and nobody told counts as added', () => {
  const retry = { scope: 'model', attempt: 1 } as const
  const { added } = written([
    ['session.start', {}],
    ['turn.start', { trigger: 'prompt' }],
    ['retry.start', retry],
  ])
  const filled = ['max_retries', 'retry_delay_ms', 'error'].map((key) => `system/api_retry.${key}`)
  for (const what of ['system/init.cwd', 'system/init.model', ...filled]) assert(added.includes(what), what)
  const whole = written([
    ['session.start', { cwd: '/w', model: 'm' }],
    ['turn.start', { trigger: 'prompt' }],
    ['retry.start', { ...retry, max: 3, delayMs: 5, error: { category: 'rate_limit', text: 'too many' } }],
  ])
  assert(!whole.added.some((what) => what.startsWith('system/api_retry') || what === 'system/init.cwd'))
})

test('an init that stands for a session of which nobody said that it began is marked as added', () => {
  const turn: Told[] = [
    ['turn.start', { trigger: 'prompt' }],
    ['turn.end', { reason: 'end_turn' }],
  ]
  const marks = (told: readonly Told[]): unknown[] =>
    written(told).records.flatMap(({ subtype, synthetic }) => (subtype === 'init' ? [synthetic] : []))
  assert.deepEqual(marks([...turn, ...turn]), ['implied', undefined])
  assert.deepEqual(marks([['session.start', {}], ...turn]), [undefined])
})

test('what only an init, a call or a message could have told is lost when there is none', () => {
  const lostOf = (told: readonly Told[]): string[] => written(told).lost
  assert.deepEqual(
    lostOf([
      ['session.start', { model: 'm' }],
      ['session.end', { reason: 'error' }],
    ]),
    ['session.start drop'],
  )
  assert.deepEqual(
    lostOf([
      ['session.start', {}],
      ['session.end', { reason: 'error' }],
    ]),
    [],
  )
  const turn = (...inside: readonly Told[]): Told[] => [
    ['turn.start', { trigger: 'prompt' }],
    ...inside,
    ['turn.end', { reason: 'end_turn' }],
  ]
  const task = { task: 'b', type: 'agent' } as const
  assert.ok(lostOf(turn(['task.start', task, { agent: 'a' }])).includes('task.start.agent drop'))
  assert.ok(!lostOf(turn(['task.start', task])).includes('task.start.agent drop'))
  const said = (model: string): Told[] => [
    ['session.start', { model: 'one' }],
    ...turn(
      ['message.start', {}, { message: 'm' }],
      ['text.end', { text: 'a', streamed: false }, { message: 'm' }],
      ['message.end', { model }, { message: 'm' }],
    ),
  ]
  assert.ok(lostOf(said('other')).includes('message.end.model approx'))
  assert.ok(!lostOf(said('one')).includes('message.end.model approx'))
})

test("one id of two sessions' questions: the channel names no session, so the second gets a number", () => {
  const asked = { options: [] }
  const { records } = written([
    ['permission.request', { ...asked, id: 'x', name: 'Bash' }, { session: 'a' }],
    ['permission.request', { ...asked, id: 'x', name: 'Edit' }, { session: 'b' }],
    ['hook.start', { id: 'x', name: 'h', event: 'Stop', needsAnswer: true }, { session: 'b' }],
    ['permission.answer', { id: 'x', decision: 'allow', by: 'user' }, { session: 'b' }],
    ['permission.answer', { id: 'x', decision: 'withdrawn', by: 'unknown' }, { session: 'a' }],
    ['hook.end', { id: 'x', status: 'ok' }, { session: 'b' }],
    ['permission.request', { ...asked, id: 'x', name: 'Edit' }, { session: 'b' }],
    ['permission.answer', { id: 'x', decision: 'allow', by: 'user' }, { session: 'b' }],
  ])
  assert.deepEqual(codesOf(records), [])
  const ids = records.map((record) => record['request_id'] ?? (isRecord(record['response']) ? record['response']['request_id'] : undefined))
  assert.deepEqual(
    ids.filter((id) => id !== undefined),
    ['x', 'x-2', 'x-3', 'x-2', 'x', 'x-3', 'x', 'x'],
  )
})

test('two sessions at a time do not share an id; one after another they may', () => {
  const ids = (told: Told[]): unknown[] => {
    const { records } = written(told)
    assert.deepEqual(codesOf(records), [])
    return records.map((record) => record['session_id'])
  }
  const turn = (session: string): Told => ['turn.start', { trigger: 'prompt' }, { session }]
  const end = (session: string): Told => ['session.end', { reason: 'end_turn' }, { session }]
  assert.deepEqual(ids([['session.start', { native: 'x' }, { session: '~a' }], turn('x'), end('~a'), end('x')]), ['x', 'a', 'x'])
  assert.deepEqual(ids([['session.start', { native: 'x' }, { session: '~a' }], turn('~a'), turn('x'), end('~a'), end('x')]), [
    'x',
    'x-2',
    'x',
    'x-2',
  ])
  assert.deepEqual(ids([turn('x'), ['session.start', { native: 'x' }, { session: '~a' }], end('~a'), end('x')]), ['x', 'a', 'x'])
  assert.deepEqual(ids([turn('~x'), turn('x'), end('~x'), end('x')]), ['x', 'x-2', 'x', 'x-2'])
  assert.deepEqual(ids([turn('x'), end('x'), ['session.start', { native: 'x' }, { session: '~a' }], end('~a')]), ['x', 'x', 'x', 'x'])
})
