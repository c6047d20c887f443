// The order rules: what breaks each of them, what is legal although it looks odd, and what a repair adds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { claude } from './index.ts'
import {
  codesOf,
  contentOf,
  decodeAll,
  ended,
  fixture,
  gave,
  id,
  init,
  isStdin,
  only,
  raw,
  recordings,
  repaired,
  said,
  text,
  told,
  use,
} from './support.test.ts'

test('what real programs do is legal', () => {
  const replay: Rec = { ...told(text('x')), isReplay: true }
  const lane = (record: Rec): Rec => ({ ...record, parent_tool_use_id: 't' })
  const system = (subtype: string, more: Rec = {}): Rec => ({ type: 'system', subtype, ...id, ...more })
  const failed: Rec = { type: 'result', subtype: 'error_max_budget_usd', is_error: true, errors: [], ...id }
  const streams: Record<string, Rec[]> = {
    'a lone result': [ended()],
    'hooks before the init': [system('hook_started', { hook_id: 'h' }), init, ended()],
    'an answer before the init': [{ type: 'control_response', response: { request_id: 'i', subtype: 'success' } }, init, ended()],
    'two inits, two results': [init, init, said('m', text('a')), ended({ result_index: 0 }), ended({ result_index: 1 })],
    'a result for a task that ended while the agent was busy': [init, ended(), ended({ origin: { kind: 'task-notification' } })],
    'a call left open by a turn that failed': [init, said('m', use('t')), failed],
    'a call left open, and a turn after it': [init, said('m', use('t')), failed, init, said('n', text('a')), ended()],
    'a call that waits for the host': [init, said('m', use('t')), ended({ terminal_reason: 'tool_deferred' })],
    'a call that the provider runs': [init, said('m', { ...use('t', 'web_search'), type: 'server_tool_use' }), ended()],
    'a session that goes on in another process': [init, ended({ result_index: 0 }), init, ended({ result_index: 0 })],
    'a session that cannot go on': [ended({ result_index: 0 }), ended({ result_index: 0 })],
    'a subagent that goes on after the result': [
      init,
      said('m', use('t', 'Agent')),
      told(gave('t')),
      ended(),
      lane(said('n', text('still'))),
      system('task_notification', { task_id: 'x', status: 'completed' }),
    ],
    'a replayed prompt after the result': [
      init,
      ended(),
      replay,
      system('status', { status: null, permissionMode: 'plan' }),
      init,
      ended(),
    ],
    'lanes between the blocks of a message': [
      init,
      said('m', use('t', 'Agent')),
      lane(said('n', text('a'))),
      said('m', use('u', 'Agent')),
      told(gave('t'), gave('u')),
      ended(),
    ],
    'an interrupted stream (2.0)': [
      init,
      raw({ type: 'message_start', message: { id: 'm' } }),
      raw({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      told(text('[Request interrupted by user]')),
      ended(),
      init,
      ended(),
    ],
    'a host alone': [
      { type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } },
      { type: 'user', message: { role: 'user', content: 'go' }, session_id: '' },
      { type: 'control_response', response: { request_id: 'r', response: { behavior: 'allow' } } },
    ],
  }
  for (const [name, records] of Object.entries(streams)) assert.deepEqual(codesOf(records), [], name)
})

test('what follows a lost init is judged as if it were there', () => {
  const turn = [said('m', text('a')), ended()]
  assert.deepEqual(codesOf([...turn, init, ...turn]), ['init-first'])
  assert.deepEqual(codesOf([said('l', text('a')), init, ...turn]), ['init-first'])
  assert.deepEqual(codesOf([init, ...turn, said('l', text('a')), init, ...turn]), ['after-result'])
})

test('both sides of a two-way run in one file', () => {
  for (const path of recordings('.stdin.').filter(
    (name) => isStdin(name) && !name.includes('j-control-misc') && !name.includes('never-answered'),
  )) {
    const [host, agent] = [fixture(path), fixture(path.replace('.stdin', ''))]
    const asks = host.filter(({ type }) => type !== 'control_response')
    const answers = new Map(host.map((record) => [(record['response'] as Rec | undefined)?.['request_id'], record]))
    const both = agent.flatMap((record) => [
      record,
      ...(record['request_id'] !== undefined && answers.has(record['request_id']) ? [answers.get(record['request_id'])!] : []),
    ])
    assert.deepEqual(codesOf([...asks, ...both]), [], path)
  }
})

const tagsOf = (records: readonly Rec[]): (string | undefined)[] => records.map((record) => claude.tag(record))

test('a repair adds the init and the results that are missing, and nothing else', () => {
  for (const path of recordings()) {
    const records = fixture(path)
    const whole = repaired(records)
    assert.deepEqual(codesOf(whole), [], path)
    const added = whole.filter((record) => !records.includes(record))
    assert.equal(added.filter(({ type }) => type !== 'user').length, codesOf(records).length, path)
    const open = path.endsWith('t-permission-never-answered.ndjson') ? 1 : 0
    assert.equal(added.filter(({ type }) => type === 'user').length, open, path)
  }
  const bare = repaired([said('m', text('a'))])
  assert.deepEqual(tagsOf(bare), ['system/init', 'assistant', 'result/error_during_execution'])
  assert.deepEqual(
    only(decodeAll(bare), 'turn.end').map(({ reason }) => reason),
    ['error'],
  )
})

test('a repair answers the calls that are open, each in its lane', () => {
  const inLane = (record: Rec): Rec => ({ ...record, parent_tool_use_id: 't' })
  const start = [init, said('m', use('t', 'Agent'), use('u')), told(gave('u')), inLane(said('n', use('v')))]
  const whole = repaired(start)
  assert.deepEqual(tagsOf(whole.slice(start.length)), ['user', 'user', 'result/error_during_execution'])
  assert.deepEqual(
    whole.slice(start.length, -1).map((record) => [contentOf(record)[0]!['tool_use_id'], record['parent_tool_use_id']]),
    [
      ['v', 't'],
      ['t', null],
    ],
  )
  assert.deepEqual(codesOf(whole), [])
  assert.deepEqual(
    only(decodeAll(whole), 'tool.end').map(({ call, agent, status, text: words }) => [call, agent, status, words]),
    [
      ['u', undefined, 'ok', 'ok'],
      ['v', 't', 'error', 'abandoned'],
      ['t', undefined, 'error', 'abandoned'],
    ],
  )
  const well = repaired([init, said('m', use('t')), ended()])
  assert.deepEqual(tagsOf(well), ['system/init', 'assistant', 'user', 'result/success'])
  assert.deepEqual(codesOf(well), [])
})

test('a turn that a repair has begun goes on after the init that comes at last', () => {
  const late = repaired([said('l', use('t')), init, told(gave('t')), ended(), init, ended()])
  assert.deepEqual(tagsOf(late), ['system/init', 'assistant', 'system/init', 'user', 'result/success', 'system/init', 'result/success'])
  assert.deepEqual(codesOf(late), [])
  const whole = repaired([said('l', use('t')), init, said('m', text('a')), ended()])
  assert.deepEqual(tagsOf(whole), ['system/init', 'assistant', 'system/init', 'assistant', 'user', 'result/success'])
  assert.deepEqual(codesOf(whole), [])
  const inLane = { ...said('l', text('a')), parent_tool_use_id: 't' }
  assert.deepEqual(tagsOf(repaired([inLane, ended()])), ['system/init', 'assistant', 'result/success'])
})

test('sessions without end: each is told, and a new one costs no more than the first', () => {
  const records = (count: number): Rec[] => Array.from({ length: count }, (_, n) => ({ ...init, session_id: `s${n}` }))
  const started = performance.now()
  assert.equal(codesOf(records(50_000)).length, 50_000)
  assert.ok(performance.now() - started < 5000)
})

test('sessions that have ended are forgotten, those that are open are not', () => {
  const one = (n: number): Rec[] => [{ ...init, session_id: `s${n}` }, ...(n % 3 === 0 ? [] : [ended({ session_id: `s${n}` })])]
  const all = Array.from({ length: 9000 }, (_, n) => one(n)).flat()
  const late = (n: number): Rec => ended({ session_id: `s${n}` })
  assert.equal(codesOf(all).length, 3000)
  assert.deepEqual(
    codesOf([...all, late(1)]).filter((code) => code !== 'missing-end'),
    [],
    's1 is not known any more',
  )
  assert.equal(codesOf([...all, late(0), late(3)]).length, 2998)
})
