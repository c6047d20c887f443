// What the recordings did, told: calls and their outcome, approvals, subagents, trouble.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { all, eventsIn, only, plain, traffics } from './support.test.ts'

test('every call that starts ends', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const calls = (kind: 'tool.start' | 'tool.end'): string[] => only(events, kind).map(({ call }) => call ?? '')
    assert.deepEqual(calls('tool.end').toSorted(), calls('tool.start').toSorted(), path)
    assert.equal(new Set(calls('tool.start')).size, calls('tool.start').length, path)
  }
})

const outcomes = (path: string): unknown[] =>
  only(eventsIn(path), 'tool.end').map(({ status, exitCode, synthetic }) => plain([status, exitCode ?? null, synthetic ?? null]))

test('what became of a call is what the scenario did', () => {
  assert.deepEqual(outcomes('exec/d-bash-fail.ndjson'), [['error', 3, null]])
  assert.deepEqual(outcomes('exec/d-bash-fail.rollout.jsonl'), [['error', 3, null]])
  assert.deepEqual(outcomes('app-server/d-fail.ndjson'), [['error', 3, null]])
  assert.deepEqual(outcomes('exec/e-write-denied.rollout.jsonl'), [['error', 1, null]])
  assert.deepEqual(outcomes('exec/e-patch-denied.rollout.jsonl'), [['denied', null, null]])
  assert.deepEqual(outcomes('exec/e-escalate.rollout.jsonl'), [['denied', null, null]])
  assert.deepEqual(outcomes('exec/d-unknown-tool.rollout.jsonl'), [['error', null, null]])
  assert.deepEqual(outcomes('exec/d-bad-json.rollout.jsonl'), [['error', null, null]])
  assert.deepEqual(outcomes('exec/e-patch-ok.rollout.jsonl'), [['ok', 0, null]])
  assert.deepEqual(outcomes('app-server/e-decline.traffic.ndjson'), [['denied', null, null]])
  assert.deepEqual(outcomes('exec/q-long-command.ndjson'), [['abandoned', null, 'cut']])
})

test('a command that outlives its turn is a task, and the file tells how it ended', () => {
  const events = eventsIn('exec/q-long-command.rollout.jsonl')
  const [start] = only(events, 'task.start')
  const [end] = only(events, 'task.end')
  assert.deepEqual([start?.type, start?.background, end?.status, end?.text], ['command', true, 'error', 'start\n'])
  assert.equal(only(events, 'tool.end')[0]?.task, start?.task)
  assert.ok(end!.seq > only(events, 'turn.end')[0]!.seq)
})

// ── both directions ──────────────────────────────────────────────────────────────────────────────────────────────────────

const facts = (events: readonly Event[]): Rec[] =>
  events
    .filter(({ kind, session }) => session !== undefined && kind !== 'raw')
    .map(({ seq: _seq, origin: _origin, ...rest }) => plain(rest) as unknown as Rec)

test("recorded traffic tells what the agent's words tell, and the host's; what both tell, once", () => {
  const prompts = (events: readonly Rec[], state: string): unknown[] =>
    events.filter((event) => event['by'] === 'user' && event['state'] === state).map(({ text }) => text)
  const byHost = (event: Rec): boolean => (event['by'] === 'user' && 'state' in event) || event['kind'] === 'permission.answer'
  for (const path of traffics) {
    const [traffic, agent] = [facts(eventsIn(path)), facts(eventsIn(path.replace('.traffic', '')))]
    assert.deepEqual([prompts(traffic, 'sent'), prompts(traffic, 'seen')], [prompts(agent, 'seen'), []], path)
    // Only the host's words say that a thread goes on, and so which of its tokens are those of a message.
    const untold = (event: Rec): boolean => path.includes('o-resume') && /^message\.(start|end)$/.test(String(event['kind']))
    const [both, alone] = [traffic, agent].map((events) => events.filter((event) => !byHost(event) && !untold(event))) as [Rec[], Rec[]]
    assert.deepEqual(
      both.map(({ how: _how, ...rest }) => rest),
      alone,
      path,
    )
  }
})

test('an answer that is not in the recording is what becomes of the call', () => {
  for (const [scenario, decision, option, stop] of [
    ['c-approve', 'allow', 'accept', undefined],
    ['e-decline', 'reject', 'decline', undefined],
    ['e-cancel', 'reject', 'cancel', true],
    ['e-patch-approve', 'allow', 'accept', undefined],
  ] as const) {
    const [alone] = only(eventsIn(`app-server/${scenario}.ndjson`), 'permission.answer')
    assert.deepEqual([alone?.decision, alone?.by, alone?.synthetic], [decision, 'unknown', 'implied'])
    const [answer] = only(eventsIn(`app-server/${scenario}.traffic.ndjson`), 'permission.answer')
    assert.deepEqual(
      [answer?.decision, answer?.by, answer?.option, answer?.stop, answer?.synthetic],
      [decision, 'host', option, stop, undefined],
    )
  }
})

test('a subagent is a lane of its parent', () => {
  const events = eventsIn('app-server/g-subagent.ndjson')
  const [task] = only(events, 'task.start')
  assert.deepEqual([task?.call, task?.prompt, task?.agent], ['call_mock000002', 'SUBTASK-MARKER count', undefined])
  const lane = events.filter(({ agent }) => agent === task?.task)
  assert.deepEqual(
    only(lane, 'text.end').map(({ text }) => text),
    ['Sub: three lines.'],
  )
  assert.deepEqual(
    only(lane, 'tool.end').map(({ call, text }) => [call, text]),
    [['call_mock000008', 'alpha\nbeta\ngamma\n']],
  )
  assert.deepEqual(
    only(events, 'task.end').map((end) => [end.status, end.text, end.usage?.output]),
    [['ok', 'Sub: three lines.', 68]],
  )
  const [end] = only(events, 'turn.end')
  assert.deepEqual([end?.usage?.output, end?.own?.output], [170, 102])
})

// ── trouble ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('provider trouble is retried, then fails the turn, with its category', () => {
  for (const [path, category, retries] of [
    ['exec/h-401.ndjson', 'auth', 2],
    ['exec/h-429.ndjson', 'rate_limit', 2],
    ['exec/h-cut-forever.ndjson', 'network', 2],
    ['exec/h-no-key.ndjson', 'auth', 0],
    ['exec/h-429.rollout.jsonl', 'rate_limit', 0],
    ['app-server/h-401.ndjson', 'auth', 1],
    ['app-server/h-429.ndjson', 'rate_limit', 0],
  ] as const) {
    const events = eventsIn(path)
    assert.equal(only(events, 'retry.start').length, retries, path)
    const [end] = only(events, 'turn.end')
    assert.deepEqual([end?.reason, end?.error?.category], ['error', category], path)
  }
  assert.equal(only(eventsIn('exec/r-sigint.rollout.jsonl'), 'turn.end')[0]?.reason, 'cancelled')
})
