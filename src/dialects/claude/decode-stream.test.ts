// The raw stream: deltas, blocks that are withdrawn, and the full record that is not told twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeAll, ended, eventsIn, gave, init, kindsOf, only, raw, said, text, told, use } from './support.test.ts'

const start = (id: string) => raw({ type: 'message_start', message: { id, model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } })
const open = (index: number, block: object = { type: 'text', text: '' }) =>
  raw({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, words: string) => raw({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } })
const close = (index: number) => raw({ type: 'content_block_stop', index })
const stop = (reason: string | null, more = {}) => [
  raw({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 7 } }),
  raw({ type: 'message_stop' }, more),
]

test('a streamed message: its blocks in order, its final usage, nothing twice', () => {
  const events = eventsIn('2.1.325/i-partial.ndjson').filter(({ kind }) => kind !== 'raw')
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'catalog.update',
    'turn.start',
    'status.update',
    'message.start',
    'usage.update',
    'thought.delta',
    'thought.end',
    'text.delta',
    'text.end',
    'tool.start',
    'tool.delta',
    'tool.delta',
    'tool.delta',
    'tool.update',
    'message.end',
    'tool.end',
    'status.update',
    'message.start',
    'text.delta',
    'text.delta',
    'text.delta',
    'text.delta',
    'text.end',
    'message.end',
    'turn.end',
    'session.end*',
  ])
  const [first, second] = only(events, 'message.end')
  assert.deepEqual([first?.finish, second?.finish, first?.usageFinal], ['tool_use', 'end_turn', true])
  assert.deepEqual(JSON.parse(JSON.stringify(first?.usage)), {
    input: 12,
    output: 34,
    cacheRead: 1000,
    cacheWrite: 200,
  })
  assert.deepEqual(
    only(events, 'message.start').map(({ ttftMs, usage }) => [ttftMs, usage?.output]),
    [
      [14, 1],
      [7, 1],
    ],
  )
  const joined = only(events, 'tool.delta')
    .map((piece) => piece.text)
    .join('')
  assert.ok(joined.endsWith('i-partial/notes.txt"}'))
  assert.deepEqual(only(events, 'tool.update')[0]?.input, { file_path: '/home/dev/work/claude/i-partial/notes.txt' })
})

test('a stream that broke is taken back, the message that replaces it stands', () => {
  const events = eventsIn('2.1.325/t-stream-error-forever.ndjson')
  assert.deepEqual(
    only(events, 'message.drop').map(({ message, fromBlock, why, synthetic }) => [message, fromBlock, why, synthetic]),
    [['msg_mock000001', 0, 'stream_error', undefined]],
  )
  assert.deepEqual(
    only(events, 'message.end').map(({ message, finish }) => [message, finish]),
    [
      ['msg_mock000001', 'error'],
      ['msg_mock000002', 'end_turn'],
    ],
  )
  assert.deepEqual(
    only(events, 'text.end').map((end) => [end.message, end.streamed]),
    [['msg_mock000002', false]],
  )
})

test('without a word of the source, a new message takes the place of unconfirmed deltas', () => {
  const events = decodeAll([
    init,
    start('a'),
    open(0),
    delta(0, 'half'),
    start('b'),
    open(0),
    delta(0, 'whole'),
    said('b', text('whole')),
    close(0),
    ...stop('end_turn'),
    ended(),
  ])
  assert.deepEqual(
    only(events, 'message.drop').map(({ message, why, synthetic }) => [message, why, synthetic]),
    [['a', 'superseded', 'implied']],
  )
  const fallback = decodeAll([init, start('a'), open(0), delta(0, 'half'), said('b', text('whole')), ended()])
  assert.deepEqual(
    only(fallback, 'message.drop').map(({ message }) => message),
    ['a'],
  )
  assert.deepEqual(
    only(fallback, 'text.end').map(({ message, streamed }) => [message, streamed]),
    [['b', false]],
  )
})

test('blocks that were confirmed stay, and an interrupt drops nothing that was told', () => {
  const events = eventsIn('2.1.325/j-interrupt.ndjson')
  assert.deepEqual(only(events, 'message.drop'), [])
  assert.deepEqual(
    only(events, 'message.end').map(({ finish, synthetic }) => [finish, synthetic]),
    [['cancelled', undefined]],
  )
  const dropped = decodeAll([
    init,
    start('a'),
    open(0),
    delta(0, 'one'),
    said('a', text('one')),
    close(0),
    open(1),
    delta(1, 'tw'),
    close(1),
    ...stop(null, { abandoned_blocks: { api_message_id: 'a', from_block_index: 1 } }),
    ended(),
  ])
  assert.deepEqual(
    only(dropped, 'message.drop').map(({ fromBlock }) => fromBlock),
    [1],
  )
  assert.deepEqual(
    only(dropped, 'text.end').map((end) => end.text),
    ['one'],
  )
})

test('a call whose block is taken back ends, too', () => {
  const events = decodeAll([
    init,
    start('a'),
    open(0, use('t')),
    ...stop(null, { abandoned_blocks: { from_block_index: 0 } }),
    said('b', text('again')),
    ended(),
  ])
  assert.deepEqual(
    only(events, 'tool.end').map(({ call, status, synthetic }) => [call, status, synthetic]),
    [['t', 'abandoned', 'implied']],
  )
})

test('deltas without a full record end when the turn ends (2.0, interrupted)', () => {
  const events = eventsIn('2.0.76/j-interrupt.ndjson')
  assert.deepEqual(
    only(events, 'text.end').map((end) => [end.text, end.streamed, end.synthetic]),
    [[undefined, true, 'implied']],
  )
  assert.deepEqual(
    only(events, 'message.end').map(({ finish }) => finish),
    ['cancelled'],
  )
})

test('a stream read from its middle', () => {
  const events = decodeAll([delta(1, 'b'), said('x', text('b')), told(gave('z')), ended()])
  assert.deepEqual(only(events, 'issue'), [])
  assert.equal(only(events, 'session.end').length, 1)
})
