import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { EventOf, Kind } from '../../model/event.ts'
import { avenor } from './index.ts'
import { decodeAll, fixture, kindsOf, namesIn, plain, shortly } from './support.test.ts'

const session = 's1'
const chunk = (text: string, rest: Rec = {}): Rec => ({
  event: 'agent.message_chunk',
  session_id: session,
  content: { type: 'text', text },
  ...rest,
})
const end = (stop_reason = 'end_turn', rest: Rec = {}): Rec => ({ event: 'session.end', session_id: session, stop_reason, ...rest })
const told = (records: readonly Rec[]): Rec[] =>
  decodeAll(records)
    .filter(({ synthetic }) => synthetic === undefined)
    .map(shortly)
const only = <K extends Kind>(records: readonly Rec[], kind: K): EventOf<K>[] =>
  decodeAll(records)
    .filter((event): event is EventOf<K> => event.kind === kind)
    .map(plain)

// ── the document ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const yesNo = [
  { id: 'allow', kind: 'allow_once' },
  { id: 'reject', kind: 'reject_once' },
]
const at = 1234567890
const leak = 'degenerate reasoning stream: provider control token leakage (<|channel>)'
const diagnostics = {
  abort_signal: 'control_token',
  observed_total: 1,
  hex_total: 0,
  hex_in_window: 0,
  window_size: 2048,
  consecutive_hex: 0,
  progress_in_window: 0,
}
const degenerateFault = { category: 'provider', text: leak, code: 'degenerate_reasoning_stream' }
const run = 'run_1'

const examples: Record<string, Rec> = {
  '01-tool-call': { kind: 'tool.start', session: 'ses_123', turn: 1, call: 'call_1', name: '', toolKind: 'other' },
  '02-permission-request': {
    kind: 'permission.request',
    session: 'ses_xyz',
    turn: 1,
    id: '17',
    name: 'bash',
    toolKind: 'execute',
    question: 'Run this command?',
    options: yesNo,
  },
  '03-permission-response': { kind: 'permission.answer', session: 'ses_xyz', at, id: '17', decision: 'allow', option: 'allow', by: 'file' },
  '04-loop-start': { kind: 'run.start', run, at, maxIterations: 5, prePhases: 1, loopPhases: 2 },
  '05-phase-start': { kind: 'phase.start', run, at, name: 'code_review', iteration: 1, stage: 'loop' },
  '06-phase-end': { kind: 'phase.end', run, at, name: 'code_review', iteration: 1, reason: 'end_turn' },
  '07-loop-end': { kind: 'run.end', run, at, reason: 'end_turn', iterations: 3 },
  '08-retry': { kind: 'retry.start', run, at, scope: 'run', attempt: 1, max: 3 },
  '09-error-permission': {
    kind: 'error',
    session: 'ses_xyz',
    run,
    at,
    scope: 'session',
    fatal: false,
    error: { category: 'timeout', text: 'handler timed out after 10m' },
    source: 'permission',
  },
  '10-error-degenerate': {
    kind: 'error',
    session: 'ses_xyz',
    scope: 'session',
    fatal: true,
    error: degenerateFault,
    source: 'loop',
    model: 'gpt-oss-120b',
    data: diagnostics,
  },
  '11-status': { kind: 'status.update', session: 'ses_xyz', at, phase: 'working', label: 'reading files', source: 'avenor' },
  '12-session-end': { kind: 'session.end', session: 'ses_123', reason: 'end_turn', usage: { input: 900, output: 500, cacheRead: 100 } },
  '13-session-end-timeout': { kind: 'session.end', session: 'ses_123', reason: 'timeout', usage: { input: 1000, output: 200 } },
  '14-session-end-cancelled': { kind: 'session.end', session: 'ses_123', reason: 'cancelled' },
}

test('every example of the document is one event, beside what sluice adds', () => {
  assert.deepEqual(
    namesIn('document/', '.json'),
    Object.keys(examples).map((name) => `document/${name}.json`),
  )
  for (const [name, expected] of Object.entries(examples)) assert.deepEqual(told(fixture(`document/${name}.json`)), [expected], name)
})

test('a whole session, event by event', () => {
  const events = decodeAll(fixture('document/session.ndjson'))
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  assert.deepEqual(
    events.map(({ origin }) => origin?.record),
    [1, 1, 1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 21, 21],
  )
  const usage = { input: 900, output: 500, cacheRead: 100 }
  const streamed = { synthetic: 'implied', streamed: true }
  const short = events.map((event) => {
    const { session: _session, turn: _turn, ...rest } = shortly(event)
    return rest
  })
  assert.deepEqual(short, [
    { kind: 'session.start', synthetic: 'implied' },
    { kind: 'turn.start', synthetic: 'implied', trigger: 'prompt' },
    { kind: 'prompt.submit', message: 'msg_1', text: 'Fix the failing test.', by: 'user', state: 'seen', partial: true },
    { kind: 'status.update', at: 1234567890, phase: 'thinking', source: 'avenor' },
    { kind: 'thought.delta', message: 'msg_2', text: 'Look at the test ' },
    { kind: 'thought.delta', message: 'msg_2', text: 'first.' },
    { kind: 'thought.end', message: 'msg_2', ...streamed },
    { kind: 'text.delta', message: 'msg_2', text: 'I will read ' },
    { kind: 'text.delta', message: 'msg_2', text: 'the test — first.\n' },
    { kind: 'text.end', message: 'msg_2', ...streamed },
    {
      kind: 'plan.update',
      entries: [
        { text: 'read the test', status: 'active', priority: 'high' },
        { text: 'fix it', status: 'pending', priority: 'medium' },
      ],
      title: 'Fix the test',
    },
    { kind: 'status.update', at: 1234567900, phase: 'working', label: 'reading files', source: 'avenor' },
    { kind: 'tool.start', call: 'call_1', name: 'read', toolKind: 'read', title: 'reading files', input: { path: 'test/a.test.ts' } },
    { kind: 'raw', type: 'deploy.checked', why: 'unknown' },
    { kind: 'tool.end', call: 'call_1', status: 'ok', toolKind: 'read' },
    { kind: 'status.update', at: 1234568000, phase: 'working', label: 'bash', source: 'avenor' },
    { kind: 'tool.start', call: 'call_2', name: 'bash', toolKind: 'execute', input: { command: 'npm test' } },
    { kind: 'status.update', at: 1234568010, phase: 'waiting', label: 'Run this command?', source: 'avenor' },
    { kind: 'permission.request', id: '17', name: 'bash', toolKind: 'execute', question: 'Run this command?', options: yesNo },
    { kind: 'permission.answer', at: 1234569000, id: '17', decision: 'allow', option: 'allow', by: 'file' },
    { kind: 'status.update', at: 1234569001, phase: 'working', source: 'avenor' },
    { kind: 'tool.end', call: 'call_2', status: 'error', toolKind: 'execute' },
    { kind: 'text.delta', message: 'msg_3', text: 'Done.' },
    { kind: 'status.update', at: 1234570000, phase: 'done', source: 'avenor' },
    { kind: 'text.end', message: 'msg_3', ...streamed },
    { kind: 'turn.end', synthetic: 'implied', reason: 'end_turn', usage },
    { kind: 'session.end', reason: 'end_turn', usage },
  ])
})

test('a loop: phases stand above the sessions, and a session that ended starts again', () => {
  const events = decodeAll(fixture('document/loop.ndjson'))
  assert.ok(events.every((event) => event.run === run))
  assert.deepEqual(
    events.map(({ kind, session: id, turn }) => [kind, id, turn].filter((part) => part !== undefined).join(' ')),
    [
      'run.start',
      'phase.start',
      'session.start ses_1',
      'turn.start ses_1 1',
      'text.delta ses_1 1',
      'text.end ses_1 1',
      'turn.end ses_1 1',
      'session.end ses_1',
      'phase.end',
      'phase.start',
      'session.start ses_2',
      'error ses_2',
      'turn.start ses_2 1',
      'turn.end ses_2 1',
      'session.end ses_2',
      'session.start ses_2',
      'retry.start ses_2',
      'turn.start ses_2 2',
      'text.delta ses_2 2',
      'text.end ses_2 2',
      'turn.end ses_2 2',
      'session.end ses_2',
      'phase.end',
      'phase.start',
      'session.start ses_2',
      'turn.start ses_2 3',
      'text.delta ses_2 3',
      'text.end ses_2 3',
      'turn.end ses_2 3',
      'session.end ses_2',
      'phase.end',
      'run.end',
    ],
  )
  const starts = events.filter((event): event is EventOf<'session.start'> => event.kind === 'session.start')
  assert.deepEqual(
    starts.map(({ how }) => how),
    [undefined, undefined, 'resumed', 'resumed'],
  )
  const failed = events.filter((event): event is EventOf<'session.end'> => event.kind === 'session.end')[1]
  assert.deepEqual(plain(failed?.error), { category: 'network', text: 'connection error: ECONNRESET' })
  assert.deepEqual(shortly(events.at(-2)!), {
    kind: 'phase.end',
    at: 1234567899,
    run,
    name: 'code_review',
    iteration: 1,
    reason: 'end_turn',
    marker: { type: 'exit', label: 'tests green' },
  })
  assert.deepEqual(shortly(events.at(-1)!), { kind: 'run.end', at: 1234567900, run, reason: 'exit', label: 'tests green', iterations: 0 })
})

test('a degenerate stream: the error is fatal, and the ends repeat it', () => {
  const events = decodeAll(fixture('document/degenerate.ndjson'))
  assert.deepEqual(kindsOf(events), [
    'session.start*',
    'status.update',
    'turn.start*',
    'thought.delta',
    'thought.delta',
    'error',
    'status.update',
    'thought.end*',
    'turn.end*',
    'session.end',
  ])
  const ends = events.filter((event) => event.kind === 'turn.end' || event.kind === 'session.end')
  for (const { reason, error } of ends) assert.deepEqual([reason, plain(error)], ['degenerate', degenerateFault])
})

test('claude in a terminal, with and without the channel', () => {
  const place = { session: '1d0b9d83-0000-4000-8000-000000000001', turn: 1 }
  const records = fixture('document/claude-channel.ndjson')
  assert.deepEqual(told(records), [
    {
      kind: 'session.start',
      session: place.session,
      program: 'claude-channel',
      cwd: '/home/dev/work/project',
      ext: { avenor: { dangerously_load: true, broker_url: 'http://127.0.0.1:40123' } },
    },
    { kind: 'report', session: place.session, type: 'ready', name: 'avenor-channel-9a3f0c11' },
    { kind: 'prompt.submit', ...place, by: 'host', state: 'sent', delivery: 'tmux', bytes: 42 },
    { kind: 'status.update', ...place, phase: 'working', source: 'transcript', ext: { avenor: { records: 3 } } },
    { kind: 'report', ...place, type: 'state', state: 'checkpoint', data: { text: 'half way' } },
    { kind: 'text.delta', ...place, text: 'half way' },
    {
      kind: 'permission.request',
      ...place,
      id: '5c1e',
      question: 'Do you want to run this command? npm test',
      source: 'tmux',
      options: [
        { id: '1', kind: 'allow_once', label: 'Yes' },
        { id: '2', kind: 'allow_always', label: "Yes, and don't ask again for npm test" },
        { id: '3', kind: 'reject_once', label: 'No, and tell Claude what to do differently' },
      ],
    },
    { kind: 'status.update', ...place, at: 1234567890, phase: 'waiting', source: 'tmux' },
    { kind: 'permission.answer', ...place, at: 1234567990, id: '5c1e', decision: 'allow', option: '1', by: 'control' },
    {
      kind: 'prompt.submit',
      ...place,
      by: 'host',
      state: 'queued',
      id: 'ctl-1',
      delivery: 'channel',
      bytes: 17,
      ext: { avenor: { message_type: 'continue' } },
    },
    { kind: 'report', ...place, type: 'reply', to: 'orchestrator', data: { answer: 42 } },
    { kind: 'report', ...place, type: 'finish', status: 'done', text: 'Tests pass.', files: ['src/a.ts'] },
    { kind: 'session.end', session: place.session, reason: 'end_turn', text: 'Tests pass.', status: 'done', files: ['src/a.ts'] },
  ])
  // The first dialog went away without a word when the second came.
  const answers = only(fixture('document/claude.ndjson'), 'permission.answer')
  assert.deepEqual(
    answers.map(({ id, decision, synthetic, origin }) => [id, decision, synthetic, origin?.record]),
    [
      ['d1', 'withdrawn', 'implied', 7],
      ['d2', 'withdrawn', 'cut', 8],
    ],
  )
})

// ── forms that other backends send ───────────────────────────────────────────────────────────────────────────────────────

test('a chunk is text in any of its forms', () => {
  const forms: [Rec, string][] = [
    [{ content: { text: 'a' } }, 'a'],
    [{ delta: 'b' }, 'b'],
    [{ content: 'c' }, 'c'],
    [{ content: [{ type: 'text', text: 'd' }, 'e'] }, 'de'],
    [{ payload: 'f' }, 'f'],
    [{ payload: { message: 'g' } }, 'g'],
    [{ content: { type: 'text', text: '' } }, ''],
  ]
  for (const [form, text] of forms) {
    const deltas = only([{ event: 'agent.thought_chunk', session_id: session, ...form }], 'thought.delta')
    assert.equal(deltas.map((event) => event.text).join(''), text)
  }
})

test('a chunk that is no text is content; one that says nothing we know is kept', () => {
  const [image] = only([{ event: 'agent.message_chunk', content: { type: 'image', mimeType: 'image/png', data: 'AA==' } }], 'content.end')
  assert.deepEqual([image?.type, image?.mime, image?.data], ['image', 'image/png', 'AA=='])
  assert.deepEqual(
    only([{ event: 'agent.message_chunk', payload: { percent: 3 } }], 'raw').map(({ type, why }) => [type, why]),
    [['agent.message_chunk', 'unmapped']],
  )
  assert.deepEqual(
    only([{ event: 'agent.message_chunk', session_id: session }], 'issue').map(({ code }) => code),
    ['bad-body'],
  )
})

test('a new message id ends the block before it', () => {
  assert.deepEqual(kindsOf(decodeAll([chunk('a', { messageId: 'm1' }), chunk('b', { messageId: 'm2' }), end()])), [
    'session.start*',
    'turn.start*',
    'text.delta',
    'text.end*',
    'text.delta',
    'text.end*',
    'turn.end*',
    'session.end',
  ])
})

const call = (rest: Rec): Rec => ({ event: 'tool.call', session_id: session, toolCallId: 'c', ...rest })
const update = (rest: Rec): Rec => ({ event: 'tool.call_update', session_id: session, toolCallId: 'c', ...rest })

test('the name of a tool, from a title and a word', () => {
  const names: [Rec, string, string, string | undefined][] = [
    [{ title: 'Read', kind: 'read' }, 'Read', 'read', undefined],
    [{ title: 'ls -la', kind: 'bash' }, 'bash', 'execute', 'ls -la'],
    [{ title: 'make', kind: 'execute' }, 'execute', 'execute', 'make'],
    [{ title: 'list_widgets', kind: 'other' }, 'list_widgets', 'other', undefined],
    [{ title: 'Count lines', kind: 'task' }, 'task', 'task', 'Count lines'],
    [{ kind: 'write' }, 'write', 'edit', undefined],
    [{ title: null, kind: null }, '', 'other', undefined],
  ]
  for (const [fields, name, toolKind, title] of names) {
    const [start] = only([call(fields)], 'tool.start')
    assert.deepEqual([start?.name, start?.toolKind, start?.title], [name, toolKind, title])
  }
})

test('input may be the text of its JSON', () => {
  const inputOf = (rawInput: unknown): unknown => only([call({ rawInput })], 'tool.start')[0]?.input
  assert.deepEqual(inputOf({ a: 1 }), { a: 1 })
  assert.deepEqual(inputOf('{"a":1}'), { a: 1 })
  assert.deepEqual(inputOf('{broken'), '{broken')
  assert.deepEqual(inputOf('plain'), 'plain')
  assert.deepEqual(inputOf(null), undefined)
})

test('a call begins, goes on and ends once', () => {
  const output = [{ type: 'content', content: { type: 'text', text: 'no such file' } }]
  const events = decodeAll([
    call({ kind: 'read', status: 'pending' }),
    call({ title: 'a.ts', status: 'in_progress' }),
    update({ status: 'in_progress' }),
    update({ status: 'failed', content: output }),
    update({ status: 'completed' }),
    end(),
  ])
  assert.deepEqual(kindsOf(events).slice(2), ['tool.start', 'tool.update', 'tool.update', 'tool.end', 'raw', 'turn.end*', 'session.end'])
  const ended = events.find((event) => event.kind === 'tool.end')
  assert.deepEqual(plain([ended?.status, ended?.text, ended?.error]), [
    'error',
    'no such file',
    { category: 'unknown', text: 'no such file' },
  ])
})

test('a call that ends without having begun is begun; one id used again is another call', () => {
  assert.deepEqual(kindsOf(decodeAll([update({ kind: 'bash', status: 'completed' })])).slice(2, 4), ['tool.start*', 'tool.end'])
  assert.deepEqual(kindsOf(decodeAll([update({ kind: 'bash' }), update({ status: 'completed' })])).slice(2, 5), [
    'tool.start*',
    'tool.update',
    'tool.end',
  ])
  const calls = only([call({}), update({ status: 'completed' }), call({}), update({ status: 'completed' })], 'tool.end')
  assert.deepEqual(
    calls.map((event) => event.call),
    ['c', '~c#2'],
  )
})

test('options: kinds in any spelling, bare words, and a label that nobody can place is a no', () => {
  const options = [
    'allow',
    { optionId: 'x', kind: ' Allow_Always ' },
    { optionId: 'y', kind: 'deny' },
    { id: '1', label: 'Sure thing' },
    { optionId: 'z', kind: 'reject', name: 'No', requiresMessage: true },
  ]
  const [request] = only([{ event: 'permission.request', session_id: session, request_id: 17, options }], 'permission.request')
  assert.equal(request?.id, '17')
  assert.deepEqual(request?.options, [
    { id: 'allow', kind: 'allow_once' },
    { id: 'x', kind: 'allow_always' },
    { id: 'y', kind: 'reject_once' },
    { id: '1', kind: 'reject_once', label: 'Sure thing' },
    { id: 'z', kind: 'reject_once', label: 'No', needsText: true },
  ])
})

test('what a request says of its call', () => {
  const request = {
    event: 'permission.request',
    session_id: session,
    request_id: '1',
    toolCall: { toolCallId: 'c', title: 'rm x', kind: 'execute', rawInput: { command: 'rm x' } },
  }
  const [event] = only([call({}), request], 'permission.request')
  assert.deepEqual(
    [event?.call, event?.name, event?.toolKind, event?.input, event?.options],
    ['c', 'execute', 'execute', { command: 'rm x' }, []],
  )
  assert.deepEqual(kindsOf(decodeAll([request, request])).slice(2, 4), ['permission.request', 'raw'], 'told twice by the file handler')
})

test('who answered, and how', () => {
  const answer = (fields: Rec): unknown[] => {
    const [event] = only([{ event: 'permission.response', session_id: session, request_id: '1', ...fields }], 'permission.answer')
    return [event?.decision, event?.by]
  }
  assert.deepEqual(answer({ kind: 'allow', source: 'avenor' }), ['allow', 'policy'])
  assert.deepEqual(answer({ kind: 'reject', source: 'control' }), ['reject', 'control'])
  assert.deepEqual(answer({ kind: ' REJECT ', source: 'file' }), ['reject', 'file'])
  assert.deepEqual(answer({ kind: '', option_id: '', source: 'avenor' }), ['allow', 'policy'], 'auto-approve that found nothing to choose')
  assert.deepEqual(answer({ option_id: 'deny' }), ['reject', 'unknown'])
  assert.deepEqual(answer({ option_id: 'allow' }), ['allow', 'unknown'])
})

test('a second answer says nothing new; one to a question that was not told does', () => {
  const response = { event: 'permission.response', session_id: session, request_id: '1', kind: 'allow' }
  const told = (...records: Rec[]): string[] =>
    decodeAll(records)
      .filter(({ kind }) => kind.startsWith('permission.') || kind === 'raw')
      .map((event) => (event.kind === 'raw' ? event.why : event.kind))
  assert.deepEqual(told(response), ['permission.answer'])
  assert.deepEqual(told(response, response), ['permission.answer', 'redundant'])
  const request = { event: 'permission.request', session_id: session, request_id: '1', options: ['allow'] }
  assert.deepEqual(told(request, response, response), ['permission.request', 'permission.answer', 'redundant'])
  const twice = ['permission.request', 'permission.answer', 'permission.request', 'permission.answer']
  assert.deepEqual(told(request, response, request, response), twice, 'an id may be used again')
})

test('an answer is an allow only if its word or the option that was offered says so', () => {
  const request = {
    event: 'permission.request',
    session_id: session,
    request_id: 1,
    options: [
      { optionId: 'a1', kind: 'allow_once' },
      { optionId: 'r1', kind: 'reject_once' },
      { id: '2', label: 'Yes, and do not ask again' },
    ],
  }
  const decision = (fields: Rec): unknown =>
    only([request, { event: 'permission.response', session_id: session, request_id: '1', ...fields }], 'permission.answer')[0]?.decision
  assert.equal(decision({ option_id: 'a1' }), 'allow')
  assert.equal(decision({ option_id: 'a1', kind: 'xyz' }), 'allow')
  assert.equal(decision({ option_id: '2' }), 'allow')
  assert.equal(decision({ option_id: 'r1' }), 'reject')
  assert.equal(decision({ option_id: 'r1', kind: 'xyz' }), 'reject')
  assert.equal(decision({ option_id: 'stranger' }), 'reject')
  assert.equal(decision({ kind: 'xyz' }), 'reject')
  assert.equal(decision({ option_id: 'a1', kind: 'cancelled' }), 'reject')
  assert.equal(decision({ kind: '', option_id: '', source: 'control' }), 'reject')
  assert.equal(decision({}), 'reject')
})

test('reasons: the known words, and the rest', () => {
  const reasons: Record<string, string> = {
    end_turn: 'end_turn',
    max_tokens: 'max_tokens',
    tool_use: 'tool_use',
    timeout: 'timeout',
    cancelled_forced: 'cancelled_forced',
    refusal: 'refusal',
    error: 'error',
    blocked: 'blocked',
    degenerate_reasoning_stream: 'degenerate',
    max_turn_requests: 'max_turns',
    progress_timeout: 'stall',
    failed: 'error',
    '': 'unknown',
    'no idea': 'unknown',
  }
  for (const [word, reason] of Object.entries(reasons)) assert.equal(only([end(word)], 'session.end')[0]?.reason, reason, word)
  assert.equal(only([{ event: 'avenor.loop.end', exit_reason: 'marker' }], 'run.end')[0]?.reason, 'exit')
})

test('tokens: cached ones are part of the input unless the total counts them apart', () => {
  const usageOf = (usage: Rec): unknown => only([end('end_turn', { usage })], 'session.end')[0]?.usage
  assert.deepEqual(usageOf({ input_tokens: 10, output_tokens: 5, cached_read_tokens: 4 }), { input: 6, output: 5, cacheRead: 4 })
  assert.deepEqual(usageOf({ input_tokens: 10, output_tokens: 5, cached_read_tokens: 4, total_tokens: 19 }), {
    input: 10,
    output: 5,
    cacheRead: 4,
  })
  assert.deepEqual(usageOf({ input_tokens: 1, cached_read_tokens: 4 }), { input: 0, cacheRead: 4 })
  assert.deepEqual(usageOf({}), {})
  assert.equal(only([end('end_turn', { usage: null })], 'session.end')[0]?.usage, undefined)
})

test('what comes after the end does not begin the session again, unless it must', () => {
  const late: Rec[] = [
    { event: 'agent.status', session_id: session, phase: 'done', source: 'avenor' },
    end(),
    { event: 'avenor.error', session_id: session, message: 'late' },
    { event: 'agent.finish', session_id: session, status: 'done' },
    { event: 'permission.response', session_id: session, request_id: '1', kind: 'allow' },
  ]
  for (const record of late)
    assert.deepEqual(kindsOf(decodeAll([chunk('a'), end(), record])).slice(-2), ['session.end', 'raw'], String(record['event']))
  const again = only(
    [chunk('a'), end(), { event: 'agent.status', session_id: session, phase: 'thinking', source: 'avenor' }],
    'session.start',
  )
  assert.deepEqual(
    again.map(({ how }) => how),
    [undefined, 'resumed'],
  )
  const starts = only(
    [
      { event: 'session.start', session_id: session, backend: 'claude' },
      end(),
      { event: 'session.start', session_id: session, backend: 'claude' },
    ],
    'session.start',
  )
  assert.deepEqual(
    starts.map(({ how, program, synthetic }) => [how, program, synthetic]),
    [
      [undefined, 'claude', undefined],
      ['resumed', 'claude', undefined],
    ],
  )
})

test('an error explains a bad end of its own session, never a good one or a later one', () => {
  const error = { event: 'avenor.error', session_id: session, source: 'cancel', message: 'slow' }
  const faults = (records: Rec[]): unknown[] => only(records, 'session.end').map((event) => event.error?.text)
  assert.deepEqual(faults([error, end('cancelled')]), ['slow'])
  assert.deepEqual(faults([error, end()]), [undefined])
  assert.deepEqual(faults([error, end('error'), chunk('again'), end('error')]), ['slow', undefined])
})

test('sessions may interleave; each has its own turns and its own end', () => {
  const of = (id: string, record: Rec): Rec => ({ ...record, session_id: id })
  const events = decodeAll([of('a', chunk('1')), of('b', chunk('2')), of('a', chunk('3')), of('b', end('cancelled')), of('a', chunk('4'))])
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'text.delta').map((event) => event.session),
    ['a', 'b', 'a', 'a'],
  )
  const ends = events.filter((event): event is EventOf<'session.end'> => event.kind === 'session.end')
  assert.deepEqual(
    ends.map(({ session: id, reason, synthetic }) => [id, reason, synthetic]),
    [
      ['b', 'cancelled', undefined],
      ['a', 'cut', 'cut'],
    ],
  )
})

test('a gap, a compaction, a state that is no phase', () => {
  assert.deepEqual(
    only([{ event: 'subscriber.lagged', dropped_count: 3 }], 'issue').map(({ code, severity }) => [code, severity]),
    [['gap', 'warn']],
  )
  assert.deepEqual(
    only([{ event: 'avenor.compaction', session_id: session, kind: 'threshold', llm_summary: 'short' }], 'context.trim').map(
      ({ why, text }) => [why, text],
    ),
    [['compact', 'short']],
  )
  assert.deepEqual(
    only([{ event: 'agent.status', session_id: session, phase: 'error' }], 'raw').map(({ why }) => why),
    ['unmapped'],
  )
  assert.deepEqual(
    only([{ event: 'agent.status', session_id: session, phase: 'started' }], 'status.update').map(({ phase }) => phase),
    ['starting'],
  )
})

test('unknown keys travel along', () => {
  const [event] = only([chunk('a', { seq: 7, runtime_id: 'rt', run_label: 'x', colour: 'red' })], 'text.delta')
  assert.deepEqual(event?.ext, { avenor: { colour: 'red' } })
})

test('the claim: any string in `event` is Avenor', () => {
  assert.equal(avenor.claim({ event: 'tool.call' }), 1)
  assert.equal(avenor.claim({ event: 'deploy.checked' }), 1)
  assert.equal(avenor.claim({ v: 1, seq: 3, kind: 'hook.start', event: 'Stop' }), 0.8, "sluice's own event")
  assert.equal(avenor.claim({ event: 5 }), 0)
  assert.equal(avenor.claim({ kind: 'done' }), 0)
  for (const tag of Object.keys(avenor.shapes.checks)) assert.equal(avenor.claim({ event: tag }), 1, tag)
})

test('a retry of a run names no session, and makes none up', () => {
  assert.deepEqual(kindsOf(decodeAll(fixture('document/08-retry.json'))), ['retry.start'])
})

test('a session whose end nobody told was cut, also before its first turn', () => {
  assert.deepEqual(
    only(fixture('document/09-error-permission.json'), 'session.end').map(({ reason, synthetic }) => [reason, synthetic]),
    [['cut', 'cut']],
  )
})

test('the end of a call whose beginning is missing ends the text before it, as its beginning would have', () => {
  const update = { event: 'tool.call_update', session_id: session, toolCallId: 'c', kind: 'read', status: 'completed' }
  const kinds = kindsOf(decodeAll([chunk('Hm.'), update, end()]))
  assert.deepEqual(kinds.slice(2, 6), ['text.delta', 'text.end*', 'tool.start*', 'tool.end'])
})

test('what the user says ends the text before it: what comes after is another answer', () => {
  const user: Rec = { ...chunk('second'), event: 'user.message_chunk' }
  assert.deepEqual(kindsOf(decodeAll([chunk('one'), user, user, chunk('two'), end()])).slice(2), [
    'text.delta',
    'text.end*',
    'prompt.submit',
    'prompt.submit',
    'text.delta',
    'text.end*',
    'turn.end*',
    'session.end',
  ])
})
