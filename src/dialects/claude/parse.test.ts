// The document's parsing strategy, on recordings and on the document's own session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costs, errorsAndDenials, eventsOf, finalResult, pairedCalls } from './parse.ts'
import type { Rec } from '../../base/json.ts'
import { ended, eventsIn, fixture, init } from './support.test.ts'

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

test('what is no record says nothing', () => {
  assert.equal(finalResult([null, 5, 'x'] as unknown as Rec[]), undefined)
})
