import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Fault } from '../../model/event.ts'
import { codesOf, encodeAll, findingsOf, tellAll, type Told } from './support.test.ts'

/** The records without the fields that all of them have; what is written must be legal. */
function written(told: readonly Told[]): Rec[] {
  const { records } = encodeAll(tellAll(told))
  assert.deepEqual(findingsOf(records), [])
  return records.map(({ session_id: _id, ...rest }) => rest)
}
const inside = (told: readonly Told[]): Rec[] => written(told).slice(1, -1)
const names = (told: readonly Told[]): unknown[] => written(told).map(({ event }) => event)
const words = (...parts: unknown[]): string => parts.filter((part) => typeof part === 'string' && part !== '').join(' ')
const text = (value: string): Rec => ({ event: 'agent.message_chunk', content: { type: 'text', text: value } })
const ask: Told = [
  'permission.request',
  {
    id: '1',
    name: 'bash',
    question: 'Run?',
    options: [
      { id: 'y', kind: 'allow_always', label: 'Yes' },
      { id: 'n', kind: 'reject_once' },
    ],
  },
]
const start: Told = ['session.start', { program: 'claude-code', cwd: '/w' }]
const done: Told = ['session.end', { reason: 'end_turn' }]

// ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a session starts and ends, told or not', () => {
  assert.deepEqual(encodeAll(tellAll([start, done])), {
    records: [
      { event: 'session.start', session_id: 's', backend: 'claude', dir: '/w' },
      { event: 'session.end', session_id: 's', stop_reason: 'end_turn' },
    ],
    added: [],
    lost: [],
  })
  const { records, added } = encodeAll(tellAll([['text.delta', { text: 'a' }]]))
  assert.deepEqual(records, [
    { event: 'session.start', session_id: 's', backend: 'other', synthetic: 'implied' },
    { session_id: 's', ...text('a') },
    { event: 'session.end', session_id: 's', stop_reason: 'error', synthetic: 'cut' },
  ])
  assert.deepEqual(added, ['session.start.backend'])
})

test('a session without a name gets one; begun again, it keeps it', () => {
  const nameless = { session: undefined }
  const { records, added } = encodeAll(
    tellAll([
      ['session.start', {}, nameless],
      ['session.end', { reason: 'end_turn' }, nameless],
      ['text.delta', { text: 'a' }, nameless],
      ['session.end', { reason: 'end_turn' }, nameless],
    ]),
  )
  assert.deepEqual(new Set(records.map(({ session_id: id }) => id)), new Set(['session-1']))
  assert.ok(added.includes('session_id'))
  assert.deepEqual(findingsOf(records), [])
})

test('an encoder whose source stops in the middle still ends what is open', () => {
  const events = tellAll([
    start,
    ['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: 'c' }],
    ['run.start', {}, { run: 'r', session: undefined }],
  ])
  const { records } = encodeAll(events.filter(({ origin }) => origin !== undefined))
  assert.deepEqual(
    records.slice(-3).map(({ event, synthetic }) => [event, synthetic]),
    [
      ['tool.call_update', 'cut'],
      ['session.end', 'cut'],
      ['avenor.loop.end', 'cut'],
    ],
  )
  assert.deepEqual(findingsOf(records), [])
})

test('times and runs stand on every record that knows them', () => {
  const { records } = encodeAll(
    tellAll([
      ['run.start', { label: 'nightly' }, { run: 'r', at: 1, session: undefined }],
      ['text.delta', { text: 'a' }, { run: 'r', at: 2 }],
      ['session.end', { reason: 'end_turn' }, { at: 3 }],
      ['run.end', { reason: 'end_turn' }, { run: 'r', at: 4, session: undefined }],
    ]),
  )
  assert.deepEqual(
    records.map(({ event, run_id: run, run_label: label, ts }) => [event, run, label, ts]),
    [
      ['avenor.loop.start', 'r', 'nightly', 1],
      ['session.start', 'r', 'nightly', 2],
      ['agent.message_chunk', 'r', 'nightly', 2],
      ['session.end', 'r', 'nightly', 3],
      ['avenor.loop.end', 'r', 'nightly', 4],
    ],
  )
})

test('tokens of all turns are summed up; a turn in the middle is not told', () => {
  const { records, lost } = encodeAll(
    tellAll([
      ['turn.end', { reason: 'end_turn', usage: { input: 10, output: 5, cacheRead: 3 } }],
      ['message.end', { usage: { input: 99 } }],
      ['turn.end', { reason: 'end_turn', usage: { input: 1, output: 2, reasoning: 4, cacheWrite: 6 } }],
      done,
    ]),
  )
  assert.deepEqual(records.at(-1)?.['usage'], { input_tokens: 20, output_tokens: 11, total_tokens: 31, cached_read_tokens: 3 })
  assert.deepEqual(lost, ['turn.end.reason drop'])
  const [, last] = written([
    ['message.start', {}],
    ['message.end', { usage: { input: 7, output: 1 } }],
    ['turn.end', { reason: 'end_turn' }],
    done,
  ])
  assert.deepEqual(last?.['usage'], { input_tokens: 7, output_tokens: 1, total_tokens: 8 }, 'messages count when the turn tells nothing')
  const broken = { reason: 'cancelled', usage: { input: 0, output: 0 } } as const
  const used = written([['message.end', { usage: { input: 7, output: 1 } }], ['turn.end', broken], done]).at(-1)?.['usage']
  assert.deepEqual(used, { input_tokens: 7, output_tokens: 1, total_tokens: 8 }, 'and when it was broken off and counts nothing')
  assert.equal(written([['turn.end', { reason: 'end_turn' }], done]).at(-1)?.['usage'], undefined)
})

test('stop reasons', () => {
  const reasons = {
    stall: 'progress_timeout',
    max_turns: 'max_turn_requests',
    degenerate: 'degenerate_reasoning_stream',
    budget: 'error',
    cut: 'error',
    abort: 'blocked',
    refusal: 'refusal',
  } as const
  for (const [reason, word] of Object.entries(reasons))
    assert.equal(written([['session.end', { reason: reason as keyof typeof reasons }]]).at(-1)?.['stop_reason'], word)
})

// ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test('text is told once: as its deltas, or as one chunk', () => {
  assert.deepEqual(
    inside([
      ['text.delta', { text: 'a' }],
      ['text.end', { text: 'a', streamed: true }],
      ['text.end', { text: 'whole', streamed: false }],
      done,
    ]),
    [text('a'), text('whole')],
  )
  assert.deepEqual(
    inside([['thought.end', { text: 't', streamed: false, signature: 'x' }], ['thought.end', { streamed: false, redacted: true }], done]),
    [{ event: 'agent.thought_chunk', content: { type: 'text', text: 't' } }],
  )
  assert.deepEqual(inside([['text.delta', { text: 'a' }, { message: '~m1' }], done]), [{ ...text('a'), messageId: 'm1' }])
})

test('a lane: its tools are told, its text is not', () => {
  const lane = { agent: 'task-1' }
  const told: Told[] = [
    start,
    ['text.delta', { text: 'secret' }, lane],
    ['tool.start', { name: 'Read', toolKind: 'read', input: {} }, { ...lane, call: 'c' }],
    ['tool.end', { status: 'ok' }, { ...lane, call: 'c' }],
    done,
  ]
  assert.deepEqual(names(told), ['session.start', 'tool.call', 'tool.call_update', 'session.end'])
  assert.ok(encodeAll(tellAll(told)).lost.includes('text.delta drop'))
})

test('prompts: the text if it is known, else how long it was', () => {
  assert.deepEqual(inside([['prompt.submit', { text: 'hi', by: 'user', state: 'sent' }], done]), [
    { event: 'user.message_chunk', content: { type: 'text', text: 'hi' } },
  ])
  assert.deepEqual(inside([['prompt.submit', { by: 'host', state: 'sent', delivery: 'pty', bytes: 3 }], done]), [
    { event: 'agent.prompt_submitted', delivery: 'pty', prompt_length: 3 },
  ])
  assert.deepEqual(inside([['prompt.submit', { text: 'ü', by: 'user', state: 'queued', id: 'q', delivery: 'channel' }], done]), [
    { event: 'agent.prompt_queued', control_id: 'q', message_type: 'continue', delivery: 'channel', prompt_length: 2 },
  ])
  assert.deepEqual(inside([start, ['prompt.submit', { text: 'hook', by: 'hook', state: 'sent' }], done]), [])
})

test('a plan', () => {
  assert.deepEqual(
    inside([
      [
        'plan.update',
        {
          entries: [
            { text: 'a', status: 'done' },
            { text: 'b', status: 'active', priority: 'high' },
          ],
          title: 'T',
        },
      ],
      done,
    ]),
    [
      {
        event: 'session.plan',
        entries: [
          { content: 'a', status: 'completed' },
          { content: 'b', priority: 'high', status: 'in_progress' },
        ],
        title: 'T',
      },
    ],
  )
})

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('the word for a tool', () => {
  const kind = (name: string, toolKind: 'execute' | 'edit' | 'delete' | 'plan' | 'other'): unknown =>
    inside([['tool.start', { name, toolKind, input: {} }, { call: 'c' }], ['tool.end', { status: 'ok' }, { call: 'c' }], done])[0]?.['kind']
  assert.deepEqual(
    [
      kind('Bash', 'execute'),
      kind('Write', 'edit'),
      kind('write_file', 'edit'),
      kind('NotebookEdit', 'edit'),
      kind('rm', 'delete'),
      kind('TodoWrite', 'plan'),
      kind('mcp__x__y', 'other'),
    ],
    ['bash', 'write', 'write', 'edit', 'edit', 'other', 'other'],
  )
})

test('a call: title, input, and what really became of it', () => {
  const place = { call: '~c#2' }
  const tool = (end: Told[1]): Rec[] =>
    inside([
      ['tool.start', { name: 'Bash', toolKind: 'execute', title: 'List files', input: { command: 'ls' } }, place],
      ['tool.end', end, place] as Told,
      done,
    ])
  assert.deepEqual(tool({ status: 'ok', text: 'out', exitCode: 0 }), [
    { event: 'tool.call', toolCallId: 'c#2', title: 'List files', kind: 'bash', status: 'pending', rawInput: { command: 'ls' } },
    { event: 'tool.call_update', toolCallId: 'c#2', kind: 'bash', status: 'completed' },
  ])
  assert.equal(tool({ status: 'ok', exitCode: 1 })[1]?.['status'], 'failed')
  assert.equal(tool({ status: 'denied' })[1]?.['status'], 'failed')
})

test('a call that tells its input later is told with it, and never out of its place', () => {
  const place = { call: 'c' }
  const begun: Told = ['tool.start', { name: 'Bash', toolKind: 'execute' }, place]
  const full: Told = ['tool.update', { state: 'pending', input: { command: 'ls' }, title: 'List' }, place]
  const ended: Told = ['tool.end', { status: 'ok' }, place]
  const [call] = inside([begun, ['tool.delta', { of: 'input', text: '{' }, place], full, ended, done])
  assert.deepEqual([call?.['rawInput'], call?.['title']], [{ command: 'ls' }, 'List'])
  assert.deepEqual(names([begun, ['text.delta', { text: 'a' }], full, ended, done]), [
    'session.start',
    'tool.call',
    'agent.message_chunk',
    'tool.call_update',
    'session.end',
  ])
  assert.deepEqual(
    names([
      begun,
      ['tool.start', { name: 'Read', toolKind: 'read' }, { call: 'd' }],
      ['tool.end', { status: 'ok' }, { call: 'd' }],
      ended,
      done,
    ]),
    ['session.start', 'tool.call', 'tool.call', 'tool.call_update', 'tool.call_update', 'session.end'],
  )
})

test('a call that is open at the end has failed', () => {
  const { records } = encodeAll(tellAll([['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: 'c' }]]))
  assert.deepEqual(records.at(-2), {
    event: 'tool.call_update',
    session_id: 's',
    toolCallId: 'c',
    kind: 'bash',
    status: 'failed',
    synthetic: 'cut',
  })
})

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const answer = (id: string | undefined, rest: Partial<Extract<Told, readonly ['permission.answer', ...unknown[]]>[1]> = {}): Told => [
  'permission.answer',
  { id, decision: 'allow', by: 'user', ...rest },
]

test('a question and its answer', () => {
  assert.deepEqual(inside([ask, answer('1', { option: 'y' }), done]), [
    {
      event: 'permission.request',
      request_id: '1',
      tool: 'bash',
      question: 'Run?',
      options: [
        { optionId: 'y', kind: 'allow', name: 'Yes' },
        { optionId: 'n', kind: 'reject' },
      ],
    },
    { event: 'permission.response', request_id: '1', option_id: 'y', kind: 'allow', source: 'control' },
  ])
  assert.equal(inside([ask, answer('1', { option: 'zzz', decision: 'reject' }), done])[1]?.['option_id'], 'n', 'an option that was offered')
  const unsaid: Told = ['permission.answer', { id: '1', decision: 'allow', by: 'unknown' }, { synthetic: 'implied' }]
  assert.equal(inside([ask, unsaid, done])[1]?.['synthetic'], 'implied', 'an answer that no record of the source tells')
  assert.deepEqual(
    (['policy', 'rule', 'timeout', 'file', 'terminal'] as const).map((by) => inside([ask, answer('1', { by }), done])[1]?.['source']),
    ['avenor', 'avenor', 'avenor', 'file', 'control'],
  )
})

test('options that nobody told are yes and no', () => {
  const told: Told[] = [['permission.request', { id: '1', options: [] }], answer('1', { decision: 'expired', by: 'timeout' }), done]
  assert.deepEqual(
    inside(told).map(({ options, option_id: option, kind }) => options ?? [option, kind]),
    [
      [
        { optionId: 'allow', kind: 'allow' },
        { optionId: 'reject', kind: 'reject' },
      ],
      ['reject', 'reject'],
    ],
  )
  assert.ok(encodeAll(tellAll(told)).added.includes('permission.request.options'))
})

test('questions are told one after another, however they came', () => {
  const second: Told = ['permission.request', { id: '2', options: [] }]
  const ids = (told: Told[]): unknown[] => inside(told).map(({ event, request_id: id }) => `${String(event).slice(11)} ${String(id)}`)
  assert.deepEqual(ids([ask, second, answer('1'), answer('2'), done]), ['request 1', 'response 1', 'request 2', 'response 2'])
  assert.deepEqual(ids([ask, second, answer('2'), answer('1'), done]), ['request 1', 'response 1', 'request 2', 'response 2'])
  assert.deepEqual(ids([ask, answer('1', { decision: 'withdrawn' }), done]), ['request 1', 'response 1'])
  assert.deepEqual(ids([ask, answer('1', { decision: 'withdrawn' }), second, answer('2'), done]), [
    'request 1',
    'response 1',
    'request 2',
    'response 2',
  ])
})

test('a decision without a question gets the question that Avenor would have told', () => {
  const { records } = encodeAll(tellAll([start, answer(undefined, { decision: 'reject', by: 'rule', name: 'Bash' }), done]))
  assert.deepEqual(records.slice(1, 3), [
    {
      event: 'permission.request',
      session_id: 's',
      request_id: 'request-1',
      tool: 'Bash',
      options: [
        { optionId: 'allow', kind: 'allow' },
        { optionId: 'reject', kind: 'reject' },
      ],
      synthetic: 'required',
    },
    { event: 'permission.response', session_id: 's', request_id: 'request-1', option_id: 'reject', kind: 'reject', source: 'avenor' },
  ])
})

// ── states and trouble ───────────────────────────────────────────────────────────────────────────────────────────────────

test('a status is told when it may stand: the policy’s right before its event, the agent’s own at once', () => {
  const status = (phase: 'thinking' | 'working' | 'waiting' | 'done' | 'idle' | 'starting', source?: string): Told => [
    'status.update',
    { phase, source },
  ]
  const phases = (told: Told[]): unknown[] => inside(told).map(({ event, phase }) => phase ?? event)
  const thought: Told = ['thought.delta', { text: 't' }]
  assert.deepEqual(phases([status('thinking', 'supervisor'), thought, done]), ['thinking', 'agent.thought_chunk'])
  assert.deepEqual(
    phases([status('thinking', 'supervisor'), ['text.delta', { text: 'a' }], done]),
    ['agent.message_chunk'],
    'its event never came',
  )
  assert.deepEqual(phases([status('thinking'), ['text.delta', { text: 'a' }], done]), ['thinking', 'agent.message_chunk'])
  assert.deepEqual(phases([status('starting'), status('idle'), thought, done]), ['agent.thought_chunk'])
  assert.deepEqual(phases([status('waiting'), thought, done]), ['agent.thought_chunk'], 'nobody asked')
  assert.deepEqual(phases([status('waiting', 'supervisor'), ask, status('waiting'), answer('1'), status('working', 'supervisor'), done]), [
    'waiting',
    'permission.request',
    'permission.response',
    'working',
  ])
  assert.deepEqual(phases([thought, status('done', 'supervisor'), done]), ['agent.thought_chunk', 'done'])
  const call: Told[] = [
    ['tool.start', { name: 'Bash', toolKind: 'execute' }, { call: 'c' }],
    ['tool.end', { status: 'ok' }, { call: 'c' }],
  ]
  assert.deepEqual(phases([status('working', 'supervisor'), ...call, done]), ['working', 'tool.call', 'tool.call_update'])
})

test('waiting stands right before the question that it is about, also when several are open', () => {
  const waiting = (label: string): Told => ['status.update', { phase: 'waiting', label, source: 'avenor' }]
  const asks = (id: string): Told => ['permission.request', { id, name: 'Bash', options: [] }]
  const names = (told: Told[]): unknown[] =>
    inside(told).map(({ event, phase, label, request_id }) => [phase ?? event, label ?? request_id])
  const both: Told[] = [waiting('first'), asks('1'), waiting('second'), asks('2')]
  const expected = [
    ['waiting', 'first'],
    ['permission.request', '1'],
    ['permission.response', '1'],
    ['waiting', 'second'],
    ['permission.request', '2'],
    ['permission.response', '2'],
  ]
  assert.deepEqual(names([...both, answer('1'), answer('2'), done]), expected)
  assert.deepEqual(names([...both, answer('2'), waiting('first'), answer('1'), done]), expected, 'the second is answered first')
})

test('a status of the policy that comes too early for Avenor is told in its place', () => {
  const status = (phase: 'thinking' | 'working' | 'waiting', label?: string): Told => ['status.update', { phase, label, source: 'avenor' }]
  const phases = (told: Told[]): unknown[] => inside(told).map(({ event, phase }) => phase ?? event)
  const call = (id: string): Told[] => [
    ['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: id }],
    ['tool.end', { status: 'ok' }, { call: id }],
  ]
  const [starts, ends] = call('c') as [Told, Told]
  const said: Told = ['text.delta', { text: 'a' }]
  const thought: Told = ['thought.delta', { text: 't' }]
  assert.deepEqual(
    phases([starts, status('waiting'), ask, status('working', 'ls'), answer('1'), ends, done]),
    ['tool.call', 'waiting', 'permission.request', 'permission.response', 'working', 'tool.call_update'],
    'that work goes on stands after the answer',
  )
  assert.deepEqual(
    phases([status('thinking'), said, thought, thought, done]),
    ['agent.message_chunk', 'thinking', 'agent.thought_chunk', 'agent.thought_chunk'],
    'the first thought may come after some words',
  )
  assert.deepEqual(phases([status('thinking'), said, status('working'), ...call('c'), thought, done]), [
    'agent.message_chunk',
    'working',
    'tool.call',
    'tool.call_update',
    'agent.thought_chunk',
  ])
  assert.deepEqual(
    phases([status('working', 'ls'), ...call('c'), status('thinking'), said, status('working', 'ls'), ...call('d'), done]),
    ['working', 'tool.call', 'tool.call_update', 'agent.message_chunk', 'tool.call', 'tool.call_update'],
    'the same work is told once',
  )
  const choice: Told = ['question.request', { id: 'q', questions: [{ text: 'Which?', options: [] }] }]
  const chosen: Told = ['question.answer', { id: 'q', decision: 'allow', by: 'user' }]
  assert.deepEqual(
    phases([starts, status('waiting', 'Which?'), choice, status('working'), chosen, ends, done]),
    ['tool.call', 'waiting', 'working', 'tool.call_update'],
    'a choice has no record, but the agent waits',
  )
})

const fault: Fault = { category: 'network', text: 'boo' }

test('a failure is told once, from its own event or from the end', () => {
  const errors = (told: Told[]): Rec[] => inside(told).filter(({ event }) => event === 'avenor.error')
  const failed: Told = ['session.end', { reason: 'error', error: fault }]
  const event: Told = ['error', { scope: 'turn', fatal: true, error: fault, source: 'permission' }]
  assert.deepEqual(errors([event, ['turn.end', { reason: 'error', error: fault }], failed]), [
    { event: 'avenor.error', source: 'permission', message: 'boo' },
  ])
  const again: Told = ['error', { scope: 'turn', fatal: true, error: { ...fault, category: 'cancelled' } }]
  assert.equal(
    errors([event, again, ['turn.end', { reason: 'error', error: fault }], failed]).length,
    1,
    'by a policy, then by the agent that it stopped',
  )
  assert.deepEqual(errors([start, failed]), [{ event: 'avenor.error', source: 'backend', message: 'boo', synthetic: 'required' }])
  assert.deepEqual(
    errors([
      ['turn.end', { reason: 'error', error: fault }],
      ['turn.start', { trigger: 'prompt' }],
      ['turn.end', { reason: 'error', error: fault }],
      failed,
    ]).length,
    2,
    'two turns that failed alike',
  )
  assert.deepEqual(errors([['error', { scope: 'turn', fatal: false, error: fault }], done]), [
    { event: 'avenor.error', source: 'backend', message: 'boo' },
  ])
})

const diagnostics = {
  abort_signal: 'hex_run',
  observed_total: 300,
  hex_total: 256,
  hex_in_window: 256,
  window_size: 2048,
  consecutive_hex: 256,
  progress_in_window: 0,
}

test('a degenerate stream: its error waits for the end', () => {
  const told: Told[] = [
    ['thought.delta', { text: 'f' }],
    [
      'error',
      {
        scope: 'turn',
        fatal: true,
        error: { category: 'provider', text: 'hex', code: 'degenerate_reasoning_stream' },
        source: 'loop',
        model: 'm',
        data: diagnostics,
      },
    ],
    ['tool.end', { status: 'cancelled', name: 'Bash' }, { call: 'c' }],
    ['status.update', { phase: 'done', source: 'supervisor' }],
    ['session.end', { reason: 'degenerate', error: { category: 'provider', text: 'hex' } }],
  ]
  const records = written(told)
  assert.deepEqual(records.slice(-3), [
    {
      event: 'avenor.error',
      source: 'loop',
      kind: 'degenerate_reasoning_stream',
      stop_reason: 'degenerate_reasoning_stream',
      model: 'm',
      message: 'hex',
      diagnostics,
    },
    { event: 'agent.status', phase: 'done', source: 'avenor' },
    { event: 'session.end', stop_reason: 'degenerate_reasoning_stream' },
  ])
})

test('a degenerate stream that only the ends tell of, with a call still open', () => {
  const records = written([
    ['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: 'c' }],
    ['turn.end', { reason: 'degenerate', error: { category: 'provider', text: 'hex' } }],
    ['session.end', { reason: 'degenerate', error: { category: 'provider', text: 'hex' } }],
  ])
  assert.deepEqual(
    records.slice(-3).map(({ event, kind }) => [event, kind]),
    [
      ['tool.call_update', 'bash'],
      ['avenor.error', 'degenerate_reasoning_stream'],
      ['session.end', undefined],
    ],
  )
})

test('a degenerate end has its error, also where none was told or another record told it', () => {
  const hex = { category: 'provider', text: 'hex' } as const
  const trouble: Told = ['error', { scope: 'session', fatal: false, error: hex }]
  const errorsIn = (...told: Told[]) =>
    written(told).flatMap((record) => (record.event === 'avenor.error' ? [[record.kind, record.message]] : []))
  const kind = 'degenerate_reasoning_stream'
  assert.deepEqual(errorsIn(['session.end', { reason: 'degenerate' }]), [[kind, 'degenerate stream']])
  assert.deepEqual(errorsIn(['turn.end', { reason: 'degenerate', error: hex }], ['session.end', { reason: 'degenerate' }]), [[kind, 'hex']])
  assert.deepEqual(errorsIn(trouble, ['session.end', { reason: 'degenerate', error: hex }]), [
    [undefined, 'hex'],
    [kind, 'hex'],
  ])
})

test('retries of a run are told, counted from 1; others are not', () => {
  const retry = (attempt: number, scope: 'run' | 'model' = 'run'): Told => ['retry.start', { scope, attempt, max: 3 }]
  assert.deepEqual(inside([retry(2), retry(3), retry(1, 'model'), done]), [
    { event: 'avenor.retry', attempt: 1, max_retries: 3 },
    { event: 'avenor.retry', attempt: 2, max_retries: 3 },
  ])
})

test('retries count on within a phase, also beside another run, and begin anew outside of one', () => {
  const of = (run: string, ...[kind, fields]: Told): Told => [kind, fields, { run }] as Told
  const retry = (run: string): Told => of(run, 'retry.start', { scope: 'run', attempt: 1 })
  const phase = (run: string): Told => of(run, 'phase.start', { name: 'a', iteration: 1, stage: 'loop' })
  const { records } = encodeAll(tellAll([retry('a'), retry('a'), phase('a'), retry('a'), phase('b'), retry('b'), retry('a')]))
  const attempts = records.flatMap(({ event, run_id, attempt }) => (event === 'avenor.retry' ? [[run_id, attempt].join(' ')] : []))
  assert.deepEqual(attempts, ['a 1', 'a 1', 'a 1', 'b 1', 'a 2'])
})

test('reports', () => {
  assert.deepEqual(
    inside([
      ['report', { type: 'ready', name: 'srv' }],
      ['report', { type: 'state', state: 'working', data: { a: 1 } }],
      ['report', { type: 'reply', to: 'x' }],
      ['report', { type: 'finish', status: 'done', text: 'ok', files: ['a'] }],
      done,
    ]),
    [
      { event: 'agent.channel_ready', server_name: 'srv', source: 'channel' },
      { event: 'agent.report', state: 'working', payload: { a: 1 }, source: 'channel' },
      { event: 'agent.reply', to: 'x', payload: null, source: 'channel' },
      { event: 'agent.finish', status: 'done', summary: 'ok', files_changed: ['a'], source: 'channel' },
    ],
  )
})

// ── loops ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const above = { run: 'r', session: undefined }

test('a loop is whole, also when its source told only parts', () => {
  const loop = (told: Told[]): unknown[] => {
    const { records } = encodeAll(tellAll(told))
    assert.deepEqual(codesOf(records), [])
    return records.map(({ event, phase, synthetic }) => words(String(event).slice(7), phase, synthetic))
  }
  const phase = (kind: 'phase.start' | 'phase.end', name: string): Told =>
    kind === 'phase.start'
      ? [kind, { name, iteration: 1, stage: 'loop' }, above]
      : [kind, { name, iteration: 1, reason: 'end_turn' }, above]
  assert.deepEqual(loop([phase('phase.end', 'a'), ['run.end', { reason: 'exit' }, above]]), [
    'loop.start required',
    'phase.start a required',
    'phase.end a',
    'loop.end',
  ])
  assert.deepEqual(
    loop([
      ['run.start', {}, above],
      phase('phase.start', 'a'),
      phase('phase.start', 'b'),
      phase('phase.end', 'b'),
      ['run.end', { reason: 'exit' }, above],
    ]),
    ['loop.start', 'phase.start a', 'phase.end a required', 'phase.start b', 'phase.end b', 'loop.end'],
  )
})

test('markers, reasons and numbers of a loop', () => {
  const { records, lost } = encodeAll(
    tellAll([
      ['run.start', { maxIterations: 5, prePhases: 1, loopPhases: 2 }, above],
      ['phase.start', { name: 'p', iteration: 0, stage: 'pre' }, above],
      ['phase.end', { name: 'p', iteration: 0, reason: 'stall', marker: { type: 'abort', label: 'red' } }, above],
      ['phase.start', { name: 'q', iteration: 1, stage: 'loop' }, above],
      ['phase.end', { name: 'q', iteration: 1, reason: 'end_turn', marker: { type: 'continue' } }, above],
      ['run.end', { reason: 'abort', label: 'red', iterations: 0 }, above],
    ]),
  )
  const fields = records.map(({ event: _event, run_id: _run, ...rest }) => rest)
  assert.deepEqual(fields, [
    { max_iterations: 5, pre_phase_count: 1, loop_phase_count: 2 },
    { phase: 'p', iteration: 0, kind: 'pre' },
    { phase: 'p', iteration: 0, stop_reason: 'progress_timeout', abort_marker: true, abort_marker_label: 'red' },
    { phase: 'q', iteration: 1, kind: 'loop' },
    { phase: 'q', iteration: 1, stop_reason: 'end_turn' },
    { exit_reason: 'abort', exit_label: 'red', iterations_completed: 0 },
  ])
  assert.deepEqual(lost, ['phase.end.marker drop'])
})

test('the end of a loop waits for its sessions, and nothing names the run afterwards', () => {
  const { records } = encodeAll(
    tellAll([
      ['run.start', {}, above],
      ['text.delta', { text: 'a' }, { run: 'r' }],
      ['run.end', { reason: 'end_turn' }, above],
      ['session.end', { reason: 'end_turn' }, { run: 'r' }],
      ['text.delta', { text: 'late' }, { run: 'r', session: 't' }],
    ]),
  )
  assert.deepEqual(
    records.map(({ event, run_id: run }) => [event, run]),
    [
      ['avenor.loop.start', 'r'],
      ['session.start', 'r'],
      ['agent.message_chunk', 'r'],
      ['session.end', 'r'],
      ['avenor.loop.end', 'r'],
      ['session.start', undefined],
      ['agent.message_chunk', undefined],
      ['session.end', undefined],
    ],
  )
  assert.deepEqual(codesOf(records), [])
})

test('a prompt that is sent and then seen is told once', () => {
  const prompt = (state: string): Told => ['prompt.submit', { text: 'hi', by: 'user', state, id: 'p' }] as Told
  assert.deepEqual(names([start, prompt('sent'), prompt('seen'), done]), ['session.start', 'user.message_chunk', 'session.end'])
})

test('a whole that says more than its pieces is told as lost, for the pieces stand there already', () => {
  const lostOf = (told: readonly Told[]): string[] => encodeAll(tellAll(told)).lost.filter((loss) => loss.includes('.end.text'))
  const piece = (kind: 'text' | 'thought', value: string, message?: string): Told =>
    kind === 'text' ? ['text.delta', { text: value }, { message }] : ['thought.delta', { text: value }, { message }]
  const end = (value: string, message?: string): Told => ['text.end', { text: value, streamed: true }, { message }]
  assert.deepEqual(lostOf([piece('text', 'He'), piece('text', 're.'), end('Here.'), piece('text', 'So'), end('So')]), [])
  assert.deepEqual(lostOf([piece('text', 'He'), end('Here.'), piece('text', 'So'), end('So')]), ['text.end.text drop'])
  assert.deepEqual(lostOf([piece('thought', 'h'), ['thought.end', { text: 'hm', streamed: true }]]), ['thought.end.text drop'])
  // A message that was withdrawn leaves nothing behind.
  const withdrawn: Told = ['message.drop', { fromBlock: 0, why: 'superseded' }, { message: 'm1' }]
  assert.deepEqual(lostOf([piece('text', 'He', 'm1'), withdrawn, piece('text', 'Here.', 'm2'), end('Here.', 'm2')]), [])
})
