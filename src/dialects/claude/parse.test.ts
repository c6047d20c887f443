// The document's parsing strategy, on recordings and on the document's own session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costs, errorsAndDenials, eventsOf, finalResult, pairedCalls } from './parse.ts'
import type { Rec } from '../../base/json.ts'
import { ended, eventsIn, fixture, gave, init, recordings, said, tellAll, type Told, told, use } from './support.test.ts'

test('the final result, from records or events', () => {
  const records = fixture('document/16-session.json')
  assert.deepEqual([finalResult(records)?.outcome, finalResult(records)?.text], ['ok', 'The file contains...'])
  assert.deepEqual(finalResult(records), finalResult(eventsOf(records)))
  assert.deepEqual(
    [finalResult(fixture('2.1.325/h-429.ndjson'))?.outcome, finalResult(eventsIn('2.1.325/j-interrupt.ndjson'))?.outcome],
    ['failed', 'cancelled'],
  )
  assert.equal(finalResult(fixture('2.1.325/m-max-turns.ndjson'))?.reason, 'max_turns')
  const cut = fixture('2.1.325/r-sigterm.ndjson')
  for (const stream of [cut, [...records, ...cut]])
    assert.deepEqual([finalResult(stream)?.outcome, finalResult(stream)?.reason], ['failed', 'cut'])
  assert.equal(finalResult([]), undefined)
})

test('calls with their results', () => {
  const [read] = pairedCalls(fixture('document/16-session.json'))
  assert.deepEqual(
    [read?.call, read?.name, read?.input, read?.failed, read?.result?.text],
    ['tool1', 'Read', { file_path: 'test.txt' }, false, '...'],
  )
  const [streamed] = pairedCalls(fixture('2.1.325/i-partial.ndjson'))
  assert.deepEqual(streamed?.input, { file_path: '/home/dev/work/claude/i-partial/notes.txt' })
  assert.deepEqual(
    pairedCalls(fixture('2.1.325/t-parallel-subagents.ndjson')).map(({ name, failed }) => [name, failed]),
    [
      ['Agent', false],
      ['Agent', false],
      ['Read', true],
      ['Read', false],
    ],
  )
})

test('two sessions may give their calls the same id', () => {
  const other = { session_id: 's2' }
  const records: Rec[] = [
    init,
    { ...init, ...other },
    said('m1', use('c', 'Read')),
    { ...said('m2', use('c', 'Bash')), ...other },
    told(gave('c', 'a file')),
    { ...told(gave('c', 'no such command', { is_error: true })), ...other },
  ]
  assert.deepEqual(
    pairedCalls(records).map(({ name, failed, result }) => [name, failed, result?.text]),
    [
      ['Read', false, 'a file'],
      ['Bash', true, 'no such command'],
    ],
  )
  const denial = { permission_denials: [{ tool_name: 'Write', tool_use_id: 'c', tool_input: {} }] }
  assert.equal(errorsAndDenials([init, ended(denial), { ...init, ...other }, ended({ ...denial, ...other })]).denied.length, 2)
})

test('costs by model, over all turns', () => {
  const told = costs(fixture('2.1.325/j-control-misc.ndjson'))
  assert.equal(told.usd, 0.002128)
  assert.deepEqual(
    told.byModel.map(({ model, usd }) => [model, usd]),
    [
      ['claude-sonnet-4-5-20250929', 0.001596],
      ['claude-haiku-4-5-20251001', 0.000532],
    ],
  )
  assert.deepEqual([told.usage.input, told.usage.output], [24, 68])
})

test('costs of a session that goes on in another process, which may count from nothing', () => {
  const both = (version: string): Rec[] => ['o-first', 'o-resume'].flatMap((name) => fixture(`${version}/${name}.ndjson`))
  const shares = (records: Rec[]) => costs(records).byModel.map(({ model, usd, usage }) => [model.split('-', 3)[1], usd, usage.output])
  assert.equal(costs(both('1.0.128')).usd, 0.0036176)
  assert.deepEqual(shares(both('1.0.128')), [
    ['sonnet', 0.003192, 68],
    ['3', 0.0004256, 34],
  ])
  assert.equal(costs(both('2.0.76')).usd, 0.003724) // goes on with the sums
  assert.equal(costs(both('2.1.325')).usd, 0.003192) // its sums go on, and it tells the share
  // The same model, and more of it than before: less than the turn itself says.
  const used = (count: number) => ({ input_tokens: count, output_tokens: 0 })
  const sums = (count: number) => ({ total_cost_usd: count, modelUsage: { m: { inputTokens: count, outputTokens: 0, costUSD: count } } })
  const turn = (own: number, all: number): Rec[] => [init, ended({ usage: used(own), ...sums(all) })]
  assert.equal(costs([...turn(2, 2), ...turn(3, 3)]).usd, 5)
  assert.equal(costs([...turn(2, 2), ...turn(3, 5)]).usd, 5)
  // A turn that counted nothing is no new beginning.
  assert.equal(costs([...turn(2, 2), init, ended({ total_cost_usd: 0, modelUsage: {} }), ...turn(3, 5)]).usd, 5)
})

test('where the end of a turn tells no usage, its messages do', () => {
  const usage = { input: 12, output: 1, reasoning: 0, cacheRead: 1000, cacheWrite: 200 }
  const model = 'claude-sonnet-4-5-20250929'
  const interrupted = costs(fixture('2.1.325/j-interrupt.ndjson'))
  assert.deepEqual(interrupted, { usd: 0, usage, byModel: [{ model, usage, usd: 0 }], by: 'source' })
  const [transcript] = recordings('2.1.325/b-read.session/') // it tells no results, but a sum of the session
  const { by: _, ...read } = costs(fixture('2.1.325/b-read.ndjson'))
  assert.deepEqual({ ...costs(fixture(transcript!)), byModel: [] }, { ...read, by: 'source', byModel: [] })
  assert.deepEqual(costs(fixture(transcript!)).byModel, [{ model, usage: read.usage, usd: 0 }])
})

test('messages count in their own session, until the end of the turn tells what it used', () => {
  const cost = (usd: number) => ({ usd, by: 'source' as const })
  const end = (session: string, message: string, more: { agent?: string } = {}): Told[] => [
    ['message.start', { model: 'm' }, { session, message, ...more }],
    ['message.end', { finish: 'end_turn', usage: { input: 1 }, usageFinal: true, cost: cost(0.1) }, { session, message, ...more }],
  ]
  const turnEnd = (session: string, more: object = {}): Told => ['turn.end', { reason: 'end_turn', ...more }, { session }]
  const mixed = tellAll([
    ...end('s1', 'a'),
    ...end('s2', 'a'),
    ...end('s1', 'b', { agent: 'sub' }),
    turnEnd('s1', { usage: { input: 5 }, cost: cost(0.7), byModel: [{ model: 'n', usage: { input: 5 }, cost: cost(0.7) }] }),
    ...end('s1', 'c'),
    turnEnd('s1', { usage: { input: 0 }, byModel: [{ model: 'n', usage: { input: 0 } }] }), // broken off
    ...end('s1', 'd'),
  ])
  const all = {
    usd: 1,
    usage: { input: 8 },
    by: 'source',
    byModel: [
      { model: 'n', usage: { input: 5 }, usd: 0.7 },
      { model: 'm', usage: { input: 3 }, usd: 0.3 },
    ],
  }
  assert.deepEqual(costs(mixed), all)
  assert.deepEqual(costs(mixed.filter(({ kind, synthetic }) => kind !== 'turn.end' || synthetic === undefined)), all)
})

test('errors and denials', () => {
  const denied = errorsAndDenials(fixture('2.1.325/e-write-denied.ndjson'))
  assert.deepEqual(
    [denied.denied.map(({ name, call }) => [name, call]), denied.failedCalls.length, denied.errors],
    [[['Write', 'toolu_mock000001']], 1, []],
  )
  assert.deepEqual(
    errorsAndDenials(fixture('2.1.325/h-401.ndjson')).errors.map(({ category }) => category),
    ['auth'],
  )
  assert.deepEqual(
    errorsAndDenials(fixture('1.0.128/j-permission-deny.ndjson')).denied.map(({ name }) => name),
    ['Write'],
  )
})

test('each fault once, wherever it is told', () => {
  const fault = (text: string) => ({ category: 'provider' as const, text })
  const events = tellAll([
    ['error', { scope: 'turn', fatal: false, error: fault('overloaded') }, { session: 's1' }],
    ['message.start', {}, { session: 's1', message: 'a' }],
    ['message.end', { finish: 'error', error: fault('broken') }, { session: 's1', message: 'a' }],
    ['turn.end', { reason: 'error', error: fault('overloaded') }, { session: 's1' }],
    ['session.end', { reason: 'error', error: fault('it gave up') }, { session: 's1' }],
    ['error', { scope: 'turn', fatal: false, error: fault('overloaded') }, { session: 's2' }],
  ])
  assert.deepEqual(
    errorsAndDenials(events).errors.map(({ text }) => text),
    ['overloaded', 'broken', 'it gave up', 'overloaded'],
  )
})

test('refusals are denials: of a request, of a call, of a name', () => {
  const place = { session: 's1' }
  const request: Told = ['permission.request', { id: 'r1', name: 'Write', input: { path: 'a' }, options: [] }, { ...place, call: 'c1' }]
  const answer = (decision: 'allow' | 'reject' | 'expired' | 'withdrawn', more: object = {}): Told => [
    'permission.answer',
    { decision, by: 'user', ...more },
    place,
  ]
  const events = tellAll([
    request,
    answer('reject', { id: 'r1' }),
    answer('reject', { name: 'Bash', input: { command: 'ls' } }),
    answer('expired', { name: 'Bash', input: { command: 'ls' } }),
    answer('allow', { name: 'Read' }),
    answer('withdrawn', { name: 'Fetch' }),
    ['turn.end', { reason: 'end_turn', denied: [{ call: 'c1', name: 'Write' }] }, place],
  ])
  assert.deepEqual(errorsAndDenials(events).denied, [
    { call: 'c1', name: 'Write', input: { path: 'a' } },
    { call: undefined, name: 'Bash', input: { command: 'ls' } },
  ])
})

test('text and bytes are no records: who gives them is told what to do', () => {
  const line = JSON.stringify(ended())
  for (const call of [finalResult, pairedCalls, costs, errorsAndDenials, eventsOf])
    for (const input of [line, new TextEncoder().encode(line), undefined, {}])
      assert.throws(() => call(input as never), { name: 'TypeError', message: /^the input must be records or events.*read\(/ })
})

test('what is no record says nothing', () => {
  assert.equal(finalResult([null, 5, 'x'] as unknown as Rec[]), undefined)
})
