import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { codesOf, decodeAll, encodeAll, find, fixture, partOf, type Told, tellAll, typesOf } from './support.test.ts'

const at = 1741500000000

// ── back to its own dialect ──────────────────────────────────────────────────────────────────────────────────────────────

/** Part times in seconds are read by magnitude and written in milliseconds. */
function inMillis(record: Rec): Rec {
  const part = record['part'] as { time?: { start: number; end: number } } | undefined
  return part?.time === undefined
    ? record
    : { ...record, part: { ...part, time: { start: part.time.start * 1000, end: part.time.end * 1000 } } }
}

test("the document's sessions come back with the same values", () => {
  const session = fixture('document/session.ndjson')
  const written = encodeAll(decodeAll(session))
  assert.deepEqual(written, { records: session.map(inMillis), added: [], lost: [] })
  const failed = fixture('document/failed-session.ndjson')
  assert.deepEqual(encodeAll(decodeAll(failed)), { records: failed, added: [], lost: [] })
})

test('subagents and interleaved sessions come back with the same values', () => {
  for (const name of ['made/subagents.ndjson', 'made/interleaved.ndjson', 'made/rejected-permission.ndjson']) {
    const records = fixture(name)
    assert.deepEqual(bySession(encodeAll(decodeAll(records)).records), bySession(records), name)
  }
})
/** session_start waits, so only the order within a session is kept. */
const bySession = (records: readonly Rec[]): Partial<Record<string, Rec[]>> => Object.groupBy(records, ({ sessionID }) => String(sessionID))

test("a newer program's stream becomes one of the document", () => {
  const { records, lost } = encodeAll(decodeAll(fixture('made/newer-program.ndjson')))
  assert.deepEqual(codesOf(records), [])
  const [first, second] = find(records, 'message_complete')
  assert.deepEqual(first?.['tokens'], { input: 12, output: 14, reasoning: 20, cache: { read: 1000, write: 200 } })
  assert.deepEqual([first?.['finish'], second?.['finish'], second?.['context']], ['tool-calls', 'end_turn', null])
  assert.deepEqual(lost, ['message.end.cost drop']) // a sum without its parts
})

test('an early session_error is held until the end, and its error told once', () => {
  const { records } = encodeAll(decodeAll(fixture('made/provider-failure.ndjson')))
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(typesOf(records), [
    'session_start',
    'tool_catalog required',
    'step_start',
    'error',
    'tool_use',
    'step_finish',
    'message_complete',
    'session_error',
    'session_complete',
  ])
})

test('a cut stream is ended', () => {
  const { records } = encodeAll(decodeAll(fixture('made/cut.ndjson')))
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(typesOf(records).slice(-6), [
    'subagent_complete cut',
    'step_finish cut',
    'message_complete cut',
    'error cut',
    'session_error cut',
    'session_complete cut',
  ])
  assert.deepEqual(records.at(-1)?.['error'], 'the stream ended early')
})

// ── the frame ────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('session_start waits for what is known before the first turn, and the catalogue stands behind it', () => {
  const { records, added } = encodeAll(
    tellAll([
      ['session.start', {}, { session: 's', at }],
      ['session.update', { model: 'claude-x', rules: [] }, { session: 's', at: at + 1 }],
      [
        'catalog.update',
        {
          tools: [
            { name: 'mcp__a__b', source: 'mcp', server: 'a' },
            { name: 'odd', source: 'other' },
          ],
        },
        { session: 's', at: at + 2 },
      ],
      ['turn.start', { trigger: 'prompt' }, { session: 's', at: at + 3 }],
      ['catalog.update', { skills: [{ name: 'late' }] }, { session: 's', at: at + 4 }],
      ['session.end', { reason: 'end_turn' }, { session: 's', at: at + 5 }],
    ]),
  )
  assert.deepEqual(records, [
    {
      type: 'session_start',
      timestamp: at,
      sessionID: 's',
      schemaVersion: '1',
      model: 'anthropic/claude-x',
      agent: 'default',
      permissions: [],
    },
    {
      type: 'tool_catalog',
      timestamp: at + 2,
      sessionID: 's',
      tools: [
        { name: 'mcp__a__b', source: 'mcp', server: 'a' },
        { name: 'odd', source: 'builtin' },
      ],
      skills: [],
    },
    { type: 'session_complete', timestamp: at + 5, sessionID: 's', durationMs: 5, error: null },
  ])
  assert.deepEqual(added, ['session_start.agent'])
})

test('session_start stands first also where a stream begins inside a message', () => {
  const place = { session: 's', message: 'm', at }
  const events = tellAll([
    ['message.end', { finish: 'error' }, place],
    ['message.start', {}, { ...place, message: 'n' }],
  ])
  const { records } = encodeAll(events.slice(events.findIndex(({ kind }) => kind === 'message.end')))
  assert.deepEqual(
    records.slice(0, 4).map(({ type }) => type),
    ['session_start', 'tool_catalog', 'step_start', 'step_finish'],
  )
  assert.deepEqual(codesOf(records), [])
})

test('a failed server, a retried error and a failed subagent are errors on the way', () => {
  const { records } = encodeAll(
    tellAll([
      ['session.start', { model: 'm' }, { session: 's', at }],
      [
        'catalog.update',
        {
          tools: [],
          servers: [
            { name: 'db', status: 'failed' },
            { name: 'ok', status: 'connected' },
          ],
        },
        { session: 's', at },
      ],
      ['retry.start', { scope: 'model', attempt: 1, error: { category: 'overloaded', text: 'busy', http: 529 } }, { session: 's', at }],
      ['task.start', { task: 'kid', type: 'agent', title: 'Look' }, { session: 's', at }],
      ['task.end', { task: 'kid', status: 'error', text: 'no luck' }, { session: 's', at }],
      ['session.end', { reason: 'end_turn' }, { session: 's', at }],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(
    find(records, 'error').map(({ error, sourceSessionID }) => [error, sourceSessionID]),
    [
      [{ name: 'MCPFailed', data: { message: 'MCP server db failed' } }, 's'],
      [{ name: 'APIError', data: { message: 'busy', statusCode: 529 } }, 's'],
      [{ name: 'SubagentFailed', data: { message: 'no luck' } }, 'kid'],
    ],
  )
  assert.equal(records.at(-1)?.['error'], null)
})

test('how a session ended, as session_error', () => {
  const told = (end: Told[1] & object, extra: Rec = {}): unknown => {
    const { records } = encodeAll(
      tellAll([
        ['session.start', {}, { session: 's' }],
        ['session.end', { ...end, ...extra } as never, { session: 's' }],
      ]),
    )
    assert.deepEqual(codesOf(records), [])
    const [error] = find(records, 'session_error')
    return error === undefined ? null : [error['reason'], error['code'] ?? null]
  }
  const fault = (category: string, rest: Rec = {}): Rec => ({
    reason: 'error',
    error: { category, text: 'x', ...rest },
  })
  assert.deepEqual(told({ reason: 'end_turn' }), null)
  assert.deepEqual(told({ reason: 'max_tokens' }), ['unknown', 'token_limit']) // `max_tokens` is a cap
  for (const code of ['max_cost', 'max_tokens', 'max_tool_calls'])
    assert.deepEqual(told({ reason: 'budget', error: { category: 'cancelled', text: 'x', code } }), ['unknown', code])
  // The signal was ours.
  assert.deepEqual(told({ reason: 'stall', signal: 'SIGTERM', error: { category: 'timeout', text: 'x' } }), ['timeout', 'stall'])
  assert.deepEqual(told({ reason: 'tool_use' }), ['unknown', 'tool_use'])
  assert.deepEqual(told({ reason: 'max_iterations' }), null)
  assert.deepEqual(told(fault('rate_limit', { http: 429 }) as never), ['rate_limit', '429'])
  assert.deepEqual(told(fault('auth', { http: 403 }) as never), ['auth', '403'])
  assert.deepEqual(told(fault('timeout', { http: 504 }) as never), ['provider', '504'])
  assert.deepEqual(told(fault('oom') as never), ['oom', null])
  assert.deepEqual(told(fault('overloaded') as never), ['provider', 'overloaded'])
  assert.deepEqual(told(fault('billing') as never), ['unknown', 'billing'])
  assert.deepEqual(told({ reason: 'timeout' }), ['timeout', null])
  assert.deepEqual(told({ reason: 'stall' }), ['timeout', 'stall'])
  assert.deepEqual(told({ reason: 'degenerate' }), ['provider', 'degenerate'])
  assert.deepEqual(told({ reason: 'refusal' }), ['unknown', 'refusal'])
  assert.deepEqual(told({ reason: 'max_turns' }), ['unknown', 'max_turns'])
  assert.deepEqual(told({ reason: 'budget' }), ['unknown', 'budget'])
  assert.deepEqual(told({ reason: 'cancelled', signal: 'SIGINT' }), ['unknown', '130'])
  assert.deepEqual(told({ reason: 'cancelled', signal: 'SIGHUP' }), ['unknown', '143'])
  assert.deepEqual(told({ reason: 'cut' }), ['unknown', 'cut'])
})

// ── tools and permissions ────────────────────────────────────────────────────────────────────────────────────────────────

function toolUse(end: Rec, start: Rec = {}): Rec {
  const { records } = encodeAll(
    tellAll([
      ['tool.start', { name: 'Bash', toolKind: 'execute', input: { command: 'x' }, ...start }, { session: 's', call: 'c1', at }],
      ['tool.end', end as never, { session: 's', call: 'c1', at: at + 7 }],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  const [record] = find(records, 'tool_use')
  return partOf(record)['state'] as Rec
}
const time = { start: at, end: at + 7 }
const input = { command: 'x' }

test('a command that left with a code has completed; everything else that failed is an error', () => {
  assert.deepEqual(toolUse({ status: 'error', exitCode: 3, text: 'no' }), {
    status: 'completed',
    input,
    metadata: { exit: 3, output: 'no' },
    time,
  })
  assert.deepEqual(toolUse({ status: 'ok', text: 'yes' }), {
    status: 'completed',
    input,
    metadata: { output: 'yes' },
    time,
  })
  assert.deepEqual(toolUse({ status: 'denied', text: 'not allowed' }), {
    status: 'error',
    input,
    error: 'not allowed',
    time,
  })
  assert.deepEqual(toolUse({ status: 'abandoned' }), { status: 'error', input, error: 'abandoned', time })
  assert.deepEqual(toolUse({ status: 'ok', data: { a: 1 } }, { toolKind: 'other' }), {
    status: 'completed',
    input,
    output: '{"a":1}',
    time,
  })
  assert.deepEqual(toolUse({ status: 'ok', content: [{ type: 'text', text: 'a' }, { type: 'image' }] }, { toolKind: 'read' }), {
    status: 'completed',
    input,
    output: 'a',
    time,
  })
  assert.deepEqual(toolUse({ status: 'ok' }, { toolKind: 'read' }), { status: 'completed', input, time })
})

test('an error that nobody told counts as added', () => {
  const ended = (end: Partial<Payload<'tool.end'>>): string[] =>
    encodeAll(
      tellAll([
        ['tool.start', { name: 'x', toolKind: 'other', input: {} }, { session: 's', call: 'c' }],
        ['tool.end', { status: 'error', ...end }, { session: 's', call: 'c' }],
      ]),
    ).added.filter((what) => what.startsWith('tool_use'))
  assert.deepEqual(ended({}), ['tool_use.part.state.error'])
  assert.deepEqual(ended({ text: 'boo' }), [])
})

test('input that comes later is the input', () => {
  const { records } = encodeAll(
    tellAll([
      ['tool.start', { name: 'Read', toolKind: 'read' }, { session: 's', call: 'c1' }],
      ['tool.update', { state: 'pending', input: { path: 'a' }, title: 'Read a' }, { session: 's', call: 'c1' }],
      ['tool.end', { status: 'ok', text: '' }, { session: 's', call: 'c1' }],
    ]),
  )
  assert.deepEqual(partOf(find(records, 'tool_use')[0])['state'], {
    status: 'completed',
    input: { path: 'a' },
    output: '',
    title: 'Read a',
  })
})

test('a permission is told with its answer, by what was asked', () => {
  const asked = (decision: 'allow' | 'reject' | 'expired' | 'withdrawn'): { records: Rec[]; lost: string[] } =>
    encodeAll(
      tellAll([
        ['tool.start', { name: 'Bash', toolKind: 'execute', input }, { session: 's', call: 'c1' }],
        ['permission.request', { id: 'r1', name: 'Bash', options: [] }, { session: 's', call: 'c1' }],
        ['permission.answer', { id: 'r1', decision, by: 'user' }, { session: 's' }],
        ['tool.end', { status: 'ok' }, { session: 's', call: 'c1' }],
      ]),
    )
  const record = { timestamp: 0, sessionID: 's', callID: 'c1', tool: 'Bash', permission: 'Bash', patterns: [], input }
  assert.deepEqual(find(asked('allow').records, 'permission_granted'), [{ type: 'permission_granted', ...record }])
  assert.deepEqual(find(asked('reject').records, 'permission_rejected'), [{ type: 'permission_rejected', ...record }])
  assert.equal(find(asked('expired').records, 'permission_rejected').length, 1)
  assert.deepEqual(asked('withdrawn').lost, ['permission.request drop', 'permission.answer drop'])
})

test('a permission without a tool names itself', () => {
  const { records } = encodeAll(
    tellAll([
      [
        'permission.answer',
        { decision: 'reject', by: 'rule', permission: 'doom_loop', patterns: ['bash'] },
        { session: 's', agent: 'kid' },
      ],
    ]),
  )
  const [rejected] = find(records, 'permission_rejected')
  assert.deepEqual(
    [rejected?.['tool'], rejected?.['permission'], rejected?.['input'], rejected?.['sessionID'], rejected?.['callID']],
    ['doom_loop', 'doom_loop', null, 'kid', undefined],
  )
  assert.deepEqual(codesOf(records), [])
})

test('a skill counts as loaded after the check, and not when it was rejected', () => {
  const load: Told = ['skill.load', { name: 'commit', level: 'loaded', path: '/s' }, { session: 's' }]
  const answer = (decision: 'allow' | 'reject'): Told => [
    'permission.answer',
    { decision, by: 'rule', name: 'skill', permission: 'skill', patterns: ['commit'] },
    { session: 's' },
  ]
  const granted = encodeAll(tellAll([load, answer('allow')]))
  assert.deepEqual(typesOf(granted.records).slice(2, 4), ['permission_granted', 'skill_loaded'])
  for (const told of [
    [load, answer('reject')],
    [answer('reject'), load],
  ]) {
    const { records, lost } = encodeAll(tellAll(told))
    assert.deepEqual([find(records, 'skill_loaded'), lost], [[], ['skill.load drop']])
    assert.deepEqual(codesOf(records), [])
  }
  assert.deepEqual(encodeAll(tellAll([['skill.load', { name: 'x', level: 'listed', path: '/x' }, { session: 's' }]])).lost, [
    'skill.load drop',
  ])
})
