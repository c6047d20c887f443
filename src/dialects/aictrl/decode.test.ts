import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { aictrl } from './index.ts'
import { decodeAll, fixture, namesIn, shortly } from './support.test.ts'

const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)
const kindsOf = (events: readonly Event[]): string[] => events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))
const base = { timestamp: 1741500000000, sessionID: 'ses_1' }
const start: Rec = { type: 'session_start', ...base, schemaVersion: '1', permissions: [] }

test("the document's session, event by event", () => {
  const events = decodeAll(fixture('document/session.ndjson'))
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  assert.deepEqual(
    events.map(({ origin }) => origin?.record),
    [1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17],
  )
  assert.ok(events.every(({ session, v }) => session === 'session_01abc...' && v === 1))
  const message = '~m1'
  const call = 'call_01xyz...'
  const bash = { name: 'bash', toolKind: 'execute' }
  const spoken = { streamed: false, startedAt: 1741500000000, endedAt: 1741500001000 }
  assert.deepEqual(events.map(shortly), [
    {
      kind: 'session.start',
      native: 'session_01abc...',
      model: 'claude-sonnet-4-20250514',
      provider: 'anthropic',
      agentName: 'default',
      schema: '1',
      rules: [
        { permission: 'bash', pattern: '*', action: 'allow' },
        { permission: 'write', pattern: '*', action: 'ask' },
      ],
    },
    {
      kind: 'catalog.update',
      tools: [
        { name: 'record_finding', source: 'mcp', server: 'aictrl' },
        { name: 'record_review_completed', source: 'mcp', server: 'aictrl' },
        { name: 'bash', source: 'builtin' },
        { name: 'read', source: 'builtin' },
      ],
      skills: [{ name: 'code-review', version: '1.4.0' }, { name: 'fullstack-code-review' }],
    },
    {
      kind: 'skill.load',
      name: 'commit',
      level: 'listed',
      path: '/home/user/.claude/skills/commit/SKILL.md',
      description: 'Create well-structured git commits',
    },
    { kind: 'turn.start', trigger: 'unknown', synthetic: 'implied' },
    { kind: 'message.start', message },
    { kind: 'thought.end', message, text: 'Let me think about this...', ...spoken },
    { kind: 'text.end', message, text: 'Here is the result...', ...spoken },
    {
      kind: 'permission.answer',
      call,
      decision: 'allow',
      by: 'rule',
      ...bash,
      permission: 'bash',
      patterns: ['ls'],
      input: { command: 'ls' },
    },
    { kind: 'tool.start', message, call: '~call-1', synthetic: 'implied', ...bash, input: { command: 'ls' } },
    {
      kind: 'tool.end',
      message,
      call: '~call-1',
      status: 'ok',
      text: '...',
      data: { exit: 0, output: '...' },
      exitCode: 0,
    },
    {
      kind: 'permission.answer',
      call,
      decision: 'reject',
      by: 'headless',
      ...bash,
      permission: 'bash',
      patterns: ['rm -rf /'],
      input: { command: 'rm -rf /' },
    },
    { kind: 'skill.load', name: 'commit', level: 'loaded', path: '/home/user/.claude/skills/commit/SKILL.md' },
    {
      kind: 'skill.load',
      name: 'commit',
      level: 'resource',
      path: '/home/user/.claude/skills/commit/templates/conventional.md',
    },
    { kind: 'task.start', task: 'session_01xyz...', type: 'agent', title: 'Research codebase' },
    { kind: 'task.end', task: 'session_01xyz...', status: 'ok' },
    {
      kind: 'error',
      scope: 'session',
      fatal: false,
      error: { category: 'unknown', text: 'Something went wrong', code: 'Unknown' },
    },
    { kind: 'raw', type: 'step_finish', why: 'redundant' },
    {
      kind: 'message.end',
      message,
      finish: 'tool_use',
      model: 'claude-sonnet-4-20250514',
      provider: 'anthropic',
      agentName: 'default',
      usage: { input: 1024, output: 512, reasoning: 0, cacheRead: 8800, cacheWrite: 1024 },
      usageFinal: true,
      cost: { usd: 0.015, parts: { input: 0.003, output: 0.012, cacheRead: 0, cacheWrite: 0 }, by: 'source' },
      context: { used: 10848, limit: 200000 },
    },
    { kind: 'turn.end', reason: 'end_turn', synthetic: 'implied' },
    { kind: 'session.end', reason: 'end_turn', durationMs: 12345 },
  ])
})

test('each example of the document is read alone, without a session or a time', () => {
  for (const name of namesIn('document/', '.json')) {
    const events = decodeAll(fixture(name))
    const troubles = events.filter(({ kind }) => kind === 'issue' || kind === 'raw').map(shortly)
    const expected = name.includes('base')
      ? [{ kind: 'raw', type: '<event_type>', why: 'unknown' }]
      : name.includes('step-finish')
        ? [{ kind: 'raw', type: 'step_finish', why: 'redundant' }]
        : []
    assert.deepEqual(troubles, expected, name)
    assert.equal(only(events, 'session.end').length, expected.length > 0 ? 0 : 1, name)
  }
})

test('a newer program: envelope, ids, the sum as cost, SDK words, missing tokens', () => {
  const events = decodeAll(fixture('made/newer-program.ndjson'))
  assert.deepEqual(kindsOf(events).slice(0, 6), [
    'run.start',
    'session.start',
    'catalog.update',
    'turn.start*',
    'message.start',
    'prompt.submit',
  ])
  assert.ok(events.every(({ run }) => run === '6f0c1c0e-6f1a-4a57-9d53-0d6f2d8f7a10'))
  assert.deepEqual(
    only(events, 'prompt.submit').map(({ text, by }) => ({ text, by })),
    [{ text: 'Compacting is done.', by: 'system' }],
  )
  const [make, record] = only(events, 'tool.end')
  assert.ok(make !== undefined && toolFailed(make))
  assert.deepEqual([make.status, make.exitCode, make.startedAt, make.durationMs, make.data], ['ok', 2, 1741500000920, 1070, undefined])
  assert.deepEqual(
    only(events, 'tool.start').map(({ at, server }) => [at, server]),
    [
      [1741500000920, undefined],
      [1741500002010, 'tracker'],
    ],
  )
  assert.equal(record?.text, 'saved')
  const [first, second] = only(events, 'message.end')
  // total is input + output + cache: reasoning sits in output
  assert.deepEqual(first?.usage, { input: 12, output: 14, reasoning: 20, cacheRead: 1000, cacheWrite: 200 })
  assert.deepEqual([first?.message, first?.cost, first?.finish], ['msg_1', { usd: 0.0042, by: 'source' }, 'tool_use'])
  assert.deepEqual(
    [second?.message, second?.usage, second?.usageFinal, second?.context, second?.finish],
    ['msg_2', undefined, undefined, undefined, 'end_turn'],
  )
  assert.deepEqual(events.slice(-2).map(shortly), [
    { kind: 'session.end', reason: 'end_turn', durationMs: 2650 },
    { kind: 'run.end', reason: 'end_turn', durationMs: 2710 },
  ])
})

test('a failure is told by session_error, wherever it stands', () => {
  const events = decodeAll(fixture('made/provider-failure.ndjson'))
  assert.deepEqual(
    only(events, 'error').map(({ fatal, error }) => [fatal, error.category, error.http, error.retryable]),
    [
      [true, 'rate_limit', 429, undefined],
      [false, 'rate_limit', 429, true],
    ],
  )
  assert.deepEqual(
    only(events, 'tool.end').map(({ status }) => status),
    ['cancelled'],
  )
  const [end] = only(events, 'session.end')
  assert.deepEqual([end?.reason, end?.error?.text, end?.error?.category], ['error', 'Too many requests', 'rate_limit'])
  assert.deepEqual(
    only(events, 'turn.end').map(({ reason, error }) => [reason, error?.code]),
    [['error', '429']],
  )
  assert.deepEqual(
    only(events, 'notice').map(({ code, level }) => [code, level]),
    [['tool_catalog_error', 'warn']],
  )
  assert.equal(only(events, 'run.end')[0]?.reason, 'error')
})

test('errors on the way do not fail a session; a complaint that nobody told before does', () => {
  const [end] = only(decodeAll(fixture('made/failures-on-the-way.ndjson')), 'session.end')
  assert.deepEqual([end?.reason, end?.error], ['end_turn', undefined])
  const alone = decodeAll([start, { type: 'session_complete', ...base, error: 'socket hang up: ECONNRESET' }])
  assert.deepEqual(
    only(alone, 'session.end').map(({ reason, error }) => [reason, error?.category]),
    [['error', 'network']],
  )
  assert.deepEqual(kindsOf(alone), ['session.start', 'session.end'])
})

test('how a session ended, by the words of session_error', () => {
  const ended = (reason: string, code?: string | number): string => {
    const record = { type: 'session_error', ...base, reason, code, message: 'm' }
    const [end] = only(decodeAll([start, record, { type: 'session_complete', ...base, durationMs: 1, error: 'm' }]), 'session.end')
    return `${end?.reason} ${end?.error?.category}`
  }
  assert.equal(ended('rate_limit', '429'), 'error rate_limit')
  assert.equal(ended('auth', 401), 'error auth')
  assert.equal(ended('timeout'), 'timeout timeout')
  assert.equal(ended('oom'), 'error oom')
  assert.equal(ended('provider', '500'), 'error provider')
  assert.equal(ended('interrupted', '130'), 'cancelled cancelled')
  assert.equal(ended('unknown', '143'), 'cancelled cancelled')
  assert.equal(ended('unknown', 'max_turns'), 'max_turns unknown')
  assert.equal(ended('provider', 'overloaded'), 'error overloaded')
  assert.equal(ended('timeout', 'stall'), 'stall timeout')
  assert.equal(ended('moonphase'), 'error unknown')
  assert.equal(ended('unknown', '413'), 'context context')
  assert.equal(ended('unknown', 402), 'error billing')
  assert.equal(ended('unknown', '400'), 'error invalid')
  assert.equal(ended('provider', '529'), 'error overloaded')
  assert.equal(ended('provider', '504'), 'error timeout') // of the provider, not of the session
  const [cut] = only(decodeAll(fixture('made/interrupted.ndjson')), 'session.end')
  assert.equal(cut?.reason, 'cancelled')
})

test('the last finish word decides how a good session ended', () => {
  const finish = (word: string | null, status?: string): unknown[] => {
    const events = decodeAll([
      start,
      { type: 'message_complete', ...base, finish: word, status },
      { type: 'session_complete', ...base, durationMs: 1, error: null },
    ])
    return [only(events, 'message.end')[0]?.finish, only(events, 'session.end')[0]?.reason]
  }
  assert.deepEqual(finish('stop'), ['end_turn', 'end_turn'])
  assert.deepEqual(finish('length'), ['max_tokens', 'max_tokens'])
  assert.deepEqual(finish('max_tokens'), ['max_tokens', 'max_tokens'])
  assert.deepEqual(finish('content-filter'), ['refusal', 'refusal'])
  assert.deepEqual(finish('tool-calls'), ['tool_use', 'end_turn'])
  assert.deepEqual(finish(null), [undefined, 'end_turn'])
  assert.deepEqual(finish(null, 'aborted'), ['cancelled', 'cancelled'])
})

test('subagents are lanes: tools, permissions and errors of a child and of its child', () => {
  const events = decodeAll(fixture('made/subagents.ndjson'))
  assert.ok(events.every(({ session }) => session === 'ses_1'))
  assert.deepEqual(
    only(events, 'task.start').map(({ task, agent }) => [task, agent]),
    [
      ['ses_child', undefined],
      ['ses_grand', 'ses_child'],
    ],
  )
  assert.deepEqual(
    only(events, 'tool.end').map(({ agent, call }) => [agent, call]),
    [
      ['ses_child', 'call_ses_child_1'],
      ['ses_grand', 'call_ses_grand_1'],
      ['ses_child', 'call_ses_child_2'],
      [undefined, 'call_task'],
    ],
  )
  assert.deepEqual(
    only(events, 'permission.answer').map(({ agent, call }) => [agent, call]),
    [['ses_child', 'call_ses_child_1']],
  )
  assert.deepEqual(
    only(events, 'error').map(({ agent, scope }) => [agent, scope]),
    [['ses_child', 'task']],
  )
  assert.deepEqual(
    only(events, 'task.end').map(({ task, status, error }) => [task, status, error?.text]),
    [
      ['ses_grand', 'ok', undefined],
      ['ses_child', 'error', 'lost the thread'],
    ],
  )
  assert.equal(only(events, 'session.end')[0]?.reason, 'end_turn')
})

test('a subagent that nobody announced still gets its task', () => {
  const tool = {
    type: 'tool_use',
    ...base,
    part: { tool: 'read', callID: 'c1', sessionID: 'ses_x', state: { status: 'completed' } },
    sequenceNum: 1,
  }
  const asked = {
    type: 'permission_granted',
    ...base,
    sessionID: 'ses_y',
    tool: 'bash',
    permission: 'bash',
    patterns: ['ls'],
    input: null,
  }
  const events = decodeAll([start, tool, asked, { type: 'session_complete', ...base, durationMs: 1, error: null }])
  assert.deepEqual(
    only(events, 'task.start').map(({ task, synthetic }) => [task, synthetic]),
    [
      ['ses_x', 'implied'],
      ['ses_y', 'implied'],
    ],
  )
  assert.deepEqual(only(events, 'session.start').length, 1)
  assert.deepEqual(
    only(events, 'task.end').map(({ status, synthetic }) => [status, synthetic]),
    [
      ['abandoned', 'cut'],
      ['abandoned', 'cut'],
    ],
  )
})

test('a rejected call is denied, by its permission or by its text', () => {
  const [end] = only(decodeAll(fixture('made/rejected-permission.ndjson')), 'tool.end')
  assert.equal(end?.status, 'denied')
  const status = (state: Rec, tool = 'bash'): string | undefined =>
    only(decodeAll([{ type: 'tool_use', ...base, part: { tool, state } }]), 'tool.end')[0]?.status
  assert.equal(status({ status: 'error', error: 'Error: The user rejected permission' }), 'denied')
  assert.equal(status({ status: 'error', error: 'The user has specified a rule which prevents you from using this' }), 'denied')
  assert.equal(status({ status: 'error', error: 'Tool execution aborted' }), 'cancelled')
  assert.equal(status({ status: 'error', error: 'abandoned' }), 'abandoned')
  assert.equal(status({ status: 'error', error: { message: 'odd' } }), 'error')
  assert.equal(status({ status: 'completed', output: 'bad arguments' }, 'invalid'), 'error')
})

test('a call that is published again when its output is cleared is not told twice', () => {
  const part = (time: Rec): Rec => ({
    type: 'tool_use',
    ...base,
    part: { tool: 'read', callID: 'c1', state: { status: 'completed', output: 'x', time } },
  })
  const events = decodeAll([
    start,
    part({ start: 1741500000000, end: 1741500000001 }),
    part({ start: 1741500000000, end: 1741500000001, compacted: 1741500009999 }),
  ])
  assert.equal(only(events, 'tool.end').length, 1)
  assert.deepEqual(
    only(events, 'raw').map(({ why }) => why),
    ['redundant'],
  )
})

test('interleaved sessions stay apart, and one may start again after its end', () => {
  const events = decodeAll(fixture('made/interleaved.ndjson'))
  assert.deepEqual(
    only(events, 'session.end').map(({ session, reason }) => [session, reason]),
    [
      ['ses_a', 'end_turn'],
      ['ses_b', 'max_tokens'],
    ],
  )
  assert.deepEqual(
    only(events, 'text.end').map(({ session, text, turn }) => [session, text, turn]),
    [
      ['ses_a', 'A.', 1],
      ['ses_b', 'B.', 1],
    ],
  )
  const end = { type: 'session_complete', ...base, durationMs: 1, error: null }
  assert.deepEqual(
    only(decodeAll([start, end, start, end]), 'session.start').map(({ how, synthetic }) => [how, synthetic]),
    [
      [undefined, undefined],
      ['resumed', undefined],
    ],
  )
})

test('a cut stream is closed from the inside', () => {
  const events = decodeAll(fixture('made/cut.ndjson'))
  assert.deepEqual(kindsOf(events).slice(-4), ['task.end*', 'message.end*', 'turn.end*', 'session.end*'])
  assert.equal(only(events, 'session.end')[0]?.reason, 'cut')
})

test('steps may be left out; records may leave out their session', () => {
  const said = { type: 'text', part: { type: 'text', text: 'Hi.' }, sequenceNum: 1 }
  const events = decodeAll([start, said, { type: 'message_complete', finish: 'end_turn' }, { type: 'session_complete', error: null }])
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'turn.start*',
    'message.start*',
    'text.end',
    'message.end',
    'turn.end*',
    'session.end',
  ])
  assert.deepEqual(new Set(events.map(({ session }) => session)), new Set(['ses_1']))
})

test('unknown keys are carried, unknown types kept, bad bodies said', () => {
  const events = decodeAll([
    { ...start, weather: 'fine' },
    { type: 'moon_phase', ...base },
    { type: 'text', ...base, part: { text: 7 } },
  ])
  assert.deepEqual({ ...(events[0]?.ext?.['aictrl'] as Rec) }, { weather: 'fine' })
  assert.deepEqual(
    only(events, 'raw').map(({ type, why }) => [type, why]),
    [['moon_phase', 'unknown']],
  )
  assert.deepEqual(
    only(events, 'issue').map(({ code, line }) => [code, line]),
    [['bad-body', 3]],
  )
})

test('notes beside an output are kept, but for what the event tells itself', () => {
  const use = (state: Rec, more: Rec = {}): unknown => {
    const [end] = only(decodeAll([start, { type: 'tool_use', ...base, part: { tool: 'bash', callID: 'c', state }, ...more }]), 'tool.end')
    return end?.ext && JSON.parse(JSON.stringify(end.ext['aictrl']))
  }
  const inside = (metadata: Rec): Rec => ({ part: { state: { metadata } } })
  assert.deepEqual(use({ status: 'completed', output: 'a', metadata: { exit: 0, output: 'a' } }), undefined)
  assert.deepEqual(
    use({ status: 'completed', output: 'a', metadata: { exit: 0, output: 'b', x: { y: 1 } } }),
    inside({ output: 'b', x: { y: 1 } }),
  )
  assert.deepEqual(use({ status: 'error', error: 'no', metadata: { exit: 1 } }, { weather: 'fine' }), {
    ...inside({ exit: 1 }),
    weather: 'fine',
  })
  assert.deepEqual(use({ status: 'completed', metadata: { output: 'a', x: 1 } }), undefined, 'there it is the result')
})

test('no record makes the decoder throw', () => {
  const tags = Object.keys(aictrl.shapes.checks)
  const keys = [
    'sessionID',
    'part',
    'error',
    'tokens',
    'cost',
    'context',
    'subagentSessionID',
    'parentSessionID',
    'permissions',
    'tools',
    'skills',
    'reason',
    'message',
    'name',
    'tool',
    'permission',
    'patterns',
    'input',
    'schemaVersion',
  ]
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('ses_1', 'ses_2', null, 1, true),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.object({
      maxDepth: 2,
      key: fc.constantFrom('text', 'state', 'status', 'tool', 'sessionID', 'messageID', 'time', 'start', 'data', 'cache', 'input'),
    }),
  )
  const record = fc
    .tuple(fc.constantFrom(...tags), fc.dictionary(fc.constantFrom(...keys), value))
    .map(([type, rest]) => ({ ...rest, type }))
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), (records) => {
      const events = decodeAll(records)
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      )
    }),
    { numRuns: 500 },
  )
})
