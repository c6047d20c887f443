import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import { loadCatalog } from '../prices/packaged.ts'
import type { Frame } from './frame.ts'
import { policiesOf } from './policies.ts'
import { requestOf } from './request.ts'

const parts = { frame: { settings: {}, profile: {} } as Frame, prices: await loadCatalog([]), startedAt: 0 }

test('a cap on money knows the prices of models, for agents that tell tokens alone', () => {
  const { policies } = policiesOf(requestOf({ cwd: '/', maxCost: 0.01 }), parts)
  const said = policies.step(makeEvent('message.end', { model: 'claude-sonnet-4-5', usage: { input: 1000, output: 1000 } }, { at: 1 }), 1)
  assert.deepEqual(
    said.map(({ action }) => action.type === 'stop' && action.code),
    ['max_cost'],
  )
})

test('an agent that gives up in another attempt is heard as well', () => {
  const watch = policiesOf(requestOf({ cwd: '/' }), parts)
  const reasons = (label: string): unknown[] =>
    watch.policies
      .step(makeEvent('text.end', { text: `[abort | ${label}]`, streamed: false }, { at: 1, message: label }), 1)
      .map(({ action }) => action.type === 'stop' && action.reason)
  assert.deepEqual([reasons('first'), watch.blockedBy()], [['blocked'], 'first'])
  watch.renew(2)
  assert.deepEqual([reasons('second'), watch.blockedBy()], [['blocked'], 'second'])
})
