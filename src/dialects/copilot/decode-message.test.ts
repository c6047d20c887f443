// Model calls by value, from records made by hand: text, thoughts, retries, tokens; what no recording shows, and what older versions
// write.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../../../test/canonical.ts'
import { decodeAll, inRun, live, only, plain, prompt, rec, told, turnEnd, turnStart } from './support.test.ts'

const message = (content: string, more = {}) => rec('assistant.message', { messageId: 'm1', content, toolRequests: [], ...more })
const delta = (text: string, messageId = 'm1') => rec('assistant.message_delta', { messageId, deltaContent: text }, live)
const thought = (text: string, reasoningId = 'r1') => rec('assistant.reasoning_delta', { reasoningId, deltaContent: text }, live)
const start = rec('session.start', { sessionId: 's', copilotVersion: '1.0.102', selectedModel: 'm', context: { cwd: '/w' } })

// ── text and thoughts ────────────────────────────────────────────────────────────────────────────────────────────────────

test('a run: prompt, model call, answer, end', () => {
  const events = decodeAll(inRun(delta('Hel'), delta('lo'), message('Hello')))
  assert.deepEqual(told(events), [
    'session.start*',
    'turn.start',
    'prompt.submit',
    'message.start',
    'text.delta',
    'text.delta',
    'text.end',
    'message.end',
    'turn.end',
    'session.end',
  ])
  assert.deepEqual(plain(only(events, 'text.end')[0]), {
    v: 1,
    seq: 7,
    at: Date.parse('2026-11-15T20:04:06.459Z'),
    kind: 'text.end',
    session: '~user.message-id',
    turn: 1,
    message: '~call-1',
    block: 0,
    origin: { dialect: 'copilot', record: 5, offset: 0, length: 0 },
    text: 'Hello',
    streamed: true,
  })
})

test('a thought is told once, whether the message repeats it or not', () => {
  const whole = rec('assistant.reasoning', { reasoningId: 'r1', content: 'Hmm' })
  const repeated = message('Yes', { reasoningText: 'Hmm', reasoningOpaque: 'sig' })
  const thoughts = (...records: Parameters<typeof inRun>) =>
    only(decodeAll(inRun(...records)), 'thought.end').map(({ text, streamed, signature }) => [text, streamed, signature])
  assert.deepEqual(thoughts(thought('H'), thought('mm'), whole, message('Yes')), [['Hmm', true, undefined]])
  assert.deepEqual(thoughts(whole, message('Yes')), [['Hmm', false, undefined]])
  assert.deepEqual(thoughts(whole, repeated), [['Hmm', false, undefined]])
  assert.deepEqual(thoughts(repeated), [['Hmm', false, 'sig']])
  assert.deepEqual(thoughts(thought('Hmm'), repeated), [['Hmm', true, 'sig']])
  assert.deepEqual(thoughts(repeated, whole), [['Hmm', false, 'sig']])
})

test('a thought of which only its seal is known is redacted', () => {
  const [end] = only(decodeAll(inRun(message('Yes', { encryptedContent: 'sealed' }))), 'thought.end')
  assert.deepEqual([end?.text, end?.redacted, end?.signature], [undefined, true, 'sealed'])
})

test('thoughts and text may be streamed side by side; another id is another block', () => {
  const events = decodeAll(
    inRun(
      thought('a'),
      delta('b'),
      thought('c'),
      thought('d', 'r2'),
      rec('assistant.reasoning', { reasoningId: 'r2', content: 'd' }),
      message('b'),
    ),
  )
  assert.deepEqual(
    events
      .filter(({ kind }) => kind.startsWith('t') && kind.includes('.') && !kind.startsWith('turn'))
      .map((event) => [event.kind, event.block]),
    [
      ['thought.delta', 0],
      ['text.delta', 1],
      ['thought.delta', 0],
      ['thought.end', 0],
      ['thought.delta', 2],
      ['thought.end', 2],
      ['text.end', 1],
    ],
  )
  assert.deepEqual(breachesOf(events), [])
})

test('text that a tool call cut in two is told in pieces only', () => {
  const call = rec('assistant.tool_call_delta', { toolCallId: 'c', toolName: 'bash', inputDelta: '{}' }, live)
  const events = decodeAll(inRun(delta('a'), call, delta('b'), message('ab')))
  assert.deepEqual(
    only(events, 'text.end').map(({ block, text, streamed }) => [block, text, streamed]),
    [
      [0, undefined, true],
      [2, undefined, true],
    ],
  )
  assert.deepEqual(breachesOf(events), [])
})

test('content outside a model call begins one', () => {
  const events = decodeAll([delta('x')])
  assert.deepEqual(told(events).slice(0, 4), ['session.start*', 'turn.start*', 'message.start*', 'text.delta'])
})

// ── retries ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('what a failed model call had streamed is withdrawn, calls too, and the message goes on', () => {
  const call = rec('assistant.tool_call_delta', { toolCallId: 'c', toolName: 'bash', inputDelta: '{' }, live)
  const failure = rec('model.call_failure', { statusCode: 529, failureKind: 'api', errorMessage: '{"message":"full"}' }, live)
  const retry = rec('assistant.turn_retry', { turnId: '0', reason: 'api_error' }, live)
  const events = decodeAll(inRun(thought('a'), delta('b'), call, failure, retry, delta('c', 'm2'), message('c')))
  assert.deepEqual(told(events).slice(3, -3), [
    'message.start',
    'thought.delta',
    'text.delta',
    'thought.end*',
    'text.end*',
    'tool.start',
    'tool.delta',
    'error',
    'tool.end*',
    'message.drop',
    'retry.start',
    'text.delta',
    'text.end',
  ])
  assert.equal(only(events, 'tool.end')[0]?.status, 'abandoned')
  assert.equal(only(events, 'message.drop')[0]?.fromBlock, 0)
  const [retried] = only(events, 'retry.start')
  assert.deepEqual([retried?.attempt, retried?.error?.category, retried?.error?.text, retried?.error?.http], [1, 'overloaded', 'full', 529])
  assert.equal(only(events, 'message.end')[0]?.error, undefined)
  assert.deepEqual(breachesOf(events), [])
})

test('thoughts of the second attempt are all told', () => {
  const whole = (content: string) => rec('assistant.reasoning', { reasoningId: content, content })
  const retry = rec('assistant.turn_retry', { turnId: '0', reason: 'streaming_error' }, live)
  const events = decodeAll(inRun(whole('a'), retry, whole('b'), whole('c'), message('Yes')))
  assert.deepEqual(
    only(events, 'thought.end').map(({ text, block }) => [text, block]),
    [
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ],
  )
  assert.equal(only(events, 'message.drop')[0]?.fromBlock, 0)
})

test('a model call that fails for good fails the turn, though nobody says so', () => {
  const failure = rec('model.call_failure', { failureKind: 'transport', errorMessage: '"no route"' }, live)
  const [end] = only(decodeAll(inRun(failure)), 'turn.end')
  assert.deepEqual([end?.reason, end?.error?.category, end?.error?.text], ['error', 'network', 'no route'])
})

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('tokens of a model call do not overlap, and count once', () => {
  const usage = { model: 'm', inputTokens: 1212, outputTokens: 34, reasoningTokens: 4, cacheReadTokens: 1000, cacheWriteTokens: 200 }
  const told2 = { ...usage, apiCallId: 'a', finishReason: 'length', maxPromptTokens: 2000 }
  const events = decodeAll(inRun(rec('session.usage_record', { usage: told2 }), message('Hello'), rec('assistant.usage', told2, live)))
  const expected = { input: 12, output: 30, reasoning: 4, cacheRead: 1000, cacheWrite: 200 }
  const [end] = only(events, 'message.end')
  assert.deepEqual([end?.usage, end?.context, end?.finish], [expected, { used: 1212, limit: 2000 }, 'max_tokens'])
  const [turn] = only(events, 'turn.end')
  assert.deepEqual([turn?.usage, turn?.own, turn?.reason], [expected, expected, 'max_tokens'])
})

test('a file that tells tokens only at its end tells them for its last turn', () => {
  const metrics = { m: { usage: { inputTokens: 12, outputTokens: 3 } }, n: { usage: { inputTokens: 1, outputTokens: 1 } } }
  const record = rec('session.usage_record', { usage: { inputTokens: 5, outputTokens: 2 } })
  const call = [turnStart, message('Hello'), turnEnd]
  const events = decodeAll([
    start,
    prompt,
    turnStart,
    record,
    turnEnd,
    prompt,
    ...call,
    rec('session.shutdown', { shutdownType: 'routine', modelMetrics: metrics }),
  ])
  assert.deepEqual(
    only(events, 'turn.end').map(({ usage }) => usage),
    [
      { input: 5, output: 2 },
      { input: 8, output: 2 },
    ],
  )
  assert.deepEqual(only(events, 'session.end')[0]?.usage, { input: 13, output: 4 })
})
