// Writers that die, and logs that cannot be written: for every log. `SLUICE_CRASH_ROUNDS` makes the sweep of kills as long as one likes.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { createRandom } from '../testing/random.ts'
import type { Cursor, Writer } from './contract.ts'
import { formatCursor, start } from './cursor.ts'
import { deltas, endEvent, hasCode, run, startEvent, type Store, syntheticEnds, take, textsOf, turnEvent, upTo } from './support.test.ts'

/** A writer that goes on until it is killed. It says when each of its events is durable. */
const endless = `
  const writer = await log.open({ run: 'r' })
  await writer.join({ session: 's' })
  const event = (kind, fields) => ({ v: 1, seq: 0, kind, session: 's', ...fields })
  await writer.durable(writer.append([event('session.start', {}), event('turn.start', { trigger: 'prompt', turn: 1 })]))
  console.log('started')
  for (;;) {
    const cursor = writer.append(Array.from({ length: 5 }, (_, n) => event('text.delta', { text: 'x'.repeat(n * 300) })))
    await writer.durable(cursor)
    console.log(cursor)
  }`

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export function testDeath(make: () => Store): void {
  const rounds = Number(process.env['SLUICE_CRASH_ROUNDS'] ?? 4)

  test('a writer killed at any moment: nothing that was durable is lost, no number is missing, one end, and the session goes on', async () => {
    const random = createRandom(11)
    for (let round = 0; round < rounds; round++) {
      const { connect, program } = make()
      const child = run(program(endless))
      await child.line()
      let durable: Cursor = start
      for (let acks = random.int(0, 60); acks > 0; acks--) durable = await child.line()
      const following = take(connect(), { run: 'r' }, undefined, 'end')
      await killed(child)
      const log = connect()
      const writer = await log.open({ run: 'again' })
      assert.equal((await writer.join({ session: 's' })).run, 'again')
      writer.append([startEvent(), endEvent()])
      await writer.close()
      for (const got of [await following, await take(log, { run: 'r' }, undefined, 'end')]) {
        assert.equal(got.end?.type === 'end' && got.end.why, 'died')
        assert.deepEqual(
          got.events.map(({ seq }) => seq),
          upTo(got.events.length),
        )
        assert.equal(syntheticEnds(got.events).length, 1)
        assert.ok(got.cursors.includes(durable) || durable === start)
      }
      const session = await take(log, { session: 's' })
      assert.deepEqual(
        session.events.filter(({ kind }) => kind === 'session.start' || kind === 'session.end').map(({ kind }) => kind),
        ['session.start', 'session.end', 'session.start', 'session.end'],
      )
    }
  })

  test('a stopped writer is alive; 24 who notice its death at once write one end', async () => {
    const { connect, program } = make()
    const child = run(program(endless))
    await child.line()
    child.kill('SIGSTOP')
    assert.equal(await connect().reap('r'), 'alive')
    const noticers = Array.from({ length: 24 }, () =>
      run(program(`console.log('ready'); for await (const _ of process.stdin) { console.log(await log.reap('r')); process.exit() }`)),
    )
    await Promise.all(noticers.map((noticer) => noticer.line()))
    await killed(child)
    for (const noticer of noticers) noticer.stdin!.write('go\n')
    assert.deepEqual(new Set(await Promise.all(noticers.map((noticer) => noticer.line()))), new Set(['died']))
    const { events } = await take(connect(), { run: 'r' }, undefined, 'end')
    assert.equal(syntheticEnds(events).length, 1)
    assert.deepEqual(
      events.map(({ seq }) => seq),
      upTo(events.length),
    )
    assert.equal(events.filter(({ kind }) => kind === 'turn.end').length, 1)
  })

  test('a run that was closed gets no other end', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    await writer.join({ session: 's' })
    writer.append([startEvent()])
    assert.equal(await log.reap('r'), 'alive')
    await writer.close()
    assert.equal(await log.reap('r'), 'ended')
    assert.deepEqual(textsOf((await take(log, { run: 'r' }, undefined, 'end')).events), ['session.start'])
    await assert.rejects(log.reap('none'), hasCode('not-found'))
  })
}

export function testFaults(make: () => Store): void {
  for (const step of ['write', 'sync'] as const)
    test(`a ${step} that fails is final: the run is told, and all that was durable has its end`, async () => {
      const { connect } = make()
      let isBroken = false
      const log = connect((each) => {
        if (!isBroken || each !== step) return undefined
        isBroken = false // once: what comes after it works
        return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      })
      const writer = await log.open({ run: 'r' })
      await writer.join({ session: 's' })
      const durable = writer.append([startEvent(), turnEvent(), ...deltas(3)])
      await writer.durable(durable)
      const told: number[] = []
      writer.listen((batch) => void told.push(batch?.count ?? 0))
      isBroken = true
      const lost = writer.append(deltas(2))
      await assert.rejects(writer.durable(lost), hasCode('log-failed'))
      assert.ok(writer.failed.aborted)
      await assert.rejects(writer.durable(lost), hasCode('log-failed'))
      await writer.durable(durable)
      assert.equal(writer.append([endEvent()]), formatCursor(1, 8)) // numbered, and given to who listens
      await assert.rejects(writer.close(), hasCode('log-failed'))
      assert.deepEqual(told, [2, 1, 0])
      const { events, cursors, end } = await take(connect(), { run: 'r' }, undefined, 'end')
      assert.deepEqual(textsOf(events), ['session.start', 'turn.start', 'x0', 'x1', 'x2', ...textsOf(events.slice(5))])
      assert.deepEqual(
        events.map(({ seq }) => seq),
        upTo(events.length),
      )
      assert.deepEqual(
        events.flatMap(({ kind, synthetic }) => (kind === 'session.end' ? synthetic : [])),
        ['log-failed'],
      )
      assert.equal(end?.type === 'end' && end.why, 'failed')
      // Who had seen what is lost is told, and gets what came instead.
      const behind = await take(connect(), { run: 'r' }, lost, 'end')
      assert.deepEqual(behind.items[0], { type: 'dropped', after: durable })
      assert.deepEqual(behind.cursors, cursors.slice(5))
      const next = await connect().open({ run: 'r2' })
      await next.join({ session: 's' })
      await next.close()
    })

  test('a fault at each step in turn: what was acknowledged is there, and the session can be taken', async () => {
    for (let at = 0; at < 16; at++) {
      const { connect } = make()
      let steps = 0
      const log = connect(() => (steps++ === at ? Object.assign(new Error('EIO'), { code: 'EIO' }) : undefined))
      let durable: Cursor | undefined
      let writer: Writer | undefined
      try {
        writer = await log.open({ run: 'r' })
        await writer.join({ session: 's' })
        for (const events of [[startEvent()], deltas(3), [endEvent()]]) {
          const cursor = writer.append(events)
          await writer.durable(cursor)
          durable = cursor
        }
      } catch (error) {
        assert.match(String(error), /EIO/)
      }
      await writer?.close().catch(() => {})
      if (durable !== undefined) assert.ok((await take(connect(), { run: 'r' }, undefined, 'end')).cursors.includes(durable), `step ${at}`)
      const next = await connect().open({ run: 'r2' })
      await next.join({ session: 's' })
      await next.close()
    }
  })
}
