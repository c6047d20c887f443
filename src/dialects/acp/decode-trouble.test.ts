import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import {
  allOf,
  decodeAll,
  done,
  fail,
  fixture,
  kindsOf,
  oneOf,
  opening,
  plain,
  prompt,
  says,
  shortly,
  update,
  within,
} from './support.test.ts'

const recorded = (name: string): Event[] => decodeAll(fixture(`codex/${name}.traffic.ndjson`))
const codex = (about: Rec): Rec => update('session_info_update', { _meta: { codex: about } })
const status = (type: string): Rec => codex({ threadStatus: { type } })
const error = (fields: Rec): Rec => codex({ error: { message: 'broken', codexErrorInfo: 'other', ...fields } })
const inTurn = (...records: Rec[]): Event[] => decodeAll([...opening, prompt(), ...records])
const slow = {
  category: 'rate_limit',
  text: 'exceeded retry limit, last status: 429 Too Many Requests',
  code: 'responseStreamDisconnected',
  http: 429,
}
const brokenOff = {
  category: 'network',
  text: 'stream disconnected before completion: Transport error: network error: error decoding response body',
  code: 'responseStreamDisconnected',
}

test('a retry of Codex is one, with its number and the reason', () => {
  const retry = oneOf(recorded('h-429-then-ok'), 'retry.start')
  const { attempt, max, scope, turn, error: why } = plain(retry)
  assert.deepEqual([attempt, max, scope, turn, why], [1, 2, 'model', 1, slow])
  assert.equal(oneOf(recorded('h-429-then-ok'), 'turn.end').reason, 'end_turn')
})

test('a turn of Codex that says it is done after it gave up has failed, and its last words are the error', () => {
  for (const [name, fault] of [
    ['h-429', slow],
    ['h-cut-forever', brokenOff],
  ] as const) {
    const events = recorded(name)
    const end = oneOf(events, 'turn.end')
    assert.deepEqual([end.reason, plain(end.error)], ['error', fault], name)
    assert.deepEqual(plain(oneOf(events, 'error').error), fault, name)
    assert.equal(oneOf(events, 'session.end').reason, 'error', name)
    assert.equal(allOf(events, 'retry.start').length, 2, name)
    assert.ok(!allOf(events, 'text.delta').some(({ text }) => fault.text.startsWith(text.trim())), name)
  }
})

test('what was said when the connection broke is withdrawn', () => {
  const events = recorded('h-cut')
  const drop = oneOf(events, 'message.drop')
  const told = (message: string): string =>
    allOf(events, 'text.delta')
      .flatMap((delta) => (delta.message === message ? delta.text : []))
      .join('')
  assert.deepEqual([drop.fromBlock, drop.why, told(drop.message!)], [0, 'stream_error', 'The answer is cu'])
  assert.equal(told(oneOf(events, 'text.end').message!), 'The answer is cut in the middle.')
})

test('a retry before anything was said withdraws nothing', () => {
  assert.deepEqual(kindsOf(within(error({ message: 'Reconnecting... 2/5', willRetry: true }))), ['retry.start'])
})

test('an error that is not tried again does not end the turn', () => {
  const [told] = within(error({ codexErrorInfo: 'serverOverloaded', willRetry: false })).map(shortly)
  const fault = { category: 'overloaded', text: 'broken', code: 'serverOverloaded' }
  assert.deepEqual(told, { kind: 'error', turn: 1, scope: 'turn', fatal: false, error: fault })
})

test('a thread that failed without a word fails its turn all the same', () => {
  const events = inTurn(status('systemError'), done())
  assert.equal(oneOf(events, 'turn.end').reason, 'error')
  assert.match(oneOf(events, 'error').error.text, /did not say why/)
})

test('a thread that failed and works again has not failed, nor has the next turn', () => {
  assert.equal(oneOf(inTurn(status('systemError'), status('active'), done()), 'turn.end').reason, 'end_turn')
  const two = inTurn(status('systemError'), says('no'), done(), prompt(3), says('yes'), done(3))
  assert.deepEqual(
    allOf(two, 'turn.end').map(({ reason }) => reason),
    ['error', 'end_turn'],
  )
  assert.deepEqual(
    allOf(two, 'text.delta').map(({ text }) => text),
    ['yes'],
  )
})

test('words of a message are words of the model, also when the thread has failed', () => {
  const events = inTurn(status('systemError'), says('half', { messageId: 'm' }), done())
  assert.equal(oneOf(events, 'text.delta').text, 'half')
})

test('a failure that is told in words and then as an error is one', () => {
  const events = inTurn(status('systemError'), says("You've hit your usage limit.\n\n"), fail(2, -32603, 'Internal error'))
  assert.equal(oneOf(events, 'error').error.category, 'rate_limit')
  assert.deepEqual(oneOf(events, 'turn.end').error, oneOf(events, 'error').error)
})

test('a turn that was cancelled is cancelled, whatever state the thread is in', () => {
  const events = inTurn(status('systemError'), done(2, { stopReason: 'cancelled' }))
  assert.equal(oneOf(events, 'turn.end').reason, 'cancelled')
  assert.deepEqual(allOf(events, 'error'), [])
})
