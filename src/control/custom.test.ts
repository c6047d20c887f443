import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../base/json.ts'
import { parseJson } from '../base/json.ts'
import { createBucket } from './bucket.ts'
import { connectTo, readToken } from './client.ts'
import { customEvent } from './custom.ts'
import { clientOf, delta, failure, fakeRun, seqs, take } from './support.test.ts'

const maker = { from: 'agent', record: 1, place: { session: 's', at: 5 } } as const

test("a user's own event is what a reader of Avenor's stream makes of its record", () => {
  const record = { event: 'deploy.done', n: 1.5, nested: { list: [1, null, 'ü'] } }
  const { seq: _seq, ...event } = JSON.parse(JSON.stringify(customEvent(record, maker))) as Rec
  assert.deepEqual(event, {
    v: 1,
    at: 5,
    kind: 'raw',
    session: 's',
    type: 'deploy.done',
    why: 'unknown',
    origin: { dialect: 'avenor', record: 1, offset: 0, length: Buffer.byteLength(JSON.stringify(record)), from: 'agent' },
    raw: JSON.stringify(record),
  })
})

test('a large number keeps its digits', () => {
  const event = customEvent(parseJson('{"event":"count","n":12345678901234567890}'), maker)
  assert.equal(event.raw, '{"event":"count","n":12345678901234567890}')
})

test('nobody can say in his own event what only the stream says', () => {
  const taken = ['session.end', 'permission.response', 'avenor.error', 'agent.status', 'tool.call', 'user.message_chunk', 'avenor.new']
  for (const event of taken) assert.throws(() => customEvent({ event }, maker), /belongs to the stream itself/, event)
  for (const event of ['user.signed_in', 'deploy', 'my.session.end', 'a:b/c-d']) assert.equal(customEvent({ event }, maker).kind, 'raw')
})

test('what is no event, or too much of one, is refused', () => {
  let deep: unknown = 1
  for (let n = 0; n < 40; n++) deep = [deep]
  const cases: [unknown, RegExp][] = [
    [undefined, /JSON object with its name/],
    [[], /JSON object with its name/],
    [{ event: 1 }, /JSON object with its name/],
    [{ event: '' }, /cannot be the name/],
    [{ event: 'a b' }, /cannot be the name/],
    [{ event: 'a\nb' }, /cannot be the name/],
    [{ event: 'x'.repeat(129) }, /cannot be the name/],
    [{ event: 'x', text: 'y'.repeat(65_536) }, /bytes; 65536 at most/],
    [{ event: 'x', deep }, /nested deeper/],
  ]
  for (const [value, message] of cases) assert.throws(() => customEvent(value, maker), message)
})

test('an event from inside the run is marked so, stands in its session, and reaches subscribers', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'))
  run.flush()
  using watcher = await clientOf(run)
  await watcher.call('subscribe')
  using inside = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  await inside.call('emit', { event: { event: 'tests.passed', session_id: 'another', count: 3 } })
  using outside = await clientOf(run)
  await outside.call('emit', { event: { event: 'note' }, token: readToken(run.control.path!) })
  const notices = await take(watcher.notices(), 2)
  assert.deepEqual(seqs(notices), [2, 3])
  assert.deepEqual(
    notices.map(({ params }) => [params['session'], params['type'], (params['origin'] as Rec)['from']]),
    [
      ['s', 'tests.passed', 'agent'],
      ['s', 'note', 'host'],
    ],
  )
})

test('from inside the run nothing else can be asked', async () => {
  await using run = await fakeRun()
  run.ask('q1')
  using inside = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  const token = readToken(run.control.path!)
  for (const method of ['status', 'subscribe', 'history', 'prompt', 'answer_permission', 'cancel', 'shutdown'])
    assert.equal((await failure(inside.call(method, { id: 'q1', option: 'allow_once', text: 'x', token })))['code'], -32601, method)
  assert.deepEqual([run.commands, run.replies], [[], []])
  assert.match((await failure(inside.call('emit', { event: { event: 'session.end' } }))).message, /belongs to the stream/)
  assert.equal(run.told.length, 1)
})

test('too many events from inside the run are refused, with the time to wait', async () => {
  await using run = await fakeRun({ now: () => 1000 })
  using inside = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  for (let n = 0; n < 100; n++) await inside.call('emit', { event: { event: 'tick', n } })
  const error = await failure(inside.call('emit', { event: { event: 'tick' } }))
  assert.deepEqual([error['code'], error['data']], [-32029, { retryMs: 20 }])
  assert.equal(run.told.length, 100)
})

test('an event that is too large ends the connection, not the run', async () => {
  await using run = await fakeRun()
  using inside = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  await assert.rejects(inside.call('emit', { event: { event: 'x', text: 'y'.repeat(200_000) } }))
  using again = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  await again.call('emit', { event: { event: 'x' } })
  assert.equal(run.told.length, 1)
})

test('a run without a control socket still takes events from inside', async () => {
  await using run = await fakeRun({ socket: false })
  assert.equal(run.control.path, undefined)
  using inside = await connectTo(run.control.env.SLUICE_EMIT_SOCKET)
  await inside.call('emit', { event: { event: 'x' } })
  assert.equal(run.told.length, 1)
})

test('a bucket fills up again with time', () => {
  let now = 0
  const bucket = createBucket(2, 10, () => now)
  assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [0, 0, 100])
  now = 60
  assert.equal(bucket.take(), 40)
  now = 100
  assert.deepEqual([bucket.take(), bucket.take()], [0, 100])
  now = 1e6
  assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [0, 0, 100])
})
