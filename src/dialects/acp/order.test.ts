import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import {
  answer,
  ask,
  choose,
  codesOf,
  done,
  fail,
  findingsOf,
  fixture,
  mayI,
  message,
  namesIn,
  opening,
  plain,
  prompt,
  repaired,
  says,
  tool,
  toolUpdate,
  turn,
  update,
} from './support.test.ts'

test('a warning where real agents and hosts do it, an error elsewhere', () => {
  const severity = (name: string): string | undefined => findingsOf(fixture(`rejected/${name}.ndjson`))[0]?.severity
  assert.deepEqual(['two-prompts', 'ended-twice', 'allowed-after-cancel'].map(severity), ['warn', 'warn', 'warn'])
  assert.deepEqual(['no-answer', 'answered-twice', 'unknown-session', 'option-not-offered'].map(severity), [
    'error',
    'error',
    'error',
    'error',
  ])
})

test('one side alone is judged by what it can know', () => {
  const records = turn(says('a'), tool(), mayI('a0'), choose('yes', 'a0'), toolUpdate({ status: 'completed' }))
  const isHosts = (record: Rec): boolean =>
    record['method'] === undefined ? record['id'] === 'a0' : !/update|request_permission/.test(JSON.stringify(record['method']))
  assert.deepEqual(codesOf(records.filter(isHosts)), [])
  assert.deepEqual(codesOf(records.filter((record) => !isHosts(record))), [])
  assert.deepEqual(codesOf(records.filter((record) => !isHosts(record)).slice(0, -1)), ['missing-end'])
})

test('the agent alone, with what sluice has kept of its host: answers to prompts that are not there', () => {
  const kept = opening.slice(0, 3)
  const set = [ask(5, 'session/set_config_option', { sessionId: 's', configId: 'effort', value: 'low' }), answer(5, { configOptions: [] })]
  assert.deepEqual(codesOf([...kept, says('a'), ...set, done(2), says('b'), fail(3, -32603, 'x')]), [])
  assert.deepEqual(codesOf([...opening, says('a'), done(2)]), ['unknown-request'], 'how the session began is heard')
  assert.deepEqual(codesOf([...kept, says('a'), prompt(4), done(4), done(2)]), ['unknown-request'], 'a prompt is heard')
  assert.deepEqual(codesOf([...kept, done(2)]), ['unknown-request'], 'nothing was said')
})

test('an agent that queues prompts may have several', () => {
  const queueing = answer(0, { protocolVersion: 1, agentCapabilities: { _meta: { claudeCode: { promptQueueing: true } } } })
  assert.deepEqual(codesOf([opening[0]!, queueing, ...opening.slice(2), prompt(2), prompt(3), done(2), done(3)]), [])
})

test('sessions are known from lists, loads, parents and the agent itself', () => {
  const [init, initialized] = opening as [Rec, Rec]
  const named = { sessionId: 's' }
  const use = [prompt(9), done(9)]
  assert.deepEqual(codesOf([init, initialized, ask(1, 'session/list'), answer(1, { sessions: [named] }), ...use]), [])
  assert.deepEqual(codesOf([init, initialized, ask(1, 'session/load', named), answer(1, {}), ...use]), [])
  assert.deepEqual(codesOf([init, initialized, update('subagent_update', named, 'parent'), ...use]), [])
  assert.deepEqual(codesOf([init, initialized, ...use]), ['unknown-session'])
})

test('a new connection begins with initialize, and forgets what the old one waited for', () => {
  assert.deepEqual(codesOf([...turn(says('a')), ...turn(says('b'))]), [])
  assert.deepEqual(codesOf([...opening, mayI('a0'), ...opening, mayI('a0'), choose('yes', 'a0')]), [])
})

test('a call may be told by the question, be told again, and fail at once', () => {
  assert.deepEqual(codesOf(turn(mayI('a0'), choose('yes', 'a0'), toolUpdate({ status: 'completed' }))), [])
  assert.deepEqual(codesOf(turn(tool(), tool(), toolUpdate({ status: 'completed' }), toolUpdate({ title: 'late' }))), [])
  assert.deepEqual(codesOf(turn(toolUpdate({ status: 'failed' }))), [])
})

test('after a cancel the questions are answered with cancelled', () => {
  const cancel = message({ method: 'session/cancel', params: { sessionId: 's' } })
  assert.deepEqual(codesOf(turn(mayI('a0'), cancel, answer('a0', { outcome: { outcome: 'cancelled' } }))), [])
  assert.deepEqual(codesOf([...turn(cancel), prompt(3), mayI('a0'), choose('yes', 'a0'), done(3)]), [], 'the next turn is another matter')
})

test('an answer may be an error', () => {
  assert.deepEqual(codesOf([...opening, prompt(), fail(2, -32603, 'x')]), [])
  assert.deepEqual(codesOf([says('a'), fail(2, -32603, 'x')]), [])
})

// ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a prompt without an answer gets an error, in the frame of its stream', () => {
  const cut = [...opening, prompt(), says('a')]
  const error = { code: -32603, message: 'the stream ended before the answer' }
  const synthetic = 'repair: missing at the end of the stream'
  assert.deepEqual(plain(repaired(cut).at(-1)), { jsonrpc: '2.0', id: 2, error, synthetic })
  const traffic = cut.map((record, index) => ({ t: index, from: index % 2 === 0 ? 'client' : 'agent', message: record }))
  assert.deepEqual(plain(repaired(traffic).at(-1)), { t: 5, from: 'agent', message: { jsonrpc: '2.0', id: 2, error }, synthetic })
  assert.deepEqual(plain(repaired([says('a')]).at(-1)), {
    jsonrpc: '2.0',
    id: null,
    error: { ...error, data: { sessionId: 's' } },
    synthetic,
  })
  for (const records of [cut, traffic, [says('a')]]) assert.deepEqual(codesOf(repaired(records)), [])
})

test('a call that was not told gets told, before its update', () => {
  const records = turn(toolUpdate({ status: 'completed', title: 'ls', kind: 'execute' }))
  const fixed = repaired(records)
  assert.deepEqual(codesOf(fixed), [])
  assert.equal(fixed.length, records.length + 1)
  assert.equal(fixed[5]?.['synthetic'], 'repair: missing before session/update/tool_call_update')
})

test('what is whole stays as it is', () => {
  for (const name of namesIn('gemini/', '.traffic.ndjson')) assert.deepEqual(repaired(fixture(name)), fixture(name), name)
})
