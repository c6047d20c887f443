// What every log must do, whatever keeps it: order, cursors, readers of every kind, writers that die or fail, sessions over many runs.
// Nothing here knows of files. `SLUICE_CRASH_ROUNDS` makes the sweep of kills as long as one likes.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { suite, test } from 'node:test'
import { createRandom } from '../testing/random.ts'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Cursor, Item, Log, Stream, Writer } from './contract.ts'
import { compareCursors, formatCursor, parseCursor, start } from './cursor.ts'
import { LogError } from './errors.ts'

export type Step = 'create' | 'write' | 'sync'

export type Store = {
  /** As from a process of its own. `fail`: asked before each step of writing. */
  connect(fail?: (step: Step) => Error | undefined): Log
  /** A program for `node --input-type=module -e`, in which `log` is this log. */
  program(body: string): string
}

// ── what the tests share ─────────────────────────────────────────────────────────────────────────────────────────────────

export const delta = (text: string, session = 's'): Event => makeEvent('text.delta', { text }, { session })
export const startEvent = (session = 's'): Event => makeEvent('session.start', { how: 'new' }, { session })
export const endEvent = (session = 's'): Event => makeEvent('session.end', { reason: 'end_turn' }, { session })
export const turnEvent = (session = 's'): Event => makeEvent('turn.start', { trigger: 'prompt' }, { session, turn: 1 })
export const deltas = (count: number, session = 's', text = 'x'): Event[] =>
  Array.from({ length: count }, (_, index) => delta(`${text}${index}`, session))
export const textsOf = (events: readonly Event[]): unknown[] =>
  events.map((event) => (event.kind === 'text.delta' ? event.text : event.kind))
export const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index)

export type Got = { events: Event[]; cursors: Cursor[]; items: Item[]; end: Item | undefined }

/** All that is there; with `until: 'end'` all that will be. */
export async function take(log: Log, stream: Stream, after?: Cursor, until: 'live' | 'end' = 'live', signal?: AbortSignal): Promise<Got> {
  const got: Got = { events: [], cursors: [], items: [], end: undefined }
  for await (const item of log.read(stream, after, signal)) {
    got.items.push(item)
    if (item.type === 'events') {
      const events = item.events()
      got.events.push(...events)
      const { index } = parseCursor(item.first)!
      const cursors = events.map(({ seq }) => formatCursor(index, seq))
      assert.deepEqual([item.count, item.first, item.last], [events.length, cursors[0], cursors.at(-1)])
      got.cursors.push(...cursors)
    }
    if (item.type === 'end') got.end = item
    if (item.type === until) break
  }
  return got
}

export const hasCode = (code: string) => (error: unknown) => error instanceof LogError && error.code === code

export function run(program: string): ChildProcess & { line(): Promise<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return Object.assign(child, { line: async () => String((await lines.next()).value) })
}

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

export const syntheticEnds = (events: readonly Event[]): Event[] =>
  events.filter((event) => event.kind === 'session.end' && event.synthetic !== undefined)

// ── the tests ────────────────────────────────────────────────────────────────────────────────────────────────────────────

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

function testSessions(make: () => Store): void {
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
    await writers[winner]!.close()
    const loser = writers[(winner + 1) % 3]!
    assert.equal((await loser.join({ session: 's' })).part, 2)
    await Promise.all(writers.map((writer) => writer.close()))
    await assert.rejects(one.open({ run: 'r1' }), hasCode('run-taken'))
  })
}

function testDeath(make: () => Store): void {
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

function testFaults(make: () => Store): void {
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

function testLists(make: () => Store): void {
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
