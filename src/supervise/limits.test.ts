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

test('an unknown price is told once, and only when something was used', () => {
  const { step } = createLimits({ startedAt: 0, maxCost: 1 })
  assert.deepEqual(
    [ended({}), ended({ usage: { input: 1 } }), ended({ usage: { input: 1 } })].map((event) => names(step(event))),
    [[], ['max_cost_unknown'], []],
  )
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
