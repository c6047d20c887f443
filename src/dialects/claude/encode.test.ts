// What the encoder writes: documented shapes, from Claude's own events and from what other agents tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { claude } from './index.ts'
import { contentOf, decodeAll, encodeAll, ended, eventsIn, init, only, plain, shortly, written, type Told } from './support.test.ts'

const find = (records: readonly Rec[], tag: string): Rec => records.find((record) => claude.tag(record) === tag)!

test('an init has the lists of the document', () => {
  const { records } = written([
    ['session.start', { native: 's', model: 'm', cwd: '/w', mode: 'plan', program: 'claude-code', version: '2.1.325' }, { session: 's' }],
    [
      'catalog.update',
      {
        tools: [
          { name: 'Read', source: 'builtin' },
          { name: 'say', source: 'mcp', server: 'echo' },
        ],
        agents: [{ name: 'Explore' }],
        skills: [{ name: 'commit' }],
        commands: [{ name: 'clear' }],
      },
      { session: 's' },
    ],
    ['turn.start', { trigger: 'prompt' }, { session: 's' }],
    ['turn.end', { reason: 'end_turn' }, { session: 's' }],
  ])
  const { uuid, ...init } = records[0]!
  assert.match(String(uuid), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(init, {
    type: 'system',
    subtype: 'init',
    cwd: '/w',
    tools: ['Read', 'say'],
    mcp_servers: [{ name: 'echo', status: 'connected' }],
    model: 'm',
    permissionMode: 'plan',
    slash_commands: ['clear'],
    agents: ['Explore'],
    skills: ['commit'],
    plugins: [],
    claude_code_version: '2.1.325',
    session_id: 's',
  })
})

test('one block an assistant record, and the structure of each tool beside its result', () => {
  const call = (name: string, input: unknown, end: Told[1] & object): Told[] => [
    ['tool.start', { name, toolKind: 'other', input }, { call: name, at: 1000 }],
    ['tool.end', { status: 'ok', ...end } as never, { call: name, at: 1004 }],
  ]
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['thought.end', { text: 'hm', streamed: false, signature: 'sig' }],
    ['text.end', { text: 'Reading.', streamed: false }],
    ...call('Bash', { command: 'ls' }, { text: 'a\nb' }),
    ...call('Read', { file_path: '/w/a' }, { text: 'one\ntwo' }),
    ...call('Grep', { pattern: 'x' }, { text: 'a:1:x' }),
    ...call('Glob', { pattern: '*' }, { text: '/w/a\n/w/b' }),
    ...call('Write', { file_path: '/w/c', content: 'hi' }, { text: 'created' }),
    ...call('Edit', { file_path: '/w/c', old_string: 'hi', new_string: 'ho' }, { text: 'edited' }),
    ...call('Other', {}, { text: 'x' }),
    ['turn.end', { reason: 'end_turn' }],
  ])
  assert.ok(records.filter(({ type }) => type === 'assistant').every((record) => contentOf(record).length === 1))
  assert.deepEqual(
    records.filter(({ type }) => type === 'user').map((record) => record['tool_use_result']),
    [
      { stdout: 'a\nb', stderr: '', interrupted: false, isImage: false },
      { type: 'text', file: { filePath: '/w/a', content: 'one\ntwo', numLines: 2, startLine: 1, totalLines: 2 } },
      { mode: 'content', numFiles: 0, filenames: [], content: 'a:1:x', numLines: 1 },
      { filenames: ['/w/a', '/w/b'], durationMs: 4, numFiles: 2, truncated: false },
      { filePath: '/w/c', content: 'hi' },
      { filePath: '/w/c', oldString: 'hi', newString: 'ho', replaceAll: false },
      undefined,
    ],
  )
  assert.deepEqual(contentOf(records[1]!), [{ type: 'thinking', thinking: 'hm', signature: 'sig' }])
})

test("a tool's own structure is written as it is", () => {
  const { records } = encodeAll(eventsIn('2.1.325/e-write-edit-ok.ndjson'))
  const given = records.flatMap((record) => (isRecord(record['tool_use_result']) ? [record['tool_use_result']] : []))
  assert.deepEqual(
    given.map((structure) => structure['type'] ?? structure['oldString']),
    ['create', 'text', 'a = 1'],
  )
})

test('a command that failed says its code; refusals are listed in the result', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['tool.start', { name: 'Bash', toolKind: 'execute', input: { command: 'x' } }, { call: 'a' }],
    ['tool.end', { status: 'ok', exitCode: 3, text: 'bad' }, { call: 'a' }],
    ['tool.start', { name: 'Write', toolKind: 'edit', input: { file_path: 'f' } }, { call: 'b' }],
    ['permission.answer', { decision: 'reject', by: 'rule', name: 'Write', text: 'not here' }, { call: 'b' }],
    ['tool.end', { status: 'denied', text: 'not here' }, { call: 'b' }],
    ['tool.start', { name: 'Read', toolKind: 'read', input: {} }, { call: 'c' }],
    ['turn.end', { reason: 'end_turn', text: 'done' }],
  ])
  const results = records.filter(({ type }) => type === 'user').map((record) => contentOf(record)[0]!)
  assert.deepEqual(
    results.map((block) => [block['content'], block['is_error']]),
    [
      ['Exit code 3\nbad', true],
      ['not here', true],
      ['abandoned', true], // a turn that went well leaves no call open
    ],
  )
  const denied = find(records, 'system/permission_denied')
  assert.deepEqual(
    [denied['tool_name'], denied['tool_use_id'], denied['decision_reason_type'], denied['message']],
    ['Write', 'b', 'rule', 'not here'],
  )
  assert.deepEqual(find(records, 'result/success')['permission_denials'], [
    { tool_name: 'Write', tool_use_id: 'b', tool_input: { file_path: 'f' } },
  ])
})

test('a result has usage, models, cost and time', () => {
  const { records } = written([
    ['session.start', { model: 'm' }],
    ['turn.start', { trigger: 'prompt' }, { at: 1000 }],
    ['message.start', {}, { message: 'x' }],
    ['text.end', { text: 'done', streamed: false }, { message: 'x' }],
    [
      'message.end',
      {
        finish: 'end_turn',
        usage: { input: 10, output: 20, reasoning: 5, cacheRead: 100, cacheWrite: 7 },
        cost: { usd: 0.5, by: 'priced' },
        context: { used: 117, limit: 200000 },
      },
      { message: 'x' },
    ],
    ['turn.end', { reason: 'end_turn' }, { at: 3500 }],
  ])
  const { uuid: _uuid, ...result } = find(records, 'result/success')
  assert.deepEqual(result, {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 2500,
    duration_api_ms: 0,
    num_turns: 1,
    result: 'done',
    stop_reason: 'end_turn',
    session_id: 'session-1',
    total_cost_usd: 0.5,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 100,
      output_tokens: 25,
      output_tokens_details: { thinking_tokens: 5 },
      cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    },
    modelUsage: {
      m: {
        webSearchRequests: 0,
        inputTokens: 10,
        outputTokens: 25,
        cacheReadInputTokens: 100,
        cacheCreationInputTokens: 7,
        costUSD: 0.5,
        thinkingTokens: 5,
        contextWindow: 200000,
      },
    },
    permission_denials: [],
    terminal_reason: 'completed',
    result_index: 0,
  })
})

test('what Claude counts beside tokens is kept, and comes back; zeros are not', () => {
  const counted = (searches: number, hour: number): Rec => ({
    usage: {
      input_tokens: 7,
      output_tokens: 9,
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: hour },
    },
    modelUsage: { m: { inputTokens: 7, outputTokens: 9, webSearchRequests: searches, costUSD: 0.1 } },
  })
  const events = decodeAll([init, ended(counted(3, 5))])
  const { usage } = counted(3, 5) as { usage: Rec }
  const { server_tool_use, cache_creation } = usage
  const beside = { server_tool_use, cache_creation }
  assert.deepEqual(plain(only(events, 'turn.end')[0]?.ext), { claude: { usage: beside, modelUsage: { m: { webSearchRequests: 3 } } } })
  const again = encodeAll(events).records.at(-1)!['usage'] as Rec
  assert.deepEqual([again['server_tool_use'], again['cache_creation']], [server_tool_use, cache_creation])
  assert.equal(only(decodeAll([init, ended(counted(0, 0))]), 'turn.end')[0]?.ext, undefined)
})

test('costs and models are counted over the turns', () => {
  const { records } = encodeAll(eventsIn('2.1.325/j-control-misc.ndjson'))
  const results = records.filter(({ type }) => type === 'result')
  assert.deepEqual(
    results.map((record) => record['total_cost_usd']),
    [0.001596, 0.002128],
  )
  assert.deepEqual(
    results.map((record) => Object.keys(record['modelUsage'] as Rec).length),
    [1, 2],
  )
  assert.deepEqual(
    results.map((record) => record['result_index']),
    [0, 1],
  )
})

test('how a turn ended', () => {
  const shape = (reason: 'end_turn', text = 'why') => {
    const { subtype, is_error, stop_reason, terminal_reason, errors, result } = written([
      ['turn.start', { trigger: 'prompt' }],
      ['turn.end', { reason, error: { category: 'unknown', text } }],
    ]).records.at(-1)!
    return [subtype, is_error, stop_reason, terminal_reason, errors ?? result]
  }
  const expected = {
    end_turn: ['success', false, 'end_turn', 'completed', ''],
    max_turns: ['error_max_turns', true, null, 'max_turns', ['why']],
    budget: ['error_max_budget_usd', true, null, 'budget_exhausted', ['why']],
    cancelled: ['error_during_execution', true, null, 'aborted_streaming', ['why']],
    context: ['error_during_execution', true, null, 'prompt_too_long', ['why']],
    refusal: ['error_during_execution', true, 'refusal', 'api_error', ['why']],
    max_tokens: ['error_during_execution', true, 'max_tokens', undefined, ['why']],
    error: ['error_during_execution', true, null, undefined, ['why']],
    timeout: ['error_during_execution', true, null, undefined, ['why']],
  }
  for (const [reason, values] of Object.entries(expected)) {
    assert.deepEqual(shape(reason as 'end_turn'), values, reason)
    const again = only(
      decodeAll(
        written([
          ['turn.start', { trigger: 'prompt' }],
          ['turn.end', { reason: reason as 'end_turn' }],
        ]).records,
      ),
      'turn.end',
    )[0]?.reason
    assert.equal(again, reason === 'timeout' ? 'error' : reason, reason)
  }
})

test('a refusal that names no call is on the list of refusals; a prompt that nobody told counts as added', () => {
  const { records, added } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['prompt.submit', { by: 'user', state: 'sent', bytes: 5 }],
    ['permission.request', { id: '17', name: 'bash', options: [] }],
    ['permission.answer', { id: '17', decision: 'reject', by: 'file' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  assert.deepEqual(records.at(-1)!['permission_denials'], [{ tool_name: 'bash', tool_use_id: '', tool_input: {} }])
  assert.equal(added.includes('user.message.content'), true)
})

test('a failed turn says what went wrong, not what the agent said, and of which sort it is', () => {
  const failing = (end: (Told & readonly ['turn.end', ...unknown[]])[1]) => {
    const { records, lost } = written([
      ['turn.start', { trigger: 'prompt' }],
      ['text.end', { text: 'All is well.', streamed: false }],
      ['turn.end', end],
    ])
    const again = only(decodeAll(records), 'turn.end')[0]
    return [records.at(-1)!['errors'], again?.error?.category, lost]
  }
  assert.deepEqual(failing({ reason: 'timeout' }), [['timeout'], 'timeout', ['turn.end.reason approx']])
  assert.deepEqual(failing({ reason: 'tool_use', text: 'All is well.' }), [['tool use'], 'unknown', ['turn.end.reason approx']])
  assert.deepEqual(failing({ reason: 'error', text: 'More.' }), [['error'], 'unknown', ['turn.end.text drop']])
  for (const category of ['rate_limit', 'auth', 'overloaded', 'billing', 'invalid', 'provider', 'timeout', 'network'] as const)
    assert.deepEqual(failing({ reason: 'error', error: { category, text: 'boom' } }), [['boom'], category, []])
  for (const category of ['oom', 'cancelled', 'context'] as const)
    assert.deepEqual(failing({ reason: 'error', error: { category, text: 'boom' } }), [
      ['boom'],
      'unknown',
      ['turn.end.error.category approx'],
    ])
  for (const category of ['cancelled', 'context'] as const)
    assert.deepEqual(failing({ reason: category, error: { category, text: 'boom' } }), [['boom'], category, []])
  assert.deepEqual(failing({ reason: 'error', error: { category: 'oom', text: 'heap out of memory' } }), [
    ['heap out of memory'],
    'oom',
    [],
  ])
})

test('a call that is open when its turn ends gets a result, however that ended', () => {
  const ends = (reason: Reason): unknown[] => {
    const { records } = written([
      ['turn.start', { trigger: 'prompt' }],
      ['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: 'c' }],
      ['turn.end', { reason }],
    ])
    const answer = records.at(-2)!
    return [contentOf(answer)[0]?.['tool_use_id'], answer['synthetic'], records.at(-1)!['terminal_reason']]
  }
  assert.deepEqual(ends('end_turn'), ['c', 'cut', 'completed'])
  assert.deepEqual(ends('timeout'), ['c', 'cut', undefined])
  assert.deepEqual(ends('cancelled'), ['c', 'cut', 'aborted_tools'])
})

test('the same events give the same bytes', () => {
  const events = eventsIn('2.1.325/t-parallel-subagents.ndjson')
  assert.deepEqual(encodeAll(events), encodeAll(plain(events)))
  assert.equal(new Set(encodeAll(events).records.map((record) => record['uuid'])).size, encodeAll(events).records.length)
})

test('state beside the conversation', () => {
  const { records } = written([
    ['turn.start', { trigger: 'prompt' }],
    ['status.update', { phase: 'waiting' }],
    ['retry.start', { scope: 'model', attempt: 2, max: 5, delayMs: 100, error: { category: 'rate_limit', text: '', http: 429 } }],
    [
      'usage.update',
      {
        scope: 'session',
        cumulative: true,
        limits: [{ name: 'five_hour', state: 'warning', used: 0.9, resetsAt: 5000 }],
      },
    ],
    ['context.trim', { why: 'compact', trigger: 'auto', before: 10, after: 5 }],
    ['hook.start', { id: 'h', name: 'Stop', event: 'Stop' }],
    ['hook.end', { id: 'h', status: 'denied', text: 'no' }],
    ['notice', { level: 'warn', text: 'careful' }],
    ['error', { scope: 'session', fatal: false, error: { category: 'unknown', text: 'hm' } }],
    ['cancel.request', { target: 'turn', by: 'host' }],
    ['turn.end', { reason: 'cancelled' }],
  ])
  const again = decodeAll(records)
  assert.deepEqual(
    only(again, 'status.update').map(({ phase }) => phase),
    ['waiting'],
  )
  assert.deepEqual(
    only(again, 'retry.start').map(({ attempt, max, error }) => [attempt, max, error?.category]),
    [[2, 5, 'rate_limit']],
  )
  assert.deepEqual(
    only(again, 'usage.update').map(({ limits }) => plain(limits)),
    [[{ name: 'five_hour', state: 'warning', used: 0.9, resetsAt: 5000 }]],
  )
  assert.deepEqual(only(again, 'context.trim').map(shortly), [
    { kind: 'context.trim', why: 'compact', trigger: 'auto', before: 10, after: 5 },
  ])
  assert.deepEqual(
    only(again, 'hook.end').map(({ status, text }) => [status, text]),
    [['denied', 'no']],
  )
  assert.deepEqual(
    only(again, 'notice').map(({ level, text }) => [level, text]),
    [
      ['warn', 'careful'],
      ['warn', 'hm'],
    ],
  )
  assert.equal(only(again, 'cancel.request').length, 1)
})
