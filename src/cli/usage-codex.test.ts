import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createUsage } from '../analyze/usage.ts'
import { createRollouts } from './usage-codex.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-rollouts-'))
const at = (second: number): string => new Date(Date.UTC(2026, 10, 15, 12, 0, second)).toISOString()
const usage = (input: number): object => ({
  input_tokens: input,
  cached_input_tokens: input / 2,
  output_tokens: 10,
  reasoning_output_tokens: 4,
  total_tokens: input + 10,
})
const sum = (calls: number[]): object => ({
  input_tokens: calls.reduce((a, b) => a + b, 0),
  cached_input_tokens: calls.reduce((a, b) => a + b, 0) / 2,
  output_tokens: 10 * calls.length,
  reasoning_output_tokens: 4 * calls.length,
})
const meta = (id: string, second: number, more: object = {}): object => ({
  timestamp: at(second),
  type: 'session_meta',
  payload: { id, cwd: '/home/dev', model_provider: 'openai', ...more },
})
const context = { timestamp: at(0), type: 'turn_context', payload: { model: 'gpt-5.5' } }
/** The sums that a thread tells after each call; `before` are calls of the parent whose sums it goes on with. */
const counts = (calls: number[], second: number, step: number, before: number[] = []): object[] =>
  calls.map((call, index) => ({
    timestamp: at(second + index * step),
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: { total_token_usage: sum([...before, ...calls.slice(0, index + 1)]), last_token_usage: usage(call) },
    },
  }))
const record = (id: string, call: number, second: number): object => ({
  timestamp: at(second),
  type: 'token_usage_record',
  payload: { response_id: id, usage: usage(call) },
})

let files = 0
function totalOf(rollouts: object[][]): number {
  const account = createUsage()
  const read = createRollouts(account.book)
  for (const lines of rollouts) {
    const path = join(folder, `rollout-${++files}.jsonl`)
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    read(path)
  }
  const { input, cacheRead } = account.report().totals
  return input + cacheRead
}

const parent = [meta('parent', 0), context, ...counts([100, 200], 1, 5)]
const forked = { forked_from_id: 'parent' }
const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: 'parent' } } } }

test('the sums of a thread become shares, in all five buckets', () => {
  const account = createUsage()
  const path = join(folder, 'alone.jsonl')
  writeFileSync(path, parent.map((line) => JSON.stringify(line)).join('\n'))
  createRollouts(account.book)(path)
  const { totals, models, projects } = account.report()
  assert.deepEqual([totals.input, totals.cacheRead, totals.output, totals.reasoning], [150, 150, 12, 8])
  assert.deepEqual([models[0]?.key, projects[0]?.key], ['gpt-5.5', '/home/dev'])
})

test('records of single calls and the sums beside them count once', () => {
  const lines = [meta('both', 0), context, record('r1', 100, 1), ...counts([100], 2, 1), record('r2', 50, 3), ...counts([50], 4, 1, [100])]
  assert.equal(totalOf([lines]), 150)
})

test('copies of one rollout count once, whichever of them goes on', () => {
  const resumed = [...parent, ...counts([40], 90, 5, [100, 200])]
  assert.equal(totalOf([parent, parent]), 300)
  assert.equal(totalOf([parent, resumed]), 340)
  assert.equal(totalOf([resumed, parent]), 340)
  const fork = [meta('fork', 120, forked), meta('parent', 0), ...counts([100, 200, 40], 120, 0), ...counts([5], 150, 5, [100, 200, 40])]
  assert.equal(totalOf([resumed, parent, fork]), 345)
})

test('a fork that copies the sums of its parent counts only its own calls', () => {
  const copiedAtOnce = [meta('fork', 60, forked), meta('parent', 0), ...counts([100, 200], 60, 0), ...counts([40], 90, 5, [100, 200])]
  assert.equal(totalOf([parent, copiedAtOnce]), 340)
  const withOldTimes = [meta('fork', 60, forked), meta('parent', 0), ...counts([100, 200], 1, 5), ...counts([40], 90, 5, [100, 200])]
  assert.equal(totalOf([parent, withOldTimes]), 340)
})

test('a fork whose parent is gone is cut where its own calls begin', () => {
  const fork = [meta('fork', 60, forked), meta('parent', 0), ...counts([100, 200], 60, 0), ...counts([40, 50], 90, 5, [100, 200])]
  assert.equal(totalOf([fork]), 90)
})

test('a fork that goes on with the sums of its parent without copying them counts its own calls', () => {
  assert.equal(totalOf([parent, [meta('fork', 60, forked), ...counts([40, 50], 90, 5, [100, 200])]]), 390)
})

test('a subagent that copies nothing counts whole, also when its first call is like the first of its parent', () => {
  assert.equal(totalOf([parent, [meta('child', 60, spawned), meta('parent', 0), context, ...counts([100, 70], 61, 5)]]), 470)
})

test('a subagent with records of its calls counts these alone', () => {
  const child = [
    meta('child', 60, spawned),
    meta('parent', 0),
    ...counts([100, 200], 60, 0),
    record('c1', 30, 70),
    ...counts([30], 71, 1, [100, 200]),
  ]
  assert.equal(totalOf([parent, child]), 330)
})

test('many subagents of one parent do not count it again', () => {
  const children = Array.from({ length: 20 }, (_, index) => [
    meta(`child-${index}`, 60 + index, spawned),
    meta('parent', 0),
    ...counts([100, 200], 60 + index, 0),
    ...counts([index + 1], 90 + index, 5, [100, 200]),
  ])
  assert.equal(totalOf([parent, ...children]), 300 + 210)
})
