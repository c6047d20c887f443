// How sure the dialect is of a record: sure of its own, in doubt where others write the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { claimer } from './claim.ts'
import { fixture } from './support.test.ts'

const claims: [Rec, number][] = [
  [{ type: 'thread.started', thread_id: 't' }, 1],
  [{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message' } }, 1],
  [{ type: 'error', message: 'x' }, 0.5],
  [{ type: 'error', message: 'x', severity: 'warning' }, 0],
  [{ type: 'event_msg', payload: {} }, 1],
  [{ type: 'event_msg' }, 0],
  [{ type: 'assistant', message: { content: [] } }, 0],
  [{ method: 'turn/start', id: 1, params: {} }, 1],
  [{ jsonrpc: '2.0', method: 'turn/start', id: 1, params: {} }, 0.9],
  [{ t: 1, from: 'agent', message: { method: 'item/started', params: {} } }, 1],
  [{ method: 'initialize', id: 1, params: {} }, 0.8],
  [{ jsonrpc: '2.0', method: 'initialize', id: 1, params: {} }, 0],
  [{ jsonrpc: '2.0', method: 'session/update', params: {} }, 0],
  [{ jsonrpc: '2.0', id: 1, result: {} }, 0],
  [{ method: 'made/up', params: {} }, 0.4],
  [{ method: 'POST', url: '/session' }, 0],
  [{ id: 1, result: {} }, 0.3],
  [{ id: 1, result: { decision: 'accept' } }, 0.8],
  [{ id: 1, error: { message: 'x' } }, 0.3],
  [{ t: 1, from: 'agent', message: { jsonrpc: '2.0', id: 1, result: {} } }, 0],
  [{}, 0],
]
for (const [record, claim] of claims) test(`${JSON.stringify(record)}: ${claim}`, () => assert.equal(claimer.claim(record), claim))

test('the version is told by the head of a file, a thread, or the answer to the greeting', () => {
  const versions = (path: string): (string | undefined)[] => fixture(path).map((record) => claimer.version?.(record))
  assert.equal(versions('exec/a-text.rollout.jsonl')[0], '0.166.0')
  assert.deepEqual(
    versions('app-server/a-text.traffic.ndjson').filter((version) => version !== undefined),
    ['0.166.0', '0.166.0', '0.166.0'],
  )
})
