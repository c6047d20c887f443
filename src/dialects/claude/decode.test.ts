// Single rules of the decoder, on small streams by hand and on the recordings that show them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, ended, eventsIn, gave, init, kindsOf, only, plain, said, shortly, told, use } from './support.test.ts'

test('the worked example of a subagent, event by event', () => {
  assert.deepEqual(kindsOf(eventsIn('2.1.325/g-subagent-fg.ndjson')), [
    'session.start',
    'catalog.update',
    'turn.start',
    'message.start*',
    'text.end',
    'tool.start',
    'task.start',
    'prompt.submit',
    'task.update',
    'message.start*',
    'tool.start',
    'tool.end',
    'task.update',
    'message.end*',
    'task.end',
    'tool.end',
    'message.end*',
    'message.start*',
    'text.end',
    'message.end*',
    'turn.end',
    'session.end*',
  ])
})

test('an init tells the session, its lists and its turn', () => {
  const [start, catalog, turn] = eventsIn('2.1.325/k-mcp.ndjson')
  assert.deepEqual([start?.kind, catalog?.kind, turn?.kind], ['session.start', 'catalog.update', 'turn.start'])
  const { model, mode, cwd, version, program } = start as never
  assert.deepEqual(
    { model, mode, cwd, version, program },
    {
      model: 'claude-sonnet-4-5-20250929',
      mode: 'default',
      cwd: '/home/dev/work/claude/k-mcp',
      version: '2.1.325',
      program: 'claude-code',
    },
  )
  const { servers, tools } = only([catalog!], 'catalog.update')[0]!
  assert.deepEqual(servers?.map(({ name, status }) => [name, status]).toSorted(), [
    ['broken', 'failed'],
    ['echo', 'connected'],
  ])
  assert.deepEqual(
    tools?.filter(({ source }) => source === 'mcp').map(({ name, server }) => [name, server]),
    [
      ['mcp__echo__echo', 'echo'],
      ['mcp__echo__fail', 'echo'],
    ],
  )
})

test('a repeated init tells only what changed, and a new turn', () => {
  const again = decodeAll([
    init,
    ended(),
    init,
    ended(),
    { ...init, model: 'n' },
    ended(),
    { ...init, model: 'n', tools: ['Read'] },
    ended(),
  ])
  assert.deepEqual(kindsOf(again), [
    'session.start',
    'catalog.update',
    'turn.start',
    'turn.end',
    'turn.start',
    'turn.end',
    'session.update',
    'turn.start',
    'turn.end',
    'catalog.update',
    'turn.start',
    'turn.end',
    'session.end*',
  ])
})

test('the init of the next turn may come before the result of the last one', () => {
  const events = eventsIn('2.1.325/g-subagent.ndjson')
  assert.deepEqual(
    only(events, 'turn.start').map(({ turn, trigger }) => [turn, trigger]),
    [
      [1, 'prompt'],
      [2, 'task'],
    ],
  )
  assert.deepEqual(
    only(events, 'turn.end').map(({ turn, steps }) => [turn, steps]),
    [
      [1, 2],
      [2, 1],
    ],
  )
  const lastWords = only(events, 'text.end')
    .filter(({ agent }) => agent === undefined)
    .map(({ turn, message }) => [turn, message])
  assert.deepEqual(lastWords, [
    [1, 'msg_mock000002'],
    [1, 'msg_mock000005'],
    [2, 'msg_mock000007'],
  ])
})

test('several results in one record are all told, in any order of the calls', () => {
  const events = decodeAll([init, said('m1', use('a'), use('b', 'Bash')), told(gave('b', 'two'), gave('a', 'one')), ended()])
  assert.deepEqual(
    only(events, 'tool.end').map(({ call, text: words, status }) => [call, words, status]),
    [
      ['b', 'two', 'ok'],
      ['a', 'one', 'ok'],
    ],
  )
})

test('results as text, as blocks, as structure', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const events = decodeAll([
    init,
    said('m1', use('a'), use('b'), use('c')),
    {
      ...told(gave('a', [{ type: 'text', text: 'x' }, image, { type: 'text', text: 'y' }])),
      tool_use_result: { type: 'text', file: {} },
    },
    told(gave('b', [{ type: 'tool_reference', tool_name: 'Read' }])),
    told({ type: 'tool_result', tool_use_id: 'c' }),
    ended(),
  ])
  const [a, b, c] = only(events, 'tool.end')
  assert.deepEqual([a?.text, a?.content?.length, a?.data], ['x\ny', 3, { type: 'text', file: {} }])
  assert.deepEqual([b?.text, b?.content?.length], [undefined, 1])
  assert.deepEqual([c?.text, c?.content, c?.status], [undefined, undefined, 'ok'])
})

test('a structure beside several results belongs to none of them, and is kept', () => {
  const events = decodeAll([
    init,
    said('m', use('a'), use('b')),
    { ...told(gave('a'), gave('b')), tool_use_result: { stdout: 'o' }, colour: 'red' },
    ended(),
  ])
  assert.deepEqual(
    only(events, 'tool.end').map(({ data, ext }) => [data, ext === undefined ? undefined : plain(ext)]),
    [
      [undefined, { claude: { tool_use_result: { stdout: 'o' }, colour: 'red' } }],
      [undefined, undefined],
    ],
  )
})

test('a tool_use_result that is no object is kept where it says more than the result', () => {
  const ends = (path: string) =>
    only(eventsIn(path), 'tool.end').map(({ ext }) => (ext?.['claude'] as Rec | undefined)?.['tool_use_result'])
  assert.match(String(ends('2.1.325/d-bad-input.ndjson')[0]), /^InputValidationError: \[\n.*"expected": "string"/s)
  assert.deepEqual(ends('2.1.325/d-bash-fail.ndjson'), [undefined])
  const blocks = [{ type: 'text', text: 'x' }]
  const kept = (content: unknown, structure: unknown): unknown =>
    only(decodeAll([init, said('m', use('a')), { ...told(gave('a', content)), tool_use_result: structure }, ended()]), 'tool.end')[0]?.ext
  assert.equal(kept(blocks, blocks), undefined)
  assert.deepEqual(kept('x', blocks), { claude: { tool_use_result: blocks } })
  assert.deepEqual(kept('x', 42), { claude: { tool_use_result: 42 } })
})

test('why a call failed: its exit code, a refusal, an interrupt', () => {
  const ends = (path: string) =>
    only(eventsIn(path), 'tool.end').map(({ status, exitCode, permitted }) => [status, exitCode, permitted?.by])
  assert.deepEqual(ends('2.1.325/d-bash-fail.ndjson'), [['error', 3, 'rule']])
  assert.deepEqual(ends('2.0.76/d-bash-fail.ndjson'), [['error', 3, undefined]])
  assert.deepEqual(ends('2.1.325/e-write-denied.ndjson'), [['denied', undefined, 'headless']])
  assert.deepEqual(ends('1.0.128/e-write-denied.ndjson'), [['denied', undefined, undefined]])
  assert.deepEqual(ends('2.1.325/e-dontask.ndjson'), [['denied', undefined, 'mode']])
  assert.deepEqual(ends('2.1.325/j-permission-deny-interrupt.ndjson'), [['denied', undefined, 'user']])
  const [stopped] = only(
    decodeAll([init, said('m', use('a')), told(gave('a', '[Request interrupted by user]', { is_error: true })), ended()]),
    'tool.end',
  )
  assert.equal(stopped?.status, 'cancelled')
  const words = 'It was rejected. Correction to the text above: this call was stopped while running, not refused before it ran.'
  const meta = { tool_result_meta: [{ id: 'a', non_execution_kind: 'user-rejected' }] }
  const [ran] = only(
    decodeAll([init, said('m', use('a')), { ...told(gave('a', words, { is_error: true })), ...meta }, ended()]),
    'tool.end',
  )
  assert.deepEqual([ran?.status, ran?.permitted], ['cancelled', undefined])
})

test('a call left open by its turn is abandoned at the end', () => {
  const events = eventsIn('2.1.325/m-budget.ndjson')
  assert.deepEqual(kindsOf(events).slice(-4), ['message.end*', 'turn.end', 'tool.end*', 'session.end*'])
  assert.deepEqual(
    only(events, 'tool.end').map(({ status, synthetic }) => [status, synthetic]),
    [['abandoned', 'cut']],
  )
})

test('what a result means: is_error beats the subtype, and each limit has its word', () => {
  const end = (path: string) => {
    const { reason, error } = only(eventsIn(path), 'turn.end').at(-1)!
    return [reason, error?.category, error?.http]
  }
  for (const version of ['1.0.128', '2.0.76', '2.1.325']) {
    assert.deepEqual(end(`${version}/a-text.ndjson`), ['end_turn', undefined, undefined])
    assert.deepEqual(end(`${version}/h-429.ndjson`), ['error', 'rate_limit', 429], version)
    assert.deepEqual(end(`${version}/h-401.ndjson`).slice(0, 2), ['error', 'auth'], version)
    assert.deepEqual(end(`${version}/h-no-key.ndjson`).slice(0, 2), ['error', 'auth'], version)
    assert.deepEqual(end(`${version}/h-no-server.ndjson`).slice(0, 2), ['error', 'network'], version)
    assert.deepEqual(end(`${version}/m-max-turns.ndjson`)[0], 'max_turns', version)
    assert.deepEqual(end(`${version}/j-permission-deny-interrupt.ndjson`)[0], 'cancelled', version)
  }
  assert.deepEqual(end('2.1.325/h-529.ndjson'), ['error', 'overloaded', 529])
  assert.deepEqual(end('2.0.76/h-credit.ndjson'), ['error', 'billing', undefined])
  assert.deepEqual(end('2.1.325/h-400-too-long.ndjson').slice(0, 2), ['context', 'context'])
  assert.deepEqual(end('2.1.325/h-refusal.ndjson')[0], 'refusal')
  assert.deepEqual(end('2.0.76/h-refusal.ndjson')[0], 'refusal')
  assert.deepEqual(end('2.0.76/h-400-too-long.ndjson').slice(0, 2), ['context', 'context'])
  assert.deepEqual(end('2.0.76/h-max-tokens.ndjson')[0], 'max_tokens')
  assert.deepEqual(end('2.1.325/m-budget.ndjson')[0], 'budget')
  assert.deepEqual(end('2.1.325/j-interrupt.ndjson').slice(0, 2), ['cancelled', 'cancelled'])
  assert.deepEqual(end('2.1.325/o-resume-missing.ndjson')[0], 'error')
  assert.equal(
    only(eventsIn('2.1.325/o-resume-missing.ndjson'), 'turn.end')[0]?.error?.text,
    'No conversation found with session ID: 99999999-2222-4333-8444-555555555555',
  )
})

test('a failed API call: its words, one error, and the turn holds the same fault', () => {
  const events = eventsIn('2.1.325/h-429.ndjson')
  const [error] = only(events, 'error')
  assert.deepEqual([error?.scope, error?.fatal, only(events, 'text.end')[0]?.text], ['turn', true, error?.error.text])
  assert.deepEqual(only(events, 'turn.end')[0]?.error, error?.error)
  assert.deepEqual(
    only(events, 'retry.start').map(({ attempt, max, delayMs, error: fault }) => [attempt, max, delayMs, fault?.category, fault?.http]),
    [
      [1, 2, 1000, 'rate_limit', 429],
      [2, 2, 1002, 'rate_limit', 429],
    ],
  )
  assert.deepEqual(
    only(eventsIn('2.1.325/h-no-server.ndjson'), 'retry.start').map(({ error: fault }) => fault?.category),
    ['network'],
  )
})

test('a refused message is marked by the record that tells of it', () => {
  const events = eventsIn('2.1.325/h-refusal.ndjson')
  assert.deepEqual(
    only(events, 'message.end').map(({ finish }) => finish),
    ['refusal', 'refusal', 'refusal'],
  )
  assert.deepEqual(
    only(eventsIn('2.1.325/h-max-tokens.ndjson'), 'message.end').map(({ finish }) => finish),
    ['max_tokens', 'end_turn'],
  )
})

test('lanes of subagents, by agent_id or by the call that started them', () => {
  const lanes = (path: string) => only(eventsIn(path), 'tool.start').map(({ agent, name }) => [agent, name])
  assert.deepEqual(lanes('2.1.325/t-parallel-subagents.ndjson'), [
    [undefined, 'Agent'],
    [undefined, 'Agent'],
    ['a4b7a0531699a38f1', 'Read'],
    ['a875e594cd7d88619', 'Read'],
  ])
  assert.deepEqual(lanes('1.0.128/g-subagent-fg.ndjson'), [
    [undefined, 'Task'],
    ['toolu_mock000063', 'Read'],
  ])
  const old = eventsIn('1.0.128/g-subagent-fg.ndjson')
  assert.deepEqual(only(old, 'task.start').map(shortly), [
    { kind: 'task.start', call: 'toolu_mock000063', synthetic: 'implied', task: 'toolu_mock000063', type: 'agent' },
  ])
  assert.deepEqual(
    only(old, 'task.end').map(({ status, text: words, synthetic }) => [status, words, synthetic]),
    [['ok', 'Sub: three lines.', 'implied']],
  )
  const parallel = only(eventsIn('2.1.325/t-parallel-subagents.ndjson'), 'message.start').filter(({ agent }) => agent === undefined)
  assert.deepEqual(
    parallel.map(({ message }) => message),
    ['msg_mock000003', 'msg_mock000010'],
  ) // not split by other lanes
})

test('a background command ends its call, not its task', () => {
  const events = eventsIn('2.1.325/g-bash-bg.ndjson')
  const [end] = only(events, 'tool.end')
  assert.deepEqual([end?.status, end?.task], ['ok', 'b9f5qva44'])
  const [task] = only(events, 'task.start')
  assert.deepEqual([task?.type, task?.background, task?.call], ['command', true, 'toolu_mock000001'])
  assert.ok(only(events, 'task.end')[0]!.seq > only(events, 'turn.end')[0]!.seq)
  assert.deepEqual(
    only(events, 'turn.start').map(({ trigger }) => trigger),
    ['prompt', 'task'],
  )
  assert.deepEqual(
    only(eventsIn('2.0.76/g-bash-bg.ndjson'), 'task.start').map(({ task: name, synthetic }) => [name, synthetic]),
    [['b71816c', 'implied']],
  )
})

test('a result of the wrong shape ends its turn as failed, and says what it was', () => {
  const events = decodeAll([init, said('a'), { ...ended(), subtype: 5, is_error: 'maybe' }])
  assert.equal(only(events, 'issue')[0]?.code, 'bad-body')
  const [end, ...more] = only(events, 'turn.end')
  assert.deepEqual([end?.reason, more.length], ['error', 0])
  assert.match(end!.error!.text, /cannot be read: .*"subtype":5/)
})

test('a result that does not say that all went well is none that did', () => {
  const { subtype: _subtype, is_error: _failed, ...silent } = ended()
  for (const told of [
    { type: 'result' },
    silent,
    { ...silent, result: 'Done.' },
    { ...silent, subtype: 'new' },
    { ...silent, stop_reason: 'end_turn' },
  ]) {
    const [end, ...more] = only(decodeAll([init, said('a'), told]), 'turn.end')
    assert.deepEqual([end?.reason, end?.error?.code, more.length], ['error', 'unreadable-end', 0])
    assert.match(end!.error!.text, /cannot be read: "{"type":"result"/)
  }
  for (const told of [{ subtype: 'success' }, { is_error: false }, { subtype: 'new', is_error: false }])
    assert.equal(only(decodeAll([init, said('a'), { ...silent, ...told }]), 'turn.end')[0]?.reason, 'end_turn')
  assert.equal(only(decodeAll([init, { ...silent, stop_reason: 'max_tokens' }]), 'turn.end')[0]?.reason, 'max_tokens')
  assert.equal(only(decodeAll([init, { ...silent, subtype: 'error_during_execution' }]), 'turn.end')[0]?.reason, 'cancelled')
})

test('how a result ends its turn: errors of an execution are a failure, a success is one whatever the model stopped with', () => {
  const base = { type: 'result', session_id: 's' }
  const reason = (more: object) => only(decodeAll([init, { ...base, ...more }]), 'turn.end')[0]?.reason
  const execution = { subtype: 'error_during_execution', errors: ['boom'] }
  assert.equal(reason(execution), 'error')
  assert.equal(reason({ ...execution, is_error: false }), 'error')
  assert.equal(reason({ ...execution, is_error: true }), 'error')
  assert.equal(reason({ ...execution, errors: [], is_error: false }), 'cancelled') // how older versions say it
  assert.equal(reason({ ...execution, is_error: false, terminal_reason: 'aborted_tools' }), 'cancelled')
  for (const stop of ['tool_use', 'max_tokens', 'refusal', 'pause_turn', 'new_word', null]) {
    for (const more of [{}, { is_error: false }])
      assert.equal(reason({ subtype: 'success', stop_reason: stop, result: 'x', ...more }), 'end_turn', String(stop))
  }
  assert.equal(reason({ subtype: 'success', is_error: true, stop_reason: 'refusal' }), 'refusal')
  assert.equal(reason({ subtype: 'success', stop_reason: 'stop_sequence' }), 'stop_sequence')
})
