// What went wrong, as a digest tells it: findings, errors, silences, loops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { createDigest } from './digest.ts'
import { avenor, call, digestOf, done, end, only, say } from './digest-support.test.ts'

test('findings, with the words around them', () => {
  const digest = avenor(say('all is well. The review'), say('er flagged this'), say(' and more'), end)
  assert.deepEqual(
    only(digest).findings.items.map(({ seq, rule, text }) => [seq, rule, text]),
    [[4, 'text.reviewer-flagged', 'all is well. The reviewer flagged this']],
  )
  assert.deepEqual(digest.classes, { MILESTONE: 2, FINDING: 1, ACTIVITY: 5 })
})
test('a finding in a whole text is shown with what is around it', () => {
  const text = `${'word '.repeat(100)}[finding] here ${'more '.repeat(100)}`
  const [finding] = only(
    digestOf(
      [{ type: 'assistant', session_id: 's', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } }],
      'claude',
    ),
  ).findings.items
  assert.match(finding!.text, /^…(word )+\[finding\] here (more )+more…$/)
})
test('errors are told once, with how often they came; an end that repeats one adds none', () => {
  const broken = { event: 'avenor.error', source: 'backend', message: 'connection lost' }
  const digest = avenor(say('a'), broken, broken, { ...end, stop_reason: 'error' })
  const { errors, ended } = only(digest)
  assert.deepEqual(
    errors.items.map(({ text, times }) => [text, times]),
    [['connection lost', 2]],
  )
  assert.equal(ended.error?.text, 'connection lost')
  assert.ok(digest.counts.errors >= 2)
})
test('an error that a retry follows is a retry; a cancel is no error', () => {
  const fault = (text: string, category = 'provider'): object => ({ category, text })
  const events: object[] = [
    { kind: 'session.start' },
    { kind: 'turn.start' },
    { kind: 'error', scope: 'message', fatal: false, error: fault('overloaded') },
    { kind: 'retry.start', scope: 'model', attempt: 1 },
    { kind: 'error', scope: 'message', fatal: false, error: fault('overloaded') },
    { kind: 'error', scope: 'message', fatal: false, error: fault('no quota'), agent: 'a' },
    { kind: 'retry.start', scope: 'model', attempt: 2 },
    { kind: 'retry.start', scope: 'model', attempt: 3 },
    { kind: 'error', scope: 'session', fatal: false, error: fault('Aborted', 'cancelled') },
    { kind: 'turn.end', reason: 'cancelled', error: fault('Aborted', 'cancelled') },
    { kind: 'session.end', reason: 'cancelled', error: fault('Aborted', 'cancelled') },
  ]
  const digest = createDigest()
  for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, session: 's', ...event } as Event)
  const report = digest.report()
  const { errors, retries, ended } = only(report)
  assert.deepEqual([errors.items.map(({ text, times }) => [text, times]), errors.more, retries], [[['no quota', 1]], 0, 3])
  assert.deepEqual([report.counts.errors, ended.outcome], [1, 'cancelled'])
})
test('an end that is no success is an error for CI, even if no error was told', () =>
  assert.equal(avenor(say('a'), { ...end, stop_reason: 'max_tokens' }).counts.errors, 1))
test('all went well', () => assert.deepEqual(avenor(say('a'), end).counts, { findings: 0, errors: 0, denied: 0 }))
test('the longest silence, and what it waited for', () =>
  assert.deepEqual(only(avenor(say('a'), call('1'), { ...done('1'), ts: 9000 }, { ...end, ts: 9500 })).longestSilence, {
    ms: 7000,
    from: 2000,
    to: 9000,
    seq: 5,
    during: 'Bash',
  }))
test('a clock that is set back makes no time negative', () => {
  const digest = createDigest()
  const events: object[] = [
    { kind: 'run.start' },
    { kind: 'phase.start', name: 'build', iteration: 1, stage: 'loop', at: 9000 },
    { kind: 'phase.end', name: 'build', iteration: 1, reason: 'end_turn', at: 1 },
    { kind: 'permission.request', session: 's', id: '1', options: [], at: 9000 },
    { kind: 'permission.answer', session: 's', id: '1', decision: 'allow', by: 'user', at: 1 },
    { kind: 'task.start', session: 's', task: 't', type: 'agent', at: 9000 },
    { kind: 'task.end', session: 's', task: 't', status: 'ok', at: 1 },
  ]
  for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, ...event } as Event)
  const report = digest.report()
  assert.deepEqual(report.runs[0]!.phases.items, [{ name: 'build', iteration: 1, reason: 'end_turn' }])
  assert.deepEqual(only(report).permissions.items, [{ decision: 'allow', by: 'user' }])
  assert.deepEqual(only(report).subagents.items, [{ task: 't', type: 'agent', status: 'ok' }])
})
test('between turns it waited for a prompt, or for a command in the background, also where turns tell no time', () => {
  const waited = (...between: object[]) => {
    const turn = (at: number): object[] => [
      { kind: 'turn.start', trigger: 'prompt' },
      { kind: 'message.start', at },
      { kind: 'message.end' },
      { kind: 'turn.end', reason: 'end_turn' },
    ]
    const digest = createDigest()
    const events = [...turn(1000), ...between, ...turn(601_000)]
    for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, session: 's', ...event } as Event)
    return only(digest.report())
  }
  const during = (...between: object[]) => waited(...between).longestSilence?.during
  assert.equal(during(), 'a prompt')
  assert.equal(during({ kind: 'prompt.submit', by: 'user', state: 'sent', at: 2000 }), 'the model')
  assert.equal(during({ kind: 'turn.start', trigger: 'prompt', at: 2000 }), 'the model')
  const [start, end] = [
    { kind: 'task.start', task: 'b', type: 'command' },
    { kind: 'task.end', task: 'b', status: 'ok' },
  ]
  const { longestSilence, subagents } = waited(
    { kind: 'turn.start', trigger: 'task' },
    start,
    { kind: 'turn.end', reason: 'end_turn' },
    end,
  )
  assert.deepEqual([longestSilence?.during, subagents.commands], ['a background command', 1])
})
test('a silence between two pieces of a text is a stall', () => {
  const { stalls } = only(avenor(say('a'), say('b'), { ...say('c'), ts: 400_000 }, { ...say('d'), ts: 400_001 }, { ...end, ts: 400_002 }))
  assert.deepEqual(
    stalls.items.map((stall) => stall.type === 'silence' && [stall.forMs, stall.from]),
    [[398_000, 2000]],
  )
})
test('a loop and a stall have their evidence', () => {
  const again = Array.from({ length: 6 }, (_, id) => [call(`${id}`, { rawInput: { command: 'ls' } }), done(`${id}`)]).flat()
  const { stalls } = only(avenor(...again, call('x'), { ...done('x'), ts: 1e6 }, { ...end, ts: 1e6 }))
  assert.deepEqual(
    stalls.items.map((stall) => [stall.type, 'times' in stall ? stall.times : stall.forMs]),
    [
      ['loop', 6],
      ['silence', 987_000],
    ],
  )
})
