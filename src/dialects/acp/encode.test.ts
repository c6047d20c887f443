import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { at } from './words.ts'
import { encodeAll, findingsOf, tellAll, type Told, written } from './support.test.ts'

/** The answer to the prompt of this turn. */
const start: Told = ['turn.start', { trigger: 'prompt' }]
const end: Told = ['turn.end', { reason: 'end_turn' }]
const answerTo = (...told: Told[]): Rec => {
  const { records } = encodeAll(tellAll(told))
  assert.deepEqual(findingsOf(records), [])
  return records.at(-1)!
}
const text = (value: string): Rec => ({ type: 'text', text: value })

test('text and thoughts are chunks: the deltas, else the whole', () => {
  const { updates } = written(
    ['thought.end', { text: 'hm', streamed: false }],
    ['text.delta', { text: 'a' }, { message: '~m' }],
    ['text.delta', { text: 'b' }, { message: '~m' }],
    ['text.end', { text: 'ab', streamed: true }, { message: '~m' }],
  )
  assert.deepEqual(updates, [
    { sessionUpdate: 'agent_thought_chunk', content: text('hm') },
    { sessionUpdate: 'agent_message_chunk', content: text('a'), messageId: 'm' },
    { sessionUpdate: 'agent_message_chunk', content: text('b'), messageId: 'm' },
  ])
})

test('a whole that says more than its pieces is told as lost, for the pieces stand there already', () => {
  const lostOf = (...told: Told[]): string[] => written(...told).lost.filter((loss) => loss.includes('.end.text'))
  const piece = (value: string, message = 'm1'): Told => ['text.delta', { text: value }, { message }]
  const whole = (value: string, message = 'm1'): Told => ['text.end', { text: value, streamed: true }, { message }]
  assert.deepEqual(lostOf(piece('He'), piece('re.'), whole('Here.'), piece('So', 'm2'), whole('So', 'm2')), [])
  assert.deepEqual(lostOf(piece('He'), whole('Here.'), piece('So', 'm2'), whole('So', 'm2')), ['text.end.text drop'])
  assert.deepEqual(lostOf(['thought.delta', { text: 'h' }], ['thought.end', { text: 'hm', streamed: true }]), ['thought.end.text drop'])
})

test('an update is a notification of its session', () => {
  const { records } = written(['text.delta', { text: 'a' }])
  assert.deepEqual(records[0], {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: text('a') } },
  })
})

test('a turn ends with the answer to its prompt', () => {
  const usage = { input: 12, output: 30, reasoning: 4, cacheRead: 1000, cacheWrite: 200 }
  assert.deepEqual(
    answerTo(
      ['turn.start', { trigger: 'prompt', native: '7' }],
      ['text.delta', { text: 'a' }],
      ['turn.end', { reason: 'end_turn', usage }],
    ),
    {
      jsonrpc: '2.0',
      id: 7,
      result: {
        stopReason: 'end_turn',
        usage: { totalTokens: 1246, inputTokens: 12, outputTokens: 30, thoughtTokens: 4, cachedReadTokens: 1000, cachedWriteTokens: 200 },
      },
    },
  )
})

test('a turn that was broken off and counts nothing has the tokens of its messages', () => {
  const ended = answerTo(
    ['turn.start', { trigger: 'prompt' }],
    ['message.start', {}, { message: 'm' }],
    ['message.end', { usage: { input: 12, output: 1 } }, { message: 'm' }],
    ['turn.end', { reason: 'cancelled', usage: { input: 0, output: 0 } }],
  )
  assert.deepEqual((ended!['result'] as Rec)['usage'], { totalTokens: 13, inputTokens: 12, outputTokens: 1 })
})

test('an id that no source tells is made up, and counted', () => {
  const { records, added } = encodeAll(tellAll([start, end, start, end]))
  assert.deepEqual(
    records.map(({ id }) => id),
    [1, 2],
  )
  assert.deepEqual(added, ['session/prompt.id', 'session/prompt.id'])
})

test('reasons of the protocol are stop reasons, the others errors', () => {
  const outcome = (reason: 'max_turns' | 'cancelled_forced' | 'exit' | 'budget' | 'cut' | 'tool_use'): unknown => {
    const record = answerTo(start, ['turn.end', { reason }])
    return at(record['result'], 'stopReason') ?? at(record['error'], 'message')
  }
  assert.deepEqual((['max_turns', 'cancelled_forced', 'exit', 'budget', 'cut', 'tool_use'] as const).map(outcome), [
    'max_turn_requests',
    'cancelled',
    'end_turn',
    'the turn ended: budget',
    'the turn ended: cut',
    'the turn ended: tool_use',
  ])
})

test('a failure is an error with its text and status', () => {
  const failed: Told = ['turn.end', { reason: 'error', error: { category: 'rate_limit', text: 'slow down', http: 429 } }]
  assert.deepEqual(answerTo(start, ['text.delta', { text: 'a' }], failed)['error'], {
    code: -32603,
    message: 'slow down',
    data: { statusCode: 429 },
  })
  const login: Told = ['turn.end', { reason: 'error', error: { category: 'auth', text: 'no key' } }]
  assert.equal(at(answerTo(start, login)['error'], 'code'), -32000)
})

test('an answer names its session where another one spoke last', () => {
  const { records } = encodeAll(
    tellAll([
      ['turn.start', { trigger: 'prompt', native: '1' }, { session: 'a' }],
      ['turn.start', { trigger: 'prompt', native: '2' }, { session: 'b' }],
      ['text.delta', { text: 'x' }, { session: 'a' }],
      ['text.delta', { text: 'y' }, { session: 'b' }],
      ['turn.end', { reason: 'end_turn' }, { session: 'a' }],
      ['turn.end', { reason: 'error' }, { session: 'b' }],
    ]),
  )
  assert.deepEqual(findingsOf(records), [])
  assert.deepEqual(
    records.slice(2).map(({ id, result, error }) => [id, at(at(result, '_meta'), 'sessionId') ?? at(at(error, 'data'), 'sessionId')]),
    [
      [1, 'a'],
      [2, 'b'],
    ],
  )
})

test('a question counts as spoken: the answer of another session after it names its own', () => {
  const { records } = encodeAll(
    tellAll([
      ['turn.start', { trigger: 'prompt' }, { session: 'b' }],
      ['tool.start', { name: 'Write', toolKind: 'edit', input: {} }, { session: 'b', call: 'c' }],
      ['turn.start', { trigger: 'prompt', native: '1' }, { session: 'a' }],
      ['text.delta', { text: 'x' }, { session: 'a' }],
      ['permission.request', { id: 'q', name: 'Write', options: [] }, { session: 'b', call: 'c' }],
      ['turn.end', { reason: 'end_turn' }, { session: 'a' }],
    ]),
  )
  assert.deepEqual(findingsOf(records), [])
  assert.deepEqual(at(at(records.find(({ id }) => id === 1)?.['result'], '_meta'), 'sessionId'), 'a')
})

test('a session without a name gets one', () => {
  const { records, added } = encodeAll(tellAll([['text.end', { text: 'a', streamed: false }, { session: undefined }]]))
  assert.deepEqual([at(records[0]?.['params'], 'sessionId'), added[0]], ['session-1', 'sessionId'])
})

test('title, mode and model, commands, plans', () => {
  const { updates, added } = written(
    ['session.update', { title: 'T', mode: 'plan', model: 'big' }],
    ['catalog.update', { commands: [{ name: 'review' }] }],
    [
      'plan.update',
      {
        entries: [
          { text: 'One', status: 'active' },
          { text: 'Two', status: 'done', priority: 'low' },
        ],
      },
    ],
  )
  assert.deepEqual(updates, [
    { sessionUpdate: 'session_info_update', title: 'T' },
    { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
    {
      sessionUpdate: 'config_option_update',
      configOptions: [
        { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: 'big', options: [{ value: 'big', name: 'big' }] },
      ],
    },
    { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'review', description: '' }] },
    {
      sessionUpdate: 'plan',
      entries: [
        { content: 'One', priority: 'medium', status: 'in_progress' },
        { content: 'Two', priority: 'low', status: 'completed' },
      ],
    },
  ])
  assert.deepEqual(added, ['available_commands_update.description', 'plan.priority'])
})

test('prompts and other content', () => {
  const { updates, lost } = written(
    ['prompt.submit', { text: 'go', by: 'user', state: 'sent' }],
    ['prompt.submit', { text: 'hook', by: 'hook', state: 'sent' }],
    ['content.end', { type: 'image', mime: 'image/png', data: 'aGk=' }],
    ['content.end', { type: 'link', uri: 'file:///home/dev/a' }],
    ['content.end', { type: 'other' }],
  )
  assert.deepEqual(
    updates.map(({ sessionUpdate, content }) => [sessionUpdate, at(content, 'type')]),
    [
      ['user_message_chunk', 'text'],
      ['agent_message_chunk', 'image'],
      ['agent_message_chunk', 'resource_link'],
    ],
  )
  assert.deepEqual(lost, ['prompt.submit drop', 'content.end drop'])
})

test('how full the context is and what it cost, once its size is known', () => {
  const cost = (usd: number): { usd: number; by: 'source' } => ({ usd, by: 'source' })
  const { updates } = written(
    ['message.start', {}],
    ['message.end', { context: { used: 10, limit: 100 }, cost: cost(0.1) }],
    ['usage.update', { scope: 'session', cumulative: true, context: { used: 20, limit: 100 }, cost: cost(0.3) }],
  )
  assert.deepEqual(updates, [
    { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
    { sessionUpdate: 'usage_update', used: 20, size: 100, cost: { amount: 0.3, currency: 'USD' } },
  ])
  const { records, lost } = encodeAll(
    tellAll([
      start,
      ['message.start', {}],
      ['message.end', { context: { used: 10 } }],
      ['turn.end', { reason: 'end_turn', cost: cost(0.2), byModel: [{ model: 'm', contextLimit: 100 }] }],
    ]),
  )
  assert.deepEqual(at(records[0]?.['params'], 'update'), {
    sessionUpdate: 'usage_update',
    used: 10,
    size: 100,
    cost: { amount: 0.2, currency: 'USD' },
  })
  assert.deepEqual(lost, [])
  assert.deepEqual(encodeAll(tellAll([start, ['turn.end', { reason: 'end_turn', cost: cost(0.2) }]])).lost, ['turn.end.cost drop'])
})

test('turns that a log leaves open get an answer, marked as cut', () => {
  const events = tellAll([
    ['turn.start', { trigger: 'prompt', native: '7' }],
    ['text.delta', { text: 'a' }],
  ])
  const { records } = encodeAll(events.filter(({ kind }) => kind !== 'turn.end' && kind !== 'session.end'))
  assert.deepEqual(records.at(-1), { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'the turn ended: cut' }, synthetic: 'cut' })
})

test('a session that failed before any turn answers the prompt that it never got', () => {
  const error = { category: 'timeout', text: 'timed out after 1s' } as const
  const { records } = encodeAll(
    tellAll([
      ['session.start', {}],
      ['session.end', { reason: 'timeout', error }],
    ]),
  )
  assert.deepEqual(findingsOf(records), [])
  assert.equal(records.length, 1)
  assert.equal(records[0]?.['synthetic'], 'required')
  assert.match(JSON.stringify(records[0]), /"id":1,"error":\{"code":-32603,"message":"timed out after 1s"/)
})
