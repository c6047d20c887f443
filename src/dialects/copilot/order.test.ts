// Legality: the rejected corpus, repair, and made-up streams.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { unmarked } from '../support.test.ts'
import { codesOf, findingsOf, fixture, inRun, live, prompt, rec, repaired, turnEnd, turnStart } from './support.test.ts'

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

test('repair completes open calls and adds the end that the stream lacks', () => {
  for (const name of ['no-result', 'no-shutdown', 'no-end-with-open-call', 'open-call'])
    assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}.ndjson`))), [], name)
  const call = rec('tool.execution_start', { toolCallId: 'c', toolName: 'bash' })
  const timestamp = '2026-11-15T20:04:06.459Z'
  const error = { message: 'the call was not completed', code: 'failure' }
  assert.deepEqual(unmarked(repaired([prompt, rec('session.tools_updated', {}, live), call])).slice(3), [
    { type: 'tool.execution_complete', timestamp, data: { toolCallId: 'c', success: false, error } },
    { type: 'result', timestamp, sessionId: 'session-1', exitCode: 1 },
  ])
})

test('repair changes nothing in a whole recording', () => {
  for (const name of ['e-write-edit-ok.ndjson', 'e-write-edit-ok.session.jsonl']) assert.deepEqual(repaired(fixture(name)), fixture(name))
})
