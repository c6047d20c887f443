// Sessions over runs, forks, lists and removal: for every log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import { formatCursor } from './cursor.ts'
import { delta, hasCode, startEvent, type Store, take, textsOf } from './support.test.ts'

export function testSessions(make: () => Store): void {
  test('many sessions in one run: each reads its own', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    for (const session of ['a', 'b']) {
      await writer.join({ session, cwd: '/w', agent: 'x' })
      writer.append([startEvent(session)])
    }
    const odd = makeEvent('tool.start', { name: 't', toolKind: 'other', input: { session: 'a' } }, { session: 'b', call: 'c' })
    writer.append([delta('1', 'a'), odd, delta('2', 'b'), makeEvent('run.start', {}, {}), delta('3', 'a')])
    await writer.close()
    assert.deepEqual(textsOf((await take(log, { session: 'a' })).events), ['session.start', '1', '3'])
    const b = await take(log, { session: 'b' })
    assert.deepEqual(textsOf(b.events), ['session.start', 'tool.start', '2'])
    assert.deepEqual(textsOf((await take(log, { session: 'b' }, b.cursors[1])).events), ['2'])
  })

  test('a session goes on in run after run, under its own name or that of the run; forks share what was before', async () => {
    const log = make().connect()
    for (const [index, run] of ['r1', 'r2', 'r3'].entries()) {
      const writer = await log.open({ run })
      const part = await writer.join({ session: 's', ...(run === 'r2' && { in: 'native' }) })
      assert.deepEqual([part.part, part.run, part.from, part.prev], [index + 1, run, 1, index === 0 ? undefined : { part: index, last: 2 }])
      const name = run === 'r2' ? 'native' : 's'
      writer.append([delta(`${run}a`, name), delta(`${run}b`, name)])
      await writer.close()
    }
    const { events, cursors } = await take(log, { session: 's' })
    assert.deepEqual(textsOf(events), ['r1a', 'r1b', 'r2a', 'r2b', 'r3a', 'r3b'])
    assert.deepEqual(
      cursors,
      [1, 2, 3].flatMap((part) => [formatCursor(part, 1), formatCursor(part, 2)]),
    )
    for (const [index, cursor] of cursors.entries())
      assert.deepEqual((await take(log, { session: 's' }, cursor)).cursors, cursors.slice(index + 1))

    await log.fork('s', 'f', cursors[2])
    assert.deepEqual(textsOf((await take(log, { session: 'f' })).events), ['r1a', 'r1b', 'r2a'])
    await assert.rejects(log.fork('s', 'f'), hasCode('session-taken'))
    const writer = await log.open({ run: 'r4' })
    await writer.join({ session: 'f' })
    writer.append([delta('own', 'f')])
    await writer.close()
    await log.fork('f', 'g')
    for (const session of ['f', 'g']) assert.deepEqual(textsOf((await take(log, { session })).events), ['r1a', 'r1b', 'r2a', 'own'])
    assert.deepEqual(textsOf((await take(log, { session: 's' })).events), textsOf(events))
  })

  test('a reader of a session follows it from one run to the next', async () => {
    const { connect } = make()
    const stop = new AbortController()
    const texts: unknown[] = []
    let reading: Promise<void> | undefined
    for (const run of ['r1', 'r2']) {
      const writer = await connect().open({ run })
      await writer.join({ session: 's' })
      writer.append([delta(run)])
      writer.flush()
      reading ??= (async () => {
        for await (const item of connect().read({ session: 's' }, undefined, stop.signal)) {
          if (item.type === 'events') texts.push(...textsOf(item.events()))
          if (texts.at(-1) === 'r2') stop.abort()
        }
      })()
      await writer.close()
    }
    await reading
    assert.deepEqual(texts, ['r1', 'r2'])
  })

  test('a run has one writer, and a session one run at a time', async () => {
    const { connect } = make()
    const [one, two] = [connect(), connect()]
    const writers = await Promise.all([one.open({ run: 'r1' }), two.open({ run: 'r2' }), two.open({ run: 'r3' })])
    await assert.rejects(two.open({ run: 'r1' }), hasCode('run-taken'))
    const joined = await Promise.allSettled(writers.map((writer) => writer.join({ session: 's' })))
    const winner = joined.findIndex(({ status }) => status === 'fulfilled')
    for (const [index, result] of joined.entries())
      if (index !== winner) assert.ok(result.status === 'rejected' && hasCode('session-taken')(result.reason))
    await assert.rejects(one.remove('s'), hasCode('session-taken'))
    assert.equal((await writers[winner]!.join({ session: 's' })).part, 1) // its own: the same part
    const loser = writers[(winner + 1) % 3]!
    await assert.rejects(loser.join({ session: 's' }), hasCode('session-taken'))
    await writers[winner]!.close()
    assert.equal((await loser.join({ session: 's' })).part, 2)
    await Promise.all(writers.map((writer) => writer.close()))
    await assert.rejects(one.open({ run: 'r1' }), hasCode('run-taken'))
  })
}

export function testLists(make: () => Store): void {
  test('sessions and runs are listed, newest first, with how they go', async () => {
    const { connect } = make()
    const log = connect()
    assert.deepEqual([await log.sessions(), await log.runs()], [[], []])
    for (const name of ['a', 'b']) {
      const writer = await log.open({ run: `run-${name}`, socket: '/socket' })
      await writer.join({ session: name, cwd: `/${name}` })
      writer.append([makeEvent('raw', { type: 'x', why: 'unknown' }, { session: name }), startEvent(name)])
      await writer.close()
      await new Promise((resolve) => setTimeout(resolve, 5)) // times of files have a grain
    }
    const live = await log.open({ run: 'live' })
    const sessions = await connect().sessions()
    assert.deepEqual(
      sessions.map(({ session, part }) => [session, part.cwd, part.run]),
      [
        ['b', '/b', 'run-b'],
        ['a', '/a', 'run-a'],
      ],
    )
    assert.equal((await sessions[0]!.start())?.kind, 'session.start')
    assert.deepEqual(
      (await connect().runs()).map(({ run, state, pid }) => [run, state, pid]),
      [
        ['live', 'alive', process.pid],
        ['run-b', 'ended', process.pid],
        ['run-a', 'ended', process.pid],
      ],
    )
    await live.close()
  })

  test('a run goes with the last session that names it', async () => {
    const log = make().connect()
    const writer = await log.open({ run: 'r' })
    for (const session of ['a', 'b']) await writer.join({ session })
    writer.append([delta('1', 'a'), delta('2', 'b')])
    await writer.close()
    await log.fork('a', 'f')
    assert.deepEqual(await log.remove('a'), { removed: [], kept: ['r'] })
    assert.deepEqual(textsOf((await take(log, { session: 'f' })).events), ['1'])
    assert.deepEqual(await log.remove('f'), { removed: [], kept: ['r'] })
    assert.deepEqual(await log.remove('b'), { removed: ['r'], kept: [] })
    assert.deepEqual([await log.sessions(), await log.runs()], [[], []])
    await assert.rejects(log.remove('b'), hasCode('not-found'))
  })
}
