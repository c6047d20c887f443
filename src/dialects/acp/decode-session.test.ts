// Sessions: how they begin, what they are set to, how they end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson, type Rec } from '../../base/json.ts'
import { allOf, answer, ask, decodeAll, done, fail, kindsOf, oneOf, opening, prompt, says, shortly, update } from './support.test.ts'

test('a history that is told again has its turns', () => {
  const user = (text: string): Rec => update('user_message_chunk', { content: { type: 'text', text } })
  const load = ask(1, 'session/load', { sessionId: 's', cwd: '/home/dev/a' })
  const modes = { currentModeId: 'plan', availableModes: [{ id: 'plan', name: 'Plan' }] }
  const events = decodeAll([load, user('one'), says('1'), user('two'), says('2'), answer(1, { modes }), prompt(2), says('3'), done(2)])
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'prompt.submit',
    'turn.start*',
    'text.delta',
    'text.end*',
    'turn.end*',
    'prompt.submit',
    'turn.start*',
    'text.delta',
    'text.end*',
    'turn.end*',
    'session.update',
    'catalog.update',
    'turn.start',
    'prompt.submit',
    'text.delta',
    'text.end*',
    'turn.end',
    'session.end*',
  ])
  assert.equal(oneOf(events, 'session.start').how, 'resumed')
})

test('a session that is spoken of before it is answered has begun with what is known of it', () => {
  const hello = answer(0, { protocolVersion: 1, agentInfo: { name: 'early', version: '1.0' } })
  const events = decodeAll([
    ask(0, 'initialize', { protocolVersion: 1 }),
    hello,
    ask(1, 'session/new', { cwd: '/home/dev/a', mcpServers: [] }),
    update('usage_update', { used: 1, size: 2 }),
    answer(1, { sessionId: 's' }),
  ])
  const { how, program, version, cwd, synthetic } = oneOf(events, 'session.start')
  assert.deepEqual([how, program, version, cwd, synthetic], ['new', 'early', '1.0', '/home/dev/a', undefined])
})

test('sessions that are forked, resumed and closed', () => {
  const events = decodeAll([
    ask(1, 'session/fork', { sessionId: 'old', cwd: '/home/dev/a' }),
    answer(1, { sessionId: 's' }),
    ask(2, 'session/resume', { sessionId: 'r', cwd: '/home/dev/b' }),
    answer(2, {}),
    prompt(3),
    done(3, { stopReason: 'refusal' }),
    ask(4, 'session/close', { sessionId: 's' }),
    answer(4, {}),
  ])
  assert.deepEqual(
    allOf(events, 'session.start').map(({ session, how, forkedFrom }) => [session, how, forkedFrom]),
    [
      ['s', 'forked', 'old'],
      ['r', 'resumed', undefined],
    ],
  )
  const [closed] = allOf(events, 'session.end')
  assert.deepEqual([closed?.session, closed?.reason, closed?.synthetic], ['s', 'refusal', undefined])
})

test('a session that could not be had is a failure, unless the next try gives one', () => {
  const refused = [ask(1, 'session/new'), fail(1, -32000, 'Authentication required')]
  const events = decodeAll(refused)
  assert.deepEqual(kindsOf(events), ['raw', 'notice', 'session.start*', 'session.end*'])
  assert.equal(oneOf(events, 'session.end').error?.category, 'auth')
  const again = decodeAll([...refused, ask(2, 'authenticate'), answer(2, {}), ask(3, 'session/new'), answer(3, { sessionId: 's' })])
  assert.deepEqual(
    allOf(again, 'session.end').map(({ session }) => session),
    ['s'],
  )
  const missing = decodeAll([ask(1, 'session/load', { sessionId: 's' }), fail(1, -32002, 'Resource not found')])
  assert.deepEqual(kindsOf(missing), ['session.start', 'error', 'session.end'])
})

test('what the host sets, and what the agent says it is set to', () => {
  const events = decodeAll([
    ...opening,
    ask(2, 'session/set_mode', { sessionId: 's', modeId: 'plan' }),
    answer(2, {}),
    ask(3, 'session/set_model', { sessionId: 's', modelId: 'big' }),
    ask(4, 'session/set_config_option', { sessionId: 's', configId: 'model', value: 'small' }),
    ask(5, 'session/set_config_option', { sessionId: 's', configId: 'effort', value: 'low' }),
    ask(6, 'session/setTitle', { sessionId: 's', title: 'T' }),
    fail(6, -32603, 'no'),
  ])
  assert.deepEqual(
    allOf(events, 'session.update').map(({ by, mode, model, title }) => [by, mode ?? model ?? title]),
    [
      ['host', 'plan'],
      ['host', 'big'],
      ['host', 'small'],
      ['host', 'T'],
    ],
  )
  assert.deepEqual(shortly(oneOf(events, 'error')), {
    kind: 'error',
    scope: 'session',
    fatal: false,
    source: 'session/set_title',
    error: { category: 'unknown', text: 'no', code: '-32603' },
  })
})

test('a turn is known by the id of its request, in all its digits', () => {
  const long = { ...prompt(2), id: parseJson('9007199254740993') }
  assert.equal(oneOf(decodeAll([...opening, long]), 'turn.start').native, '9007199254740993')
})
