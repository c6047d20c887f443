import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { createShowTotals } from './show-totals.ts'

const usage = { input: 100_000, output: 0 }
const start = { kind: 'session.start', model: 'claude-sonnet-4-5' }
const message = { kind: 'message.end', message: 'm', usage }
const turn = { kind: 'turn.end', reason: 'end_turn', usage, cost: { usd: 7, by: 'source' } }
const end = { kind: 'session.end', reason: 'end_turn' }

function totalsOf(...told: readonly Record<string, unknown>[]) {
  const totals = createShowTotals()
  const events = told.map((event, index) => ({ v: 1, seq: index + 1, session: 's', ...event }) as unknown as Event)
  return { totals, took: events.map(totals.push) }
}

test('a stream that tells its own cost needs no prices, though its messages tell none', () => {
  const { totals, took } = totalsOf(
    start,
    { kind: 'turn.start' },
    message,
    turn,
    { kind: 'turn.start' },
    { ...message, message: 'n' },
    turn,
    end,
  )
  assert.equal(totals.wantsPrices(), false)
  assert.ok(took.every(Boolean))
  assert.deepEqual(totals.take('s').cost, { usd: 14, by: 'source' })
})

test('shares of the models are a cost that is told', () => {
  const { totals } = totalsOf(start, { ...turn, cost: undefined, byModel: [{ model: 'x', usage, cost: { usd: 2, by: 'source' } }] }, end)
  assert.equal(totals.wantsPrices(), false)
  assert.deepEqual(totals.take('s').cost, { usd: 2, by: 'source' })
})

test('what nobody has priced is priced by the list; the end of its session waits for that', async () => {
  const { totals, took } = totalsOf(start, message, { ...turn, usage: undefined, cost: undefined }, { ...message, message: 'n' }, turn, end)
  assert.equal(totals.wantsPrices(), true)
  assert.deepEqual(took, [true, true, true, true, true, false])
  await totals.loadPrices()
  assert.equal(totals.wantsPrices(), false)
  assert.equal(totals.push({ v: 1, seq: 9, session: 's', ...end } as unknown as Event), true)
  assert.deepEqual(totals.take('s').cost, { usd: 7.3, by: 'priced' })
})

test('without prices the tokens are told all the same, and a session that used nothing has neither', () => {
  assert.deepEqual(Object.keys(totalsOf(start, message, end).totals.take('s')), ['usage'])
  assert.deepEqual(totalsOf(start, end).totals.take('s'), {})
})
