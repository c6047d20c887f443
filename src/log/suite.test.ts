// What every log must do, whatever keeps it: order, cursors, readers of every kind, writers that die or fail, sessions over many runs.
// Nothing here knows of files.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRandom } from '../testing/random.ts'
import { compareCursors, formatCursor, parseCursor } from './cursor.ts'
import { testDeath, testFaults } from './suite-crash.test.ts'
import { testLists, testSessions } from './suite-sessions.test.ts'
import { delta, deltas, endEvent, type Got, hasCode, startEvent, type Store, take, upTo } from './support.test.ts'

export function testLog(name: string, make: () => Store): void {
  suite(name, () => {
    testOrder(make)
    testReaders(make)
    testSessions(make)
    testDeath(make)
    testFaults(make)
    testLists(make)
  })
}

function testOrder(make: () => Store): void {
  test('events are numbered once, from 1, and read as they were appended', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    const events = [startEvent(), ...deltas(3), endEvent()]
    assert.equal(writer.append(events.slice(0, 2)), formatCursor(1, 2))
    assert.equal(writer.append(events.slice(2)), writer.head())
    assert.deepEqual(
      events.map(({ seq }) => seq),
      upTo(5),
    )
    await writer.close()
    const got = await take(log, { run: 'r' }, undefined, 'end')
    assert.deepEqual(got.events, JSON.parse(JSON.stringify(events)))
    assert.deepEqual(got.end, { type: 'end', why: 'ended', last: formatCursor(1, 5) })
  })

  test('what is appended in a turn of the event loop is visible to others when it is over, and after a flush', async () => {
    const { connect } = make()
    const writer = await connect().open({ run: 'r' })
    const other = connect()
    writer.append(deltas(2))
    writer.flush()
    assert.equal((await take(other, { run: 'r' })).events.length, 2)
    writer.append(deltas(3))
    await new Promise(setImmediate)
    assert.equal((await take(other, { run: 'r' })).events.length, 5)
    await writer.close()
  })

  test('a cursor is the place to go on from, whatever lies around it', async () => {
    const { connect } = make()
    const writer = await connect().open({ run: 'r' })
    const random = createRandom(7)
    for (let n = 0; n < 3000; n++)
      writer.append([delta(random.pick(['a', 'ü→', 'line\n"q"\\', 'x'.repeat(random.pick([10, 1000, 9000]))]))])
    writer.append([delta('y'.repeat(3_000_000))])
    writer.append(deltas(10))
    await writer.close()
    const { events, cursors } = await take(connect(), { run: 'r' }, undefined, 'end')
    assert.deepEqual(
      events.map(({ seq }) => seq),
      upTo(3011),
    )
    for (const at of [1, 2, 1500, 2999, 3000, 3001, 3010, 3011, ...Array.from({ length: 20 }, () => random.int(1, 3011))]) {
      const rest = await take(connect(), { run: 'r' }, cursors[at - 1], 'end')
      assert.deepEqual(rest.cursors, cursors.slice(at))
    }
    assert.deepEqual((await take(connect(), { run: 'r' }, '3000', 'end')).cursors, cursors.slice(3000)) // a bare number
    for (const [index, cursor] of cursors.entries()) if (index > 0) assert.ok(compareCursors(cursors[index - 1]!, cursor) < 0)
  })

  test('wrong cursors, ids and streams are refused', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    await assert.rejects(take(log, { run: 'r' }, 'soon'), hasCode('bad-cursor'))
    await assert.rejects(take(log, { run: 'r' }, formatCursor(7, 1)), hasCode('bad-cursor'))
    await assert.rejects(take(log, { run: 'none' }), hasCode('not-found'))
    await assert.rejects(take(log, { session: 'none' }), hasCode('not-found'))
    await assert.rejects(log.open({ run: '../r' }), hasCode('bad-id'))
    await assert.rejects(writer.join({ session: 'a/b' }), hasCode('bad-id'))
    await writer.close()
    assert.throws(() => writer.append(deltas(1)))
  })

  test('durable means all up to there, for any number who wait', async () => {
    const writer = await make().connect().open({ run: 'r' })
    const cursors = upTo(50).map(() => writer.append(deltas(20)))
    await Promise.all(cursors.map((cursor) => writer.durable(cursor)))
    await writer.durable(cursors[0]!)
    await writer.acknowledged(writer.append(deltas(1)))
    await writer.close()
  })
}

function testReaders(make: () => Store): void {
  test('readers that come at any time, near and far, get every event once, while it is written', async () => {
    const { connect } = make()
    const near = connect()
    const writer = await near.open({ run: 'r' })
    const random = createRandom(3)
    const readers: { after: number; got: Promise<Got> }[] = []
    for (let round = 0; round < 40; round++) {
      writer.append(deltas(random.int(1, 200), 's', 'z'.repeat(random.int(0, 400))))
      if (random.chance(0.4)) writer.flush()
      if (random.chance(0.5)) await new Promise(setImmediate)
      const after = random.int(0, parseCursor(writer.head())!.seq)
      const log = random.pick([near, connect()])
      if (log !== near) writer.flush() // a cursor is known to others when the event is
      readers.push({ after, got: take(log, { run: 'r' }, after === 0 ? undefined : formatCursor(1, after), 'end') })
    }
    const last = parseCursor(writer.head())!.seq
    await writer.close()
    for (const { after, got } of readers) {
      const { events, end, items } = await got
      assert.deepEqual(
        events.map(({ seq }) => seq),
        upTo(last, after + 1),
      )
      assert.equal(end?.type === 'end' && end.why, 'ended')
      assert.ok(items.filter(({ type }) => type === 'live').length <= 1)
    }
  })

  test('a reader who takes his time keeps nothing waiting, and gets no more at once than he must', async () => {
    const { connect } = make()
    const log = connect()
    const writer = await log.open({ run: 'r' })
    const slow = log.read({ run: 'r' })
    writer.append(deltas(1))
    const first = await slow.next()
    assert.equal(first.value?.type, 'events')
    for (let n = 0; n < 200; n++) {
      writer.append(deltas(100, 's', 'x'.repeat(500)))
      writer.flush()
    }
    await writer.close()
    let seq = 1
    for await (const item of slow) {
      if (item.type !== 'events') continue
      assert.ok(item.lines.length <= 1 << 20)
      for (const event of item.events()) assert.equal(event.seq, ++seq)
    }
    assert.equal(seq, 20_001)
  })

  test('an aborted reader ends without an error, at once', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    writer.append(deltas(3))
    const stop = new AbortController()
    const { promise: isLive, resolve } = Promise.withResolvers<void>()
    const reading = (async () => {
      const types: string[] = []
      for await (const { type } of log.read({ run: 'r' }, undefined, stop.signal)) {
        types.push(type)
        if (type === 'live') resolve()
      }
      return types
    })()
    await isLive
    stop.abort()
    assert.deepEqual(await reading, ['events', 'live'])
    for await (const item of log.read({ run: 'r' }, undefined, stop.signal)) assert.fail(item.type)
    await writer.close()
  })
}
