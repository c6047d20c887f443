// Order: legal sequences that look odd pass, each rejected stream leads to its findings, a repair makes it legal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { codesOf, done, ends, event, item, meta, notify, repaired, serverItem, starts, thread, turn } from './support.test.ts'

const legal: Record<string, Rec[]> = {
  'an error item before the turn': [thread, item('completed', 'error', { message: 'x' }), turn, done],
  'an item that is never completed': [thread, turn, item('started', 'command_execution', { command: 'x' }), done],
  'a command that is completed after its turn': [
    thread,
    turn,
    item('started', 'command_execution', { command: 'x' }),
    done,
    item('completed', 'command_execution', { command: 'x' }),
  ],
  'a run after another': [thread, turn, done, { type: 'thread.started', thread_id: 'u' }, turn, done],
  'turns of two threads at once': [starts('a', '1'), starts('b', '2'), ends('completed', {}, 'a', '1'), ends('completed', {}, 'b', '2')],
  'an item of the app-server that outlives its turn': [
    starts(),
    serverItem('started', 'commandExecution', { command: 'x' }),
    ends(),
    serverItem('completed', 'commandExecution', { command: 'x' }),
  ],
  "a host's words alone": [
    { id: 1, method: 'turn/start', params: { threadId: 't', input: [] } },
    { id: 0, result: { decision: 'accept' } },
  ],
  'a request and word of its answer': [
    starts(),
    { id: 0, method: 'item/fileChange/requestApproval', params: { threadId: 't', turnId: '1', itemId: 'c' } },
    notify('serverRequest/resolved', { requestId: 0 }),
    ends(),
  ],
  'a file after another, numbered anew': [
    { ...meta(), ordinal: 0 },
    { ...event('task_started'), ordinal: 1 },
    { ...event('task_complete'), ordinal: 2 },
    { ...meta({ id: 'u' }), ordinal: 0 },
  ],
  'an aborted turn in an old file, which never tells how turns begin': [meta(), event('user_message'), event('turn_aborted')],
  'a forked file with a copy in which a turn has no end': [
    meta({ id: 'b', forked_from_id: 'a' }),
    meta({ id: 'a' }),
    event('task_started', { turn_id: '1' }),
    event('task_started', { turn_id: '2' }),
    event('task_complete', { turn_id: '2' }),
  ],
}
for (const [what, records] of Object.entries(legal)) test(`${what} is legal`, () => assert.deepEqual(codesOf(records), []))

test('a repair adds the ends of turns, in the form that the stream has', () => {
  const open: Record<string, Rec[]> = {
    exec: [thread, turn],
    'exec, the next run': [thread, turn, thread, turn, done],
    'app-server': [starts(), starts('u', '2')],
    'app-server, the next turn': [starts(), starts('t', '2'), ends('completed', {}, 't', '2')],
    traffic: [{ t: 5, from: 'agent', message: starts() }],
    rollout: [
      { ...meta(), ordinal: 0 },
      { ...event('task_started', { turn_id: '1' }), ordinal: 1 },
    ],
  }
  for (const [form, records] of Object.entries(open)) {
    assert.notDeepEqual(codesOf(records), [], form)
    assert.deepEqual(codesOf(repaired(records)), [], form)
  }
  assert.deepEqual(repaired(open['traffic']!)[1]?.['from'], 'agent')
})
