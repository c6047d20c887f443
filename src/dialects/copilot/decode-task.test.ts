// Subagents by value: they are lanes, named by `agentId`, in older versions by the call that started them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../../../test/canonical.ts'
import type { Rec } from '../../base/json.ts'
import { by, decodeAll, idle, inRun, live, only, prompt, rec, result, turnEnd, turnStart } from './support.test.ts'

const call = rec('tool.execution_start', { toolCallId: 'c', toolName: 'task', arguments: { agent_type: 'explore' } })
const done = rec('tool.execution_complete', { toolCallId: 'c', success: true, result: { content: 'three lines' } })
const about = { toolCallId: 'c', agentName: 'explore', agentDisplayName: 'Explore Agent' }
const started = rec('subagent.started', { ...about, model: 'm' }, by('a1'))
const completed = rec('subagent.completed', { ...about, totalTokens: 1246, totalToolCalls: 1 }, by('a1'))
const child = (record: Rec): Rec => ({ ...record, ...by('a1') })
const inLane = [
  child(rec('user.message', { content: 'Count lines' })),
  child({ ...turnStart, id: 'call-2' }),
  child(rec('session.usage_record', { usage: { model: 'small', inputTokens: 5, outputTokens: 2 } })),
  child(rec('assistant.message', { content: 'Reading.', toolRequests: [] })),
  child(rec('tool.execution_start', { toolCallId: 'd', toolName: 'view', arguments: { path: 'notes.txt' } })),
  child(rec('tool.execution_complete', { toolCallId: 'd', success: true, result: { content: 'alpha' } })),
  child(turnEnd),
]

test('a subagent is a lane with its own prompt, model calls and tools', () => {
  const events = decodeAll(
    inRun(
      rec('session.usage_record', { usage: { model: 'm', inputTokens: 10, outputTokens: 1 } }),
      call,
      started,
      ...inLane,
      completed,
      done,
    ),
  )
  const [task] = only(events, 'task.start')
  assert.deepEqual(
    [task?.task, task?.call, task?.agent, task?.agentType, task?.title, task?.model],
    ['a1', 'c', undefined, 'explore', 'Explore Agent', 'm'],
  )
  assert.deepEqual(
    events.filter(({ agent }) => agent === 'a1').map(({ kind }) => kind),
    ['prompt.submit', 'message.start', 'usage.update', 'text.end', 'tool.start', 'tool.end', 'message.end'],
  )
  assert.equal(only(events, 'prompt.submit')[1]?.by, 'agent')
  assert.deepEqual(
    only(events, 'task.end').map(({ status, tokens }) => [status, tokens]),
    [['ok', 1246]],
  )
  assert.equal(only(events, 'turn.start').length, 1)
  const [turn] = only(events, 'turn.end')
  assert.deepEqual([turn?.usage, turn?.own, turn?.steps], [{ input: 15, output: 3 }, { input: 10, output: 1 }, 1])
  assert.deepEqual(
    turn?.byModel?.map(({ model, usage }) => [model, usage]),
    [
      ['m', { input: 10, output: 1 }],
      ['small', { input: 5, output: 2 }],
    ],
  )
  assert.deepEqual(breachesOf(events), [])
})

test('older versions name a subagent by the call that started it', () => {
  const old = (record: Rec): Rec => ({ ...record, data: { ...(record['data'] as Rec), parentToolCallId: 'c' } })
  const said = old(rec('assistant.message', { content: 'Sub.', toolRequests: [] }))
  const start = rec('subagent.started', about)
  const events = decodeAll(inRun(call, start, said, rec('subagent.completed', about), done))
  assert.deepEqual([only(events, 'task.start')[0]?.task, only(events, 'text.end')[0]?.agent], ['c', 'c'])
  const unannounced = decodeAll(inRun(call, said, done))
  assert.deepEqual([only(unannounced, 'task.start')[0]?.synthetic, only(unannounced, 'task.start')[0]?.call], ['implied', 'c'])
  for (const each of [events, unannounced]) assert.deepEqual(breachesOf(each), [])
})

test('a subagent that its caller does not wait for goes on in the background', () => {
  const background = rec('subagent.started', { ...about, executionMode: 'background' }, by('a1'))
  const events = decodeAll([prompt, turnStart, call, background, done, turnEnd, idle, ...inLane, completed, result])
  assert.equal(only(events, 'task.start')[0]?.background, true)
  assert.equal(only(events, 'tool.end')[0]?.task, 'a1')
  assert.equal(only(events, 'text.end')[0]?.turn, 1)
  assert.deepEqual(breachesOf(events), [])
})

test('subagents fail, are cancelled, or are still open at the end', () => {
  const failed = rec('subagent.failed', { ...about, error: 'HTTP 400' }, by('a1'))
  const cancelled = rec('subagent.completed', { ...about, cancelled: true }, by('a1'))
  const end = (...records: Rec[]) => {
    const [task] = only(decodeAll(inRun(call, started, ...records)), 'task.end')
    return [task?.status, task?.error?.text, task?.synthetic]
  }
  assert.deepEqual(end(failed), ['error', 'HTTP 400', undefined])
  assert.deepEqual(end(cancelled), ['cancelled', undefined, undefined])
  assert.deepEqual(end(), ['abandoned', undefined, 'cut'])
})

test('trouble of a subagent is not trouble of the turn', () => {
  const events = decodeAll(
    inRun(call, started, child(rec('session.error', { errorType: 'rate_limit', message: 'slow' })), child(idle), completed, done),
  )
  assert.deepEqual(
    only(events, 'error').map(({ scope, fatal, agent, error }) => [scope, fatal, agent, error.category]),
    [['task', false, 'a1', 'rate_limit']],
  )
  assert.equal(only(events, 'turn.end')[0]?.reason, 'end_turn')
})

test('choosing an agent for the session is another matter', () => {
  const events = decodeAll(
    inRun(
      rec('subagent.selected', { agentName: 'reviewer', agentDisplayName: 'Reviewer', tools: null }),
      call,
      started,
      child(rec('subagent.configured', { model: 'x' })),
      completed,
      done,
    ),
  )
  assert.equal(only(events, 'session.update')[0]?.agentName, 'reviewer')
  assert.deepEqual(
    only(events, 'task.update').map(({ task, state, label }) => [task, state, label]),
    [['a1', 'configured', 'x']],
  )
})

test('what comes after a subagent has ended is still its own, and does not start it again', () => {
  const late = child(rec('session.usage_record', { usage: { inputTokens: 1 } }, live))
  const events = decodeAll(inRun(call, started, completed, late, completed, done))
  assert.deepEqual(
    [only(events, 'task.start').length, only(events, 'task.end').length, only(events, 'usage.update')[0]?.agent],
    [1, 1, 'a1'],
  )
  assert.deepEqual(breachesOf(events), [])
})
