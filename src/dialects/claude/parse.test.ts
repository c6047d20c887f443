// The document's parsing strategy, on recordings and on the document's own session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costs, errorsAndDenials, eventsOf, finalResult, pairedCalls } from './parse.ts'
import { eventsIn, fixture } from './support.test.ts'

test('the final result, from records or events', () => {
  const records = fixture('document/16-session.json')
  assert.deepEqual([finalResult(records)?.outcome, finalResult(records)?.text], ['ok', 'The file contains...'])
  assert.deepEqual(finalResult(records), finalResult(eventsOf(records)))
  assert.deepEqual(
    [finalResult(fixture('2.1.325/h-429.ndjson'))?.outcome, finalResult(eventsIn('2.1.325/j-interrupt.ndjson'))?.outcome],
    ['failed', 'cancelled'],
  )
  assert.equal(finalResult(fixture('2.1.325/m-max-turns.ndjson'))?.reason, 'max_turns')
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
