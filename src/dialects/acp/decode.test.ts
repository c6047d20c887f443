import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import {
  allOf,
  answer,
  ask,
  decodeAll,
  done,
  fail,
  kindsOf,
  message,
  oneOf,
  opening,
  plain,
  prompt,
  says,
  shortly,
  turn,
  update,
} from './support.test.ts'

test('a session, a prompt, what was said, and the answer', () => {
  const usage = { inputTokens: 12, outputTokens: 34, cachedReadTokens: 1000, cachedWriteTokens: 200, totalTokens: 1246 }
  const events = decodeAll([...opening, prompt(), says('Hel', { messageId: 'm' }), says('lo', { messageId: 'm' }), done(2, { usage })])
  assert.deepEqual(events.slice(3).map(shortly), [
    { kind: 'session.start', how: 'new', program: 'made-up', version: '0.1', cwd: '/home/dev/a' },
    { kind: 'turn.start', turn: 1, trigger: 'prompt', native: '2' },
    { kind: 'prompt.submit', turn: 1, text: 'go', by: 'user', state: 'sent' },
    { kind: 'text.delta', turn: 1, message: 'm', text: 'Hel' },
    { kind: 'text.delta', turn: 1, message: 'm', text: 'lo' },
    { kind: 'text.end', turn: 1, message: 'm', streamed: true, synthetic: 'implied' },
    { kind: 'turn.end', turn: 1, reason: 'end_turn', usage: { input: 12, output: 34, cacheRead: 1000, cacheWrite: 200 } },
    { kind: 'session.end', reason: 'end_turn', synthetic: 'implied' },
  ])
  assert(events.every(({ kind, session }) => kind === 'raw' || session === 's'))
})

test('the same messages in recorded traffic tell the same, and how long it took', () => {
  const records = turn(says('a'))
  const traffic = records.map((record, index) => ({
    t: index * 10,
    from: 'params' in record && index !== 5 ? 'client' : 'agent',
    message: record,
  }))
  const events = decodeAll(traffic)
  assert.deepEqual(
    events.map(shortly).map(({ durationMs: _durationMs, ...rest }) => rest),
    decodeAll(records).map(shortly),
  )
  assert.equal(oneOf(events, 'turn.end').durationMs, 20)
  assert(
    events.every(({ at }) => at === undefined),
    'times that count from the start are no dates',
  )
  const dated = decodeAll(traffic.map((record) => ({ ...record, t: 1_794_773_645_000 + record.t })))
  assert.equal(oneOf(dated, 'turn.end').at, 1_794_773_645_060)
})

test('who wrote a record is told where it was the host', () => {
  const sides = decodeAll(turn(says('a'))).map(({ kind, origin }) => [kind, origin?.from])
  assert.deepEqual(
    sides.find(([kind]) => kind === 'prompt.submit'),
    ['prompt.submit', 'host'],
  )
  assert.deepEqual(
    sides.find(([kind]) => kind === 'text.delta'),
    ['text.delta', undefined],
  )
})

test('reasons to stop', () => {
  const reasonOf = (stopReason: string): string => oneOf(decodeAll([...opening, prompt(), done(2, { stopReason })]), 'turn.end').reason
  assert.deepEqual(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'something_new'].map(reasonOf), [
    'end_turn',
    'max_tokens',
    'max_turns',
    'refusal',
    'cancelled',
    'unknown',
  ])
})

test('an error that answers a prompt ends the turn, and is told', () => {
  const failed = (record: Rec): [unknown, unknown] => {
    const events = decodeAll([...opening, prompt(), record])
    return [plain(oneOf(events, 'turn.end').error), oneOf(events, 'session.end').reason]
  }
  assert.deepEqual(failed(fail(2, -32000, 'Authentication required')), [
    { category: 'auth', text: 'Authentication required', code: '-32000' },
    'error',
  ])
  assert.deepEqual(failed(fail(2, 500, 'terminated')), [{ category: 'network', text: 'terminated', code: '500' }, 'error'])
  const passedOn = '{"error":{"code":401,"message":"bad key","status":"UNAUTHENTICATED"}}'
  assert.deepEqual(failed(fail(2, 401, passedOn)), [{ category: 'auth', text: 'bad key', code: '401', http: 401 }, 'error'])
  assert.deepEqual(failed(fail(2, 429, 'slow down')), [{ category: 'rate_limit', text: 'slow down', code: '429', http: 429 }, 'error'])
  assert.deepEqual(failed(fail(2, -32603, 'Internal error', { details: 'API Error: 529 overloaded' })), [
    { category: 'overloaded', text: 'Internal error: API Error: 529 overloaded', code: '-32603', http: 529 },
    'error',
  ])
  assert.deepEqual(failed(fail(2, -32603, 'Internal error: invalid key')), [
    { category: 'auth', text: 'Internal error: invalid key', code: '-32603' },
    'error',
  ])
  assert.equal(failed(fail(2, -32800, 'Cancelled'))[1], 'cancelled')
  const events = decodeAll([...opening, prompt(), fail(2, 500, 'x')])
  assert.deepEqual(
    allOf(events, 'error').map(({ scope, fatal }) => [scope, fatal]),
    [['turn', true]],
  )
})

test('tokens that a total shows to be contained in others are taken out of them', () => {
  const usageOf = (usage: Rec): unknown => plain(oneOf(decodeAll([...opening, prompt(), done(2, { usage })]), 'turn.end').usage)
  assert.deepEqual(usageOf({ inputTokens: 100, outputTokens: 20, cachedReadTokens: 60, thoughtTokens: 5, totalTokens: 120 }), {
    input: 40,
    output: 15,
    reasoning: 5,
    cacheRead: 60,
  })
  assert.deepEqual(usageOf({ inputTokens: 40, outputTokens: 15, cachedReadTokens: 60, totalTokens: 115 }), {
    input: 40,
    output: 15,
    cacheRead: 60,
  })
})

test('shares of models that hold more than the turn hold its subagents too', () => {
  const quota = { model_usage: [{ model: 'm', token_count: { inputTokens: 60, outputTokens: 17 } }] }
  const end = oneOf(
    decodeAll([...opening, prompt(), done(2, { usage: { inputTokens: 24, outputTokens: 7 }, _meta: { quota } })]),
    'turn.end',
  )
  assert.deepEqual(plain([end.usage, end.own, end.byModel]), [
    { input: 60, output: 17 },
    { input: 24, output: 7 },
    [{ model: 'm', usage: { input: 60, output: 17 } }],
  ])
  const alone = { token_count: { input_tokens: 20, output_tokens: 6 } }
  assert.deepEqual(plain(oneOf(decodeAll([...opening, prompt(), done(2, { _meta: { quota: alone } })]), 'turn.end').usage), {
    input: 20,
    output: 6,
  })
})

test('a cost that is summed up over the session is shared out to its turns', () => {
  const spent = (amount: number, currency = 'USD'): Rec => update('usage_update', { used: 10, size: 100, cost: { amount, currency } })
  const events = decodeAll([
    ...opening,
    prompt(2),
    spent(0.3),
    done(2),
    prompt(3),
    spent(0.7),
    done(3),
    prompt(4),
    spent(9, 'EUR'),
    done(4),
  ])
  assert.deepEqual(
    allOf(events, 'turn.end').map(({ cost }) => cost?.usd),
    [0.3, 0.4, 0],
  )
  assert.deepEqual(
    allOf(events, 'usage.update').map(({ cost, context }) => [cost?.usd, context]),
    [
      [0.3, { used: 10, limit: 100 }],
      [0.7, { used: 10, limit: 100 }],
      [undefined, { used: 10, limit: 100 }],
    ],
  )
})

test('both sides count their requests from 0: the look of an answer tells whose it is', () => {
  const events = decodeAll([
    ask(0, 'initialize', { protocolVersion: 1 }),
    answer(0, { protocolVersion: 1 }),
    ask(1, 'session/new'),
    answer(1, { sessionId: 's' }),
    prompt(2),
    ask(2, 'fs/read_text_file', { sessionId: 's', path: '/home/dev/a' }),
    answer(2, { content: 'x' }),
    done(2),
  ])
  assert.equal(oneOf(events, 'turn.end').reason, 'end_turn')
})

test('the agent alone: a turn begins with its first word and ends with an answer that has a stop reason', () => {
  const events = decodeAll([answer(1, { sessionId: 's' }), says('a'), done(7), says('b'), fail(8, 500, 'x')])
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'turn.start*',
    'text.delta',
    'text.end*',
    'turn.end',
    'turn.start*',
    'text.delta',
    'error',
    'text.end*',
    'turn.end',
    'session.end*',
  ])
  assert.deepEqual(
    allOf(events, 'turn.end').map(({ reason }) => reason),
    ['end_turn', 'error'],
  )
})

test('the agent alone: a refused request is no turn', () => {
  const events = decodeAll([answer(1, { sessionId: 's' }), fail(2, -32602, 'Invalid params')])
  assert.deepEqual(kindsOf(events), ['session.start', 'raw', 'session.end*'])
})

test('the host alone: its prompts and answers, and no word of the agent', () => {
  const events = decodeAll([
    ask(0, 'initialize', { protocolVersion: 1 }),
    ask(1, 'session/new', { cwd: '/home/dev/a' }),
    prompt(2),
    answer(0, { outcome: { outcome: 'selected', optionId: 'allow-once' } }),
    fail(1, -32002, 'Resource not found'),
  ])
  assert.deepEqual(kindsOf(events), [
    'raw',
    'raw',
    'session.start*',
    'turn.start',
    'prompt.submit',
    'permission.request*',
    'permission.answer',
    'raw',
    'turn.end*',
    'session.end*',
  ])
  assert.equal(oneOf(events, 'permission.answer').decision, 'allow')
})

test('a prompt that is never answered ends with the stream', () => {
  const events = decodeAll([...opening, prompt(), says('a')])
  assert.deepEqual([oneOf(events, 'turn.end').reason, oneOf(events, 'session.end').synthetic], ['cut', 'cut'])
})

test('work after the last answer does not make a whole session a cut one', () => {
  const events = decodeAll([...turn(says('a')), says('by the way')])
  assert.deepEqual([oneOf(events, 'session.end').reason, allOf(events, 'turn.end').length], ['end_turn', 2])
})

test('cancelling a turn, or a request by its id', () => {
  const events = decodeAll([
    ...opening,
    prompt(),
    message({ method: 'session/cancel', params: { sessionId: 's' } }),
    message({ method: '$/cancel_request', params: { requestId: 2 } }),
    message({ method: '$/cancel_request', params: { requestId: 99 } }),
    done(2, { stopReason: 'cancelled' }),
  ])
  assert.deepEqual(
    allOf(events, 'cancel.request').map(({ target, by }) => [target, by]),
    [
      ['turn', 'host'],
      ['turn', 'host'],
    ],
  )
})

test('what says nothing of a conversation is kept', () => {
  const raws = (record: Rec): unknown => allOf(decodeAll([record]), 'raw').map(({ type, why }) => [type, why])
  assert.deepEqual(raws(ask(1, 'providers/list')), [['providers', 'unmapped']])
  assert.deepEqual(raws(ask(1, 'nes/suggest', { x: 1 })), [['nes', 'unmapped']])
  assert.deepEqual(raws(message({ method: 'document/didOpen' })), [['document', 'unmapped']])
  assert.deepEqual(raws(ask(1, 'mcp/message')), [['mcp', 'unmapped']])
  assert.deepEqual(raws(ask(1, 'session/list')), [['session/list', 'unmapped']])
  assert.deepEqual(raws(message({ method: '_x/y', params: { a: 1 } })), [['extension', 'unmapped']])
  assert.deepEqual(raws(update('_vendor', { a: 1 })), [['session/update/extension', 'unmapped']])
  assert.deepEqual(raws(update('made_up')), [['session/update/made_up', 'unknown']])
  assert.deepEqual(raws(ask(1, 'session/made_up')), [['session/made_up', 'unknown']])
  assert.deepEqual(raws(answer(9, {})), [['result', 'redundant']])
})

test('a bad body is an issue', () => {
  const [event] = decodeAll([update('tool_call', { toolCallId: 7 })])
  assert.equal(event?.kind === 'issue' && event.code, 'bad-body')
})

test('an answer to a prompt that has no shape ends its turn; one to anything else does not', () => {
  const odd = [{ result: null }, { result: {} }, { result: 'end_turn' }, { result: { stopReason: 5 } }, { error: null }, { error: 'x' }, {}]
  for (const answered of odd) {
    const events = decodeAll([...opening, prompt(), says('a'), { jsonrpc: '2.0', id: 2, ...answered }])
    const { reason, error } = oneOf(events, 'turn.end')
    assert.deepEqual([reason, error!.code], ['error', 'unreadable-end'])
    const beside = decodeAll([...opening, prompt(), says('a'), { jsonrpc: '2.0', id: 77, ...answered }, done(2)])
    assert.equal(oneOf(beside, 'turn.end').reason, 'end_turn')
  }
})

test('Copilot tells the sum of its turns: each turn has its own share', () => {
  const hello = answer(0, { protocolVersion: 1, agentInfo: { name: 'Copilot', version: '1.0.102' } })
  const usage = (input: number, output: number): Rec => ({
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
  })
  const [first, ...rest] = opening
  const begun = [first!, hello, ...rest.slice(1)]
  const turns = [prompt(), done(2, usage(100, 20)), prompt(3), done(3, usage(200, 40)), prompt(4), done(4, usage(50, 10))]
  assert.deepEqual(plain(allOf(decodeAll([...begun, ...turns]), 'turn.end').map((end) => [end.usage?.input, end.usage?.output])), [
    [100, 20],
    [100, 20],
    [50, 10], // it began to count anew
  ])
})
