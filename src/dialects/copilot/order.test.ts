// Legality: the rejected corpus, repair, and made-up streams.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { copilot } from './index.ts'
import { rules } from './order.ts'
import { codesOf, findingsOf, fixture, inRun, jsonFixture, live, namesIn, plain, prompt, rec, turnEnd, turnStart } from './support.test.ts'

const expected = jsonFixture('rejected/expected.json') as Record<string, string[]>

test('each stream of the rejected corpus breaks the rule it was made for', () => {
  assert.deepEqual(
    namesIn('rejected/', '.ndjson').toSorted(),
    Object.keys(expected)
      .map((name) => `rejected/${name}`)
      .toSorted(),
  )
  for (const [name, codes] of Object.entries(expected)) assert.deepEqual(codesOf(fixture(`rejected/${name}`)), codes, name)
})

test('every rule is broken by some stream of the corpus', () => {
  const broken = new Set(Object.values(expected).flat())
  for (const code of Object.keys(rules)) assert.ok(broken.has(code), code)
})

test('model calls of several agents may overlap', () => {
  const lane = (record: Rec): Rec => ({ ...record, agentId: 'a1' })
  assert.deepEqual(codesOf(inRun(lane(turnStart), lane(turnEnd))), [])
})

test('while a subagent runs, model calls that name no agent may be its own', () => {
  const about = { toolCallId: 'c', agentName: 'explore' }
  const nested = [rec('assistant.turn_start', { turnId: '9' }), rec('assistant.turn_end', { turnId: '9' })]
  assert.deepEqual(
    codesOf([prompt, ...nested, ...inRun(rec('subagent.started', about), ...nested, rec('subagent.completed', about)).slice(1, 3)]),
    ['missing-end'],
  )
})

test('a call that is open when its run ends is only a warning', () => {
  const call = rec('tool.execution_start', { toolCallId: 'c', toolName: 'bash' })
  assert.deepEqual(
    findingsOf(inRun(call)).map(({ code, severity }) => [code, severity]),
    [['open-call', 'warn']],
  )
})

function repaired(records: readonly Rec[]): Rec[] {
  const order = copilot.order()
  const whole = records.flatMap((record) => {
    const tag = copilot.tag(record)!
    const missing = order.missing(record, tag)
    order.push(record, tag, () => {})
    return [...missing, record]
  })
  return plain([...whole, ...order.missing(undefined, undefined)])
}

test('repair completes open calls and adds the end that the stream lacks', () => {
  for (const name of ['no-result', 'no-shutdown', 'no-end-with-open-call', 'open-call'])
    assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}.ndjson`))), [], name)
  const call = rec('tool.execution_start', { toolCallId: 'c', toolName: 'bash' })
  const timestamp = '2026-11-15T20:04:06.459Z'
  const error = { message: 'the call was not completed', code: 'failure' }
  assert.deepEqual(repaired([prompt, rec('session.tools_updated', {}, live), call]).slice(3), [
    { type: 'tool.execution_complete', timestamp, data: { toolCallId: 'c', success: false, error } },
    { type: 'result', timestamp, sessionId: 'session-1', exitCode: 1 },
  ])
})

test('repair changes nothing in a whole recording', () => {
  for (const name of ['e-write-edit-ok.ndjson', 'e-write-edit-ok.session.jsonl']) assert.deepEqual(repaired(fixture(name)), fixture(name))
})
