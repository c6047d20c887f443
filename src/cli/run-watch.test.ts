import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import type { Frame } from '../run/frame.ts'
import type { AgentFlags } from './run-options.ts'
import { watchOf } from './run-watch.ts'

test('a cap on money knows the prices of models, for agents that tell tokens alone', async () => {
  const { policies } = await watchOf({ maxCost: 0.01, run: {} } as AgentFlags, { settings: {}, profile: {} } as Frame, 0)
  const said = policies.step(makeEvent('message.end', { model: 'claude-sonnet-4-5', usage: { input: 1000, output: 1000 } }, { at: 1 }))
  assert.deepEqual(
    said.map(({ action }) => action.type === 'stop' && action.code),
    ['max_cost'],
  )
})

test('an agent that gives up in another attempt is heard as well', async () => {
  const watch = await watchOf({ run: {} } as AgentFlags, { settings: {}, profile: {} } as Frame, 0)
  const reasons = (label: string): unknown[] =>
    watch.policies
      .step(makeEvent('text.end', { text: `[abort | ${label}]`, streamed: false }, { at: 1, message: label }))
      .map(({ action }) => action.type === 'stop' && action.reason)
  assert.deepEqual([reasons('first'), watch.blockedBy()], [['blocked'], 'first'])
  watch.renew(2)
  assert.deepEqual([reasons('second'), watch.blockedBy()], [['blocked'], 'second'])
})
