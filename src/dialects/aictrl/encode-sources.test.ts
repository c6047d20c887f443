// The encoder against other sources' habits: messages with late sums, deltas alone, no messages, no times, no sessions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Rec } from '../../base/json.ts'
import type { Place } from '../../model/event.ts'
import type { Cause } from '../../model/pen.ts'
import { codesOf, decodeAll, encodeAll, find, findingsOf, partOf, type Told, tellAll, typesOf } from './support.test.ts'

const textsOf = (records: readonly Rec[], type: string): unknown[] => find(records, type).map(({ part }) => (part as Rec)['text'])

test('tokens that no message of the session has used are told as lost', () => {
  const lostWith = (end: Rec): string[] =>
    encodeAll(
      tellAll([
        ['turn.start', { trigger: 'prompt' }, { session: 's' }],
        ['message.start', {}, { session: 's', message: 'm' }],
        ['message.end', { usage: { input: 4, output: 2 }, usageFinal: true }, { session: 's', message: 'm' }],
        ['turn.end', { reason: 'end_turn', ...end }, { session: 's' }],
      ]),
    ).lost
  const own = { input: 4, output: 2 }
  assert.deepEqual(lostWith({ own, usage: own }), [])
  assert.deepEqual(lostWith({ own, usage: { input: 9, output: 2 } }), ['turn.end.usage drop'])
  assert.deepEqual(lostWith({ own: { input: 5, output: 2 }, usage: { input: 9, output: 2 } }), ['turn.end.usage drop'])
})

test("what a call's record does not hold of its result is told as lost", () => {
  const lostWith = (end: Rec): string[] =>
    encodeAll(
      tellAll([
        ['tool.start', { name: 'Read', toolKind: 'read', input: {} }, { session: 's', call: 'c' }],
        ['tool.end', { status: 'ok', ...end }, { session: 's', call: 'c' }],
      ] as Told[]),
    ).lost.filter((code) => code.startsWith('tool.end'))
  const fault = (text: string): Rec => ({ category: 'unknown', text })
  const [file, image] = [
    { type: 'file', url: 'data:,a' },
    { type: 'image', data: 'AA==' },
  ]
  assert.deepEqual(lostWith({ text: 'out', content: [{ type: 'text', text: 'out' }, file] }), [])
  assert.deepEqual(lostWith({ text: 'out', content: [image] }), ['tool.end.content drop'])
  assert.deepEqual(lostWith({ data: { rows: 1 } }), [], 'as text')
  assert.deepEqual(lostWith({ content: [{ type: 'content', content: { type: 'text', text: 'out' } }] }), [], 'as output')
  assert.deepEqual(lostWith({ text: 'out', data: [1] }), ['tool.end.data drop'])
  assert.deepEqual(lostWith({ status: 'error', text: 'out', error: fault('out') }), [])
  assert.deepEqual(lostWith({ status: 'error', text: 'out', error: fault('why') }), ['tool.end.text drop'])
  assert.deepEqual(lostWith({ status: 'error', exitCode: 2, text: 'out', error: fault('why') }), ['tool.end.error drop'])
})

test('Claude: the last message of a turn takes what the snapshots left over', () => {
  const snapshot = { usage: { input: 12, output: 1, cacheRead: 1000, cacheWrite: 200 }, usageFinal: false }
  const own = { input: 24, output: 68, cacheRead: 2000, cacheWrite: 400 }
  const lane = { session: 's', agent: 'kid' }
  const { records, lost } = encodeAll(
    tellAll([
      ['session.start', { model: 'claude-sonnet-4-5' }, { session: 's' }],
      ['catalog.update', { tools: [{ name: 'Agent', source: 'builtin' }] }, { session: 's' }],
      ['turn.start', { trigger: 'prompt' }, { session: 's' }],
      ['message.start', {}, { session: 's', message: 'm2' }],
      ['text.end', { text: 'Delegating.', streamed: false }, { session: 's', message: 'm2' }],
      ['tool.start', { name: 'Agent', toolKind: 'task', input: {} }, { session: 's', message: 'm2', call: 'c1' }],
      ['task.start', { task: 'kid', type: 'agent', title: 'Count lines' }, { session: 's', call: 'c1' }],
      ['message.start', {}, { ...lane, message: 'm4' }],
      ['text.end', { text: 'unheard', streamed: false }, { ...lane, message: 'm4' }],
      ['tool.start', { name: 'Read', toolKind: 'read', input: {} }, { ...lane, message: 'm4', call: 'c3' }],
      ['tool.end', { status: 'ok', text: 'alpha' }, { ...lane, call: 'c3' }],
      ['message.end', { finish: 'tool_use', ...snapshot }, { ...lane, message: 'm4' }],
      ['task.end', { task: 'kid', status: 'ok' }, { session: 's' }],
      ['tool.end', { status: 'ok', text: 'three' }, { session: 's', call: 'c1' }],
      ['message.end', { finish: 'tool_use', ...snapshot }, { session: 's', message: 'm2' }],
      ['message.start', {}, { session: 's', message: 'm6' }],
      ['text.end', { text: 'Three lines.', streamed: false }, { session: 's', message: 'm6' }],
      ['message.end', { finish: 'end_turn', ...snapshot }, { session: 's', message: 'm6' }],
      [
        'turn.end',
        {
          reason: 'end_turn',
          own,
          usage: { input: 48, output: 136 },
          durationMs: 325,
          byModel: [{ model: 'claude-sonnet-4-5', contextLimit: 200000 }],
        },
        { session: 's' },
      ],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(typesOf(records), [
    'session_start',
    'tool_catalog',
    'step_start',
    'text',
    'subagent_start',
    'tool_use',
    'subagent_complete',
    'tool_use',
    'step_finish',
    'message_complete',
    'step_start',
    'text',
    'step_finish',
    'message_complete',
    'session_complete implied',
  ])
  assert.deepEqual(
    find(records, 'tool_use').map(({ sequenceNum, part }) => [sequenceNum, (part as Rec)['sessionID']]),
    [
      [1, 'kid'],
      [2, 's'],
    ],
  )
  assert.deepEqual(
    find(records, 'message_complete').map(({ tokens, context, finish }) => [tokens, context, finish]),
    [
      [{ input: 12, output: 1, reasoning: 0, cache: { read: 1000, write: 200 } }, null, 'tool-calls'],
      [
        { input: 12, output: 67, reasoning: 0, cache: { read: 1000, write: 200 } },
        { used: 1212, limit: 200000, ratio: 1212 / 200000 },
        'end_turn',
      ],
    ],
  )
  assert.equal(records.at(-1)?.['durationMs'], 325)
  assert.deepEqual(lost, ['message.start drop', 'text.end drop', 'message.end drop', 'turn.end.usage.attributed approx'])
})

test('deltas alone are joined, one step a turn', () => {
  const { records } = encodeAll(
    tellAll([
      ['thought.delta', { text: 'Let me ' }, { session: 's', at: 5 }],
      ['thought.delta', { text: 'see.' }, { session: 's', at: 6 }],
      ['text.delta', { text: 'Hel' }, { session: 's', at: 7 }],
      ['text.delta', { text: 'lo.' }, { session: 's', at: 8 }],
      ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, { session: 's', call: 'c', at: 9 }],
      ['tool.end', { status: 'ok' }, { session: 's', call: 'c', at: 10 }],
      ['text.delta', { text: 'Done.' }, { session: 's', at: 11 }],
      ['turn.end', { reason: 'end_turn', usage: { input: 10, output: 5 } }, { session: 's', at: 12 }],
      ['session.end', { reason: 'end_turn' }, { session: 's', at: 12 }],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual([textsOf(records, 'reasoning'), textsOf(records, 'text')], [['Let me see.'], ['Hello.', 'Done.']])
  assert.deepEqual(typesOf(records), [
    'session_start implied',
    'tool_catalog required',
    'step_start required',
    'reasoning',
    'text',
    'tool_use',
    'text',
    'step_finish required',
    'message_complete required',
    'session_complete',
  ])
  const [message] = find(records, 'message_complete')
  assert.deepEqual(
    [message?.['tokens'], message?.['finish'], message?.['context']],
    [{ input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } }, 'end_turn', null],
  )
  assert.deepEqual(partOf(find(records, 'text')[0])['time'], { start: 7, end: 8 })
})

test('text that was told whole after its deltas is written once; withdrawn text is not', () => {
  const { records } = encodeAll(
    tellAll([
      ['message.start', {}, { session: 's', message: 'm1' }],
      ['text.delta', { text: 'Hel' }, { session: 's', message: 'm1', block: 0 }],
      ['text.end', { text: 'Hello.', streamed: true }, { session: 's', message: 'm1', block: 0 }],
      ['text.delta', { text: 'Oops' }, { session: 's', message: 'm1', block: 1 }],
      ['message.drop', { fromBlock: 1, why: 'stream_error' }, { session: 's', message: 'm1' }],
      ['text.delta', { text: 'Again.' }, { session: 's', message: 'm1', block: 1 }],
      ['message.end', { finish: 'end_turn' }, { session: 's', message: 'm1' }],
    ]),
  )
  assert.deepEqual(textsOf(records, 'text'), ['Hello.', 'Again.'])
  assert.deepEqual(codesOf(records), [])
})

test('no session and no time: ids are counted, times are the last known or zero', () => {
  const turn: Told[] = [
    ['text.end', { text: 'Hi.', streamed: false }],
    ['turn.end', { reason: 'error', error: { category: 'unknown', text: 'broken' } }],
    ['session.end', { reason: 'error', error: { category: 'unknown', text: 'broken' } }],
  ]
  const { records, added } = encodeAll(tellAll([...turn, ...turn]))
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(new Set(records.map(({ sessionID }) => sessionID)), new Set(['session-1', 'session-2']))
  assert.ok(records.every(({ timestamp }) => timestamp === 0))
  assert.equal(added.filter((what) => what === 'sessionID').length, 2)
  assert.deepEqual(typesOf(records).slice(6, 9), ['error', 'session_error', 'session_complete'])
})

test('a text too large to keep is written in pieces', () => {
  const piece = 'x'.repeat(9 * 2 ** 20)
  const deltas: Told[] = [
    ['text.delta', { text: piece }, { session: 's' }],
    ['text.delta', { text: piece }, { session: 's' }],
    ['text.delta', { text: 'end' }, { session: 's' }],
  ]
  for (const end of [{ streamed: true }, { streamed: true, text: `${piece}${piece}end` }]) {
    const { records, lost } = encodeAll(tellAll([...deltas, ['text.end', end, { session: 's' }]]))
    assert.deepEqual(
      textsOf(records, 'text').map((text) => String(text).length),
      [18 * 2 ** 20, 3],
    )
    assert.deepEqual(lost, ['text.delta.text approx'])
    assert.deepEqual(codesOf(records), [])
  }
})

test('several turns in one session: each has its messages, a failed one in between is an error on the way', () => {
  const { records } = encodeAll(
    tellAll([
      ['turn.start', { trigger: 'prompt' }, { session: 's' }],
      ['text.end', { text: 'One.', streamed: false }, { session: 's' }],
      ['turn.end', { reason: 'max_turns' }, { session: 's' }],
      ['turn.start', { trigger: 'prompt' }, { session: 's' }],
      ['text.end', { text: 'Two.', streamed: false }, { session: 's' }],
      ['turn.end', { reason: 'end_turn' }, { session: 's' }],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(
    find(records, 'error').map(({ error }) => error),
    [{ name: 'max_turns', data: { message: 'the turn limit was reached' } }],
  )
  assert.deepEqual(find(records, 'session_error'), [])
  assert.deepEqual(
    find(records, 'message_complete').map(({ finish }) => finish),
    [undefined, 'end_turn'],
  )
})

test('a turn may begin before the former has ended', () => {
  const { records } = encodeAll(
    tellAll([
      ['turn.start', { trigger: 'prompt' }, { session: 's' }],
      ['message.start', {}, { session: 's', message: 'm1', turn: 1 }],
      ['message.end', { usage: { input: 1, output: 1 }, usageFinal: false }, { session: 's', message: 'm1', turn: 1 }],
      ['turn.start', { trigger: 'prompt' }, { session: 's' }],
      ['turn.end', { reason: 'end_turn', own: { input: 1, output: 1 } }, { session: 's' }],
      ['message.start', {}, { session: 's', message: 'm2', turn: 2 }],
      ['message.end', { usage: { input: 2, output: 1 }, usageFinal: false }, { session: 's', message: 'm2', turn: 2 }],
      ['turn.end', { reason: 'end_turn', own: { input: 2, output: 9 } }, { session: 's' }],
    ]),
  )
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(
    find(records, 'message_complete').map(({ tokens }) => (tokens as Rec)['output']),
    [1, 9],
  )
})

// ── whatever comes ───────────────────────────────────────────────────────────────────────────────────────────────────────

const places = fc.record<Place>(
  {
    session: fc.constantFrom('a', 'a', 'b', undefined),
    agent: fc.constantFrom(undefined, undefined, undefined, 'kid', 'kid2'),
    message: fc.constantFrom('m1', 'm2'),
    call: fc.constantFrom('c1', 'c2', 'c3'),
    at: fc.constantFrom(undefined, 1741500000000, 1741500000500, 3),
  },
  { requiredKeys: [] },
)
const fault = fc.constantFrom(
  { category: 'rate_limit', text: 'slow down', http: 429 } as const,
  { category: 'unknown', text: 'broken' } as const,
)
const reason = fc.constantFrom('end_turn', 'error', 'cancelled', 'max_tokens', 'timeout', 'tool_use', 'refusal')
const usage = fc.record(
  { input: fc.nat(99), output: fc.nat(99), reasoning: fc.nat(9), cacheRead: fc.nat(99), cacheWrite: fc.nat(9) },
  { requiredKeys: [] },
)
const payloads: { [kind: string]: fc.Arbitrary<unknown> } = {
  'session.start': fc.constantFrom({}, { model: 'claude-x', rules: [], agentName: 'build' }),
  'session.update': fc.constant({ model: 'gpt-5' }),
  'session.end': fc.record({ reason, error: fault }, { requiredKeys: ['reason'] }),
  'catalog.update': fc.constantFrom(
    { tools: [{ name: 'bash', source: 'builtin' }] },
    { skills: [{ name: 'commit' }] },
    { servers: [{ name: 'x', status: 'failed' }] },
  ),
  'turn.start': fc.constant({ trigger: 'prompt' }),
  'turn.end': fc.record({ reason, error: fault, own: usage, durationMs: fc.nat(9) }, { requiredKeys: ['reason'] }),
  'message.start': fc.constant({}),
  'message.end': fc.record(
    {
      finish: reason,
      usage,
      usageFinal: fc.boolean(),
      cost: fc.constant({ usd: 1, by: 'source' }),
      context: fc.constant({ used: 7, limit: 100 }),
      error: fault,
    },
    { requiredKeys: [] },
  ),
  'message.drop': fc.constant({ fromBlock: 0, why: 'superseded' }),
  'text.delta': fc.record({ text: fc.string() }),
  'text.end': fc.record({ text: fc.string(), streamed: fc.boolean() }, { requiredKeys: ['streamed'] }),
  'thought.delta': fc.record({ text: fc.string() }),
  'thought.end': fc.record({ text: fc.string(), streamed: fc.boolean() }, { requiredKeys: ['streamed'] }),
  'tool.start': fc.constantFrom(
    { name: 'bash', toolKind: 'execute', input: {} },
    { name: 'skill', toolKind: 'skill', input: { name: 'commit' } },
  ),
  'tool.update': fc.constant({ state: 'running', input: { a: 1 } }),
  'tool.end': fc.record(
    {
      status: fc.constantFrom('ok', 'error', 'denied', 'abandoned'),
      text: fc.string(),
      exitCode: fc.constantFrom(0, 1),
    },
    { requiredKeys: ['status'] },
  ),
  'task.start': fc.record({ task: fc.constantFrom('kid', 'kid2'), type: fc.constantFrom('agent', 'command') }),
  'task.end': fc.record({ task: fc.constantFrom('kid', 'kid2'), status: fc.constantFrom('ok', 'error') }),
  'permission.request': fc.constant({ id: 'r1', name: 'bash', options: [] }),
  'permission.answer': fc.record({
    id: fc.constantFrom(undefined, 'r1'),
    decision: fc.constantFrom('allow', 'reject', 'withdrawn'),
    by: fc.constant('user'),
    permission: fc.constantFrom(undefined, 'skill'),
    patterns: fc.constantFrom(undefined, ['commit']),
  }),
  'skill.load': fc.record({
    name: fc.constant('commit'),
    level: fc.constantFrom('listed', 'loaded', 'resource'),
    path: fc.constant('/s'),
    description: fc.constantFrom(undefined, 'd'),
  }),
  'retry.start': fc.record({ scope: fc.constant('model'), attempt: fc.constant(1), error: fault }, { requiredKeys: ['scope', 'attempt'] }),
  error: fc.record({ scope: fc.constant('session'), fatal: fc.boolean(), error: fault }),
}
const told = fc.constantFrom(...Object.keys(payloads)).chain((kind) => fc.tuple(fc.constant(kind), payloads[kind]!, places))
const cause = fc.constantFrom<Cause | undefined>(undefined, { reason: 'timeout' }, { reason: 'cancelled', signal: 'SIGTERM' })

test('from any events, in any order, comes a legal stream', () => {
  fc.assert(
    fc.property(fc.array(told, { maxLength: 60 }), cause, (events, why) => {
      const { records } = encodeAll(tellAll(events as unknown as Told[], (pen) => pen.end(why)))
      assert.deepEqual(findingsOf(records), [])
    }),
    { numRuns: 3000 },
  )
})

test('sessions whose subagents share a name end each for itself', () => {
  const kid = { task: 'kid', type: 'agent' } as const
  const { records } = encodeAll(
    tellAll([
      ['task.start', kid, { session: 'a' }],
      ['task.start', kid],
      ['session.end', { reason: 'end_turn' }],
      ['permission.answer', { decision: 'allow', by: 'user' }, { session: 'a', agent: 'kid' }],
    ]),
  )
  assert.deepEqual(findingsOf(records), [])
})

test('also when the ends of a stream never came', () => {
  fc.assert(
    fc.property(fc.array(told, { maxLength: 40 }), (events) => {
      const { records } = encodeAll(tellAll(events as unknown as Told[], () => {}))
      assert.deepEqual(findingsOf(records), [])
    }),
    { numRuns: 1000 },
  )
})

test('an encoder that gets nothing writes nothing', () => {
  assert.deepEqual(encodeAll([]).records, [])
})

test('the token limit is a failure, whether a message says so or not', () => {
  const ended = (finish: 'max_tokens' | 'error' | undefined): unknown => {
    const message: Told[] =
      finish === undefined
        ? []
        : [
            ['message.start', {}],
            ['message.end', { finish }],
          ]
    const { records } = encodeAll(
      tellAll([['session.start', {}], ['turn.start', { trigger: 'prompt' }], ...message, ['turn.end', { reason: 'max_tokens' }]]),
    )
    assert.deepEqual(findingsOf(records), [])
    return find(records, 'session_complete')[0]!['error']
  }
  assert.deepEqual([ended('max_tokens'), ended('error'), ended(undefined)], Array(3).fill('the answer was cut at the token limit'))
})

test('a call that was refused has its permission_rejected, also where only its end says so; a refusal of an unknown call is a loss', () => {
  const call = (id: string, ...between: Told[]): Told[] => [
    ['tool.start', { name: 'Write', toolKind: 'edit', input: { path: id } }, { call: id }],
    ...between,
    ['tool.end', { status: 'denied', text: 'no' }, { call: id }],
  ]
  const denied = ['a', 'b', 'c'].map((id) => ({ call: id, name: 'Write' }))
  const told = (more: { call: string; name: string }[]): Told[] => [
    ['turn.start', { trigger: 'prompt' }],
    ...call('a'),
    ...call('b', ['permission.answer', { decision: 'reject', by: 'user', patterns: ['b'] }, { call: 'b' }]),
    ...call('c', ['permission.answer', { decision: 'reject', by: 'user', name: 'Write' }]),
    ['turn.end', { reason: 'end_turn', denied: [...denied, ...more] }],
  ]
  const { records, lost } = encodeAll(tellAll(told([])))
  assert.deepEqual(codesOf(records), [])
  assert.deepEqual(
    find(records, 'permission_rejected').map(({ callID, patterns, synthetic, input }) => [callID, patterns, synthetic, input]),
    [
      ['a', [], 'implied', { path: 'a' }],
      ['b', ['b'], undefined, { path: 'b' }],
      [undefined, [], undefined, null],
    ],
  )
  assert.deepEqual(lost, [])
  assert.deepEqual(encodeAll(tellAll(told([{ call: 'd', name: 'Bash' }]))).lost, ['turn.end.denied drop'])
  assert.deepEqual(
    decodeAll(records)
      .filter(({ kind }) => kind === 'tool.end')
      .map((event) => (event as { status?: unknown }).status),
    ['denied', 'denied', 'error'], // the last refusal names no call
  )
})
