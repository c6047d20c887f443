// Sessions and turns by value, from records made by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../../../test/canonical.ts'
import { decodeAll, idle, inRun, live, only, prompt, rec, result, told, turnEnd, turnStart } from './support.test.ts'

const message = (content: string) => rec('assistant.message', { messageId: 'm1', content, toolRequests: [] })
const delta = (text: string) => rec('assistant.message_delta', { messageId: 'm1', deltaContent: text }, live)
const start = rec('session.start', { sessionId: 's', copilotVersion: '1.0.102', selectedModel: 'm', context: { cwd: '/w' } })
const shutdown = rec('session.shutdown', { shutdownType: 'routine', modelMetrics: {} })

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('in a file a turn ends with the next prompt or the shutdown', () => {
  const call = [turnStart, message('Hello'), turnEnd]
  const events = decodeAll([start, prompt, ...call, rec('user.message', { content: 'more' }), ...call, shutdown])
  assert.deepEqual(
    only(events, 'turn.end').map(({ turn, reason, synthetic }) => [turn, reason, synthetic]),
    [
      [1, 'end_turn', 'implied'],
      [2, 'end_turn', 'implied'],
    ],
  )
})

test('what each model took is told where only the shutdown tells it', () => {
  const tokens = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 1 } })
  const over = rec('session.shutdown', { shutdownType: 'routine', modelMetrics: { a: tokens(10), b: tokens(20) } })
  const [end] = only(decodeAll([start, prompt, turnStart, message('Hello'), turnEnd, over]), 'turn.end')
  assert.deepEqual(
    end?.byModel?.map(({ model, usage }) => [model, usage?.input]),
    [
      ['a', 10],
      ['b', 20],
    ],
  )
  const record = rec('session.usage_record', { usage: { model: 'a', inputTokens: 10, outputTokens: 1 } })
  const more = rec('user.message', { content: 'more' })
  const ends = only(decodeAll([start, prompt, turnStart, record, message('a'), turnEnd, more, turnStart, message('b'), over]), 'turn.end')
  assert.deepEqual([ends[1]?.usage?.input, ends[1]?.byModel], [20, undefined], 'some of the sums are those of turn 1')
})

test('steering and what the program itself injects do not begin a turn, waking an idle agent does', () => {
  const steer = rec('user.message', { content: 'also', delivery: 'steering' })
  const skill = rec('user.message', { content: '<skill>', source: 'skill-pdf' })
  const wake = rec('user.message', { content: 'done', source: 'system', delivery: 'idle' })
  const events = decodeAll([...inRun(steer, skill).slice(0, -1), wake, turnStart, message('ok'), turnEnd, idle, result])
  assert.deepEqual(
    only(events, 'turn.start').map(({ trigger }) => trigger),
    ['prompt', 'task'],
  )
  assert.deepEqual(
    only(events, 'prompt.submit').map(({ turn, by }) => [turn, by]),
    [
      [1, 'user'],
      [1, 'user'],
      [1, 'system'],
      [2, 'system'],
    ],
  )
})

test('attachments of a prompt are kept', () => {
  const attachments = [{ type: 'file', path: 'a.png' }]
  const [submitted] = only(decodeAll([rec('user.message', { content: 'see', attachments, messageId: 'm' })]), 'prompt.submit')
  assert.deepEqual([submitted?.content, submitted?.id], [attachments, 'm'])
})

test('an aborted turn is cancelled, and who did it is told once', () => {
  const interrupted = rec('agent.interrupted', { activity: 'model_call' }, live)
  const finished = rec('model.call_finished', { outcome: 'cancelled' }, live)
  const stopped = rec('assistant.idle', { aborted: true }, live)
  const aborted = (reason: string) =>
    decodeAll([prompt, turnStart, delta('a'), interrupted, finished, turnEnd, rec('abort', { reason }), stopped])
  const events = aborted('user_initiated')
  assert.deepEqual(
    [only(events, 'message.end')[0]?.finish, only(events, 'turn.end')[0]?.reason, only(events, 'session.end')[0]?.reason],
    ['cancelled', 'cancelled', 'cancelled'],
  )
  assert.deepEqual(
    ['user_initiated', 'remote_command', 'autopilot_credit_limit'].map((reason) => {
      const each = aborted(reason)
      return [only(each, 'cancel.request').map(({ by }) => by), only(each, 'turn.end')[0]?.reason]
    }),
    [
      [['user'], 'cancelled'],
      [['host'], 'cancelled'],
      [['policy'], 'budget'],
    ],
  )
})

// ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a session file names its session first', () => {
  const events = decodeAll([
    start,
    prompt,
    turnStart,
    message('Hello'),
    turnEnd,
    rec('session.shutdown', { sessionStartTime: Date.parse('2026-11-15T20:04:00Z') }),
  ])
  const [first] = only(events, 'session.start')
  assert.deepEqual(
    [first?.session, first?.how, first?.native, first?.program, first?.version, first?.model, first?.cwd],
    ['s', 'new', 's', 'copilot', '1.0.102', 'm', '/w'],
  )
  assert.deepEqual(
    only(events, 'session.end').map(({ session, native, durationMs, reason }) => [session, native, durationMs, reason]),
    [['s', 's', 6459, 'end_turn']],
  )
})

test('a resumed file goes on with the same session and counts its turns on', () => {
  const call = [prompt, turnStart, message('Hello'), turnEnd, shutdown]
  const events = decodeAll([start, ...call, rec('session.resume', { eventCount: 5 }), ...call])
  assert.deepEqual(
    only(events, 'session.start').map(({ session, how, native }) => [session, how, native]),
    [
      ['s', 'new', 's'],
      ['s', 'resumed', 's'],
    ],
  )
  assert.deepEqual(
    only(events, 'turn.start').map(({ turn }) => turn),
    [1, 2],
  )
  assert.deepEqual(breachesOf(events), [])
})

test('two runs, one after another, are two sessions', () => {
  const second = { ...prompt, id: 'second' }
  const events = decodeAll([
    ...inRun(message('a')),
    second,
    turnStart,
    message('b'),
    turnEnd,
    idle,
    { ...result, sessionId: 'other', exitCode: 2 },
  ])
  assert.deepEqual(
    only(events, 'session.end').map(({ session, native, reason, exitCode }) => [session, native, reason, exitCode]),
    [
      ['~user.message-id', 'native', 'end_turn', 0],
      ['~second', 'other', 'error', 2],
    ],
  )
})

test('a lone result is a session; a second one of the same session says nothing new', () => {
  assert.deepEqual(told(decodeAll([result])), ['session.start*', 'session.end'])
  assert.deepEqual(told(decodeAll([...inRun(message('a')), result])).slice(-2), ['session.end', 'raw'])
})

test('a session that is told late goes on under the name it has', () => {
  const events = decodeAll([rec('session.tools_updated', { model: 'm' }, live), start, ...inRun(message('a'))])
  assert.deepEqual([...new Set(events.map(({ session }) => session))], ['~session.tools_updated-id'])
  assert.deepEqual(only(events, 'session.update')[1]?.native, 's')
})

test('a shutdown by an error is one; a turn that a file leaves visibly over ended well, another was cut', () => {
  const crash = rec('session.shutdown', { shutdownType: 'error', errorReason: 'ENOMEM' })
  const [end] = only(decodeAll([start, prompt, turnStart, message('a'), turnEnd, crash]), 'session.end')
  assert.deepEqual([end?.reason, end?.error?.category, end?.error?.text], ['error', 'oom', 'ENOMEM'])
  const reasons = (...records: Parameters<typeof inRun>) =>
    only(decodeAll([start, prompt, turnStart, ...records]), 'session.end')[0]?.reason
  assert.deepEqual([reasons(message('a'), turnEnd), reasons(message('a')), reasons(turnEnd)], ['end_turn', 'cut', 'cut'])
})

test('hostile records are issues or unknown, never an exception', () => {
  const strange = [
    { type: 'user.message' },
    { type: 'user.message', data: null },
    { type: 'user.message', data: { content: 5 } },
    { type: '__proto__', data: {} },
    { type: 'constructor', data: {} },
    { type: 5 },
    {},
    { type: 'result' },
    JSON.parse('{"type":"user.message","data":{"content":"x","__proto__":{"delivery":"idle"}},"timestamp":"never"}') as Record<
      string,
      unknown
    >,
  ]
  const events = decodeAll(strange)
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'issue').length + events.filter((event) => event.kind === 'raw' && event.why === 'unknown').length,
    8,
  )
  assert.deepEqual(breachesOf(events), [])
})
