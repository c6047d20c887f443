import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createLimits, type LimitAction } from './limits.ts'

const ended = (payload: Payload<'message.end'>, agent?: string): Event => makeEvent('message.end', payload, { agent })
const costing = (usd: number, agent?: string): Event => ended({ usage: { input: 1 }, cost: { usd, by: 'priced' } }, agent)
const names = (actions: readonly LimitAction[]): string[] =>
  actions.map((action) => (action.type === 'stop' ? `stop ${action.reason}` : (action.notice.code ?? '')))

test('the turn cap warns when it is near and stops after the last message that wants more', () => {
  const { step } = createLimits({ startedAt: 0, maxTurns: 5 })
  const said = Array.from({ length: 6 }, () => names(step(ended({ finish: 'tool_use' }))))
  assert.deepEqual(said, [[], [], [], ['max_turns_near'], ['stop max_turns'], []])
})

test('an answer as the last message is no stop, subagents do not count, and a prompt starts anew', () => {
  const { step } = createLimits({ startedAt: 0, maxTurns: 1 })
  assert.deepEqual(step(ended({ finish: 'tool_use' }, 'sub-1')), [])
  assert.deepEqual(step(ended({ finish: 'end_turn' })), [])
  assert.deepEqual(step(makeEvent('turn.start', { trigger: 'prompt' }, {})), [])
  assert.deepEqual(names(step(ended({ finish: 'tool_use' }))), ['stop max_turns'])
})

test('the cost cap counts all lanes, warns once and stops once', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1 })
  assert.deepEqual(
    [costing(0.5), costing(0.35, 'sub-1'), costing(0.05), costing(0.2), costing(1)].map((event) => names(step(event))),
    [[], ['max_cost_near'], [], ['stop budget'], []],
  )
})

test('what is used up stays used up in another attempt', () => {
  const { step, renew, isSpent } = createLimits({ startedAt: 0, maxCost: 1 })
  step(costing(0.9))
  renew(1)
  assert.equal(isSpent(), false)
  assert.deepEqual(names(step(costing(0.2))), ['stop budget'])
  assert.equal(isSpent(), true)
})

test('an unknown price is told once, and only when something was used', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1 })
  assert.deepEqual(
    [ended({}), ended({ usage: { input: 1 } }), ended({ usage: { input: 1 } })].map((event) => names(step(event))),
    [[], ['max_cost_unknown'], []],
  )
})

test('an unknown price is told too when only a turn says what was used, or says that it cost nothing', () => {
  const used = (payload: Partial<Payload<'turn.end'>>): Event =>
    makeEvent('turn.end', { reason: 'end_turn', usage: { input: 1 }, ...payload }, { at: 1 })
  const said = (event: Event, price?: () => number): string[] => names(createLimits({ startedAt: 0, maxCost: 1, price }).step(event))
  assert.deepEqual(said(used({})), ['max_cost_unknown'])
  assert.deepEqual(said(used({ cost: { usd: 0, by: 'source' } })), ['max_cost_unknown'])
  assert.deepEqual(said(used({ cost: { usd: 0.1, by: 'source' } })), [])
  assert.deepEqual(
    said(used({}), () => 0),
    [],
  )
})

test('what has no price does not hide that the rest has reached the cap', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1, price: ({ model }) => (model === 'known' ? 1e9 : undefined) })
  const turn = makeEvent(
    'turn.end',
    {
      reason: 'end_turn',
      usage: { input: 2 },
      byModel: [
        { model: 'known', usage: { input: 1 } },
        { model: 'other', usage: { input: 1 } },
      ],
    },
    { at: 1 },
  )
  assert.deepEqual(names(step(turn)), ['max_cost_unknown', 'stop budget'])
})

test('the time cap warns at 80 % and stops at the end, with the code of the cap', () => {
  const { tick } = createLimits({ startedAt: 1000, timeoutMs: 1000 })
  assert.deepEqual(
    [1500, 1850, 1900, 2000, 2100].map((now) => names(tick(now))),
    [[], ['timeout_near'], [], ['stop timeout'], []],
  )
  const [stop] = createLimits({ startedAt: 0, timeoutMs: 10 }).tick(10)
  assert.equal(stop?.type === 'stop' && stop.code, 'timeout')
})

test('without caps nothing is said', () => {
  const { step, tick } = createLimits({ startedAt: 0 })
  assert.deepEqual([...step(costing(1e9)), ...step(ended({ finish: 'tool_use', usage: { input: 1 } })), ...tick(1e15)], [])
})

const called = (agent?: string): Event => makeEvent('tool.start', { name: 'read', toolKind: 'read' }, { agent })

test('the cap on calls counts all lanes, lets the last one be made, and does not wait for one more', () => {
  const { step } = createLimits({ startedAt: 0, maxToolCalls: 5 })
  const said = [called(), called('sub-1'), called(), called(), called(), called(), called()].map((event) => step(event))
  assert.deepEqual(said.map(names), [[], [], [], ['max_tool_calls_near'], [], ['stop budget'], []])
  const [stop] = said[5]!
  assert.ok(stop?.type === 'stop' && stop.when === 'now' && stop.code === 'max_tool_calls')
})

test('the token cap counts all lanes and buckets', () => {
  const { step } = createLimits({ startedAt: 0, maxTokens: 100 })
  const said = [
    ended({ usage: { input: 30, cacheRead: 20 } }),
    ended({ usage: { output: 20, reasoning: 10 } }, 'sub-1'),
    ended({ usage: { input: 10 } }),
    ended({ usage: { cacheWrite: 10 } }),
    ended({ usage: { input: 10 } }),
  ].map((event) => names(step(event)))
  assert.deepEqual(said, [[], ['max_tokens_near'], [], ['stop budget'], []])
})

test('what an agent tells late, in sums or as running totals is counted, and once', () => {
  const turn = makeEvent('turn.end', { reason: 'end_turn', usage: { input: 90 }, cost: { usd: 0.9, by: 'source' } }, { at: 1 })
  const { step } = createLimits({ startedAt: 0, maxTokens: 100, maxCost: 1 })
  assert.deepEqual(names(step(ended({ usage: { input: 90 } }))), ['max_tokens_near', 'max_cost_unknown'])
  assert.deepEqual(names(step(turn)), ['max_cost_near'])
  const total = makeEvent('usage.update', { scope: 'session', cumulative: true, usage: { input: 99 }, cost: { usd: 1, by: 'source' } }, {})
  assert.deepEqual(names(step(total)), ['stop budget'])
})

test('what earlier runs of the session had spent is not spent by this one', () => {
  const place = { session: 's' }
  const begun = (how: 'new' | 'resumed'): Event => makeEvent('session.start', { how }, place)
  const turn = makeEvent('turn.start', { trigger: 'prompt' }, place)
  const total = (usd: number, input: number): Event =>
    makeEvent('usage.update', { scope: 'session', cumulative: true, usage: { input }, cost: { usd, by: 'source' } }, place)
  const history = [begun('new'), turn, total(1, 100), total(2, 200)]
  const said = (before: readonly Event[], ...events: Event[]): string[] => {
    const { step } = createLimits({ startedAt: 0, maxTokens: 100, maxCost: 1, history: before })
    return events.flatMap((event) => names(step(event)))
  }
  assert.deepEqual(said(history, begun('resumed'), turn, total(2.5, 250)), [])
  assert.deepEqual(said(history, begun('resumed'), turn, total(2.5, 299), total(3, 299)), ['max_tokens_near', 'stop budget'])
  // It counts anew, or tells first what was there before.
  assert.deepEqual(said(history, begun('resumed'), turn, total(0.5, 50), total(1, 60)), ['stop budget'])
  assert.deepEqual(said([], begun('resumed'), total(2, 200), turn, total(2.5, 250), total(3, 260)), ['stop budget'])
  assert.deepEqual(said([], begun('new'), total(1, 1)), ['stop budget'])
})

test('tokens without a cost are priced', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1, price: ({ tokens }) => (tokens.input ?? 0) * 1e9 })
  assert.deepEqual(names(step(ended({ usage: { input: 1 } }))), ['stop budget'])
})

test('a model that costs nothing has a known price', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1 })
  assert.deepEqual(names(step(costing(0))), [])
})
