import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { frameLines } from './batch.ts'
import type { Cursor, Writer } from './contract.ts'
import { formatCursor, parseCursor, start } from './cursor.ts'
import { newStore } from './local/support.test.ts'
import { delta, deltas, endEvent, run, startEvent, upTo } from './support.test.ts'
import { type Framing, history, type Out, type Subscription, type Tail, tailOf, tailOfWriter } from './tail.ts'

type Frame = { method: string; params: Record<string, unknown> }
const frame = (method: string, params: unknown): string => `${JSON.stringify({ method, params })}\n`

let framed = 0 // batches
const framing: Framing = {
  events: (batch) => (framed++, frameLines(batch, Buffer.from('{"method":"event","params":'), Buffer.from('}\n'))),
  gap: (gap) => frame('gap', gap),
  end: (end) => frame('end', end),
}

/** Takes `room` writes, and then no more until it has read them. */
function reader(room = Infinity) {
  let changed = Promise.withResolvers<void>()
  const one = {
    text: '',
    left: room,
    writes: [] as (string | Uint8Array)[],
    subscription: undefined as Subscription | undefined,
    write(frames: string | Uint8Array): boolean {
      one.text += Buffer.from(frames as Uint8Array).toString()
      one.writes.push(frames)
      changed.resolve()
      changed = Promise.withResolvers()
      return --one.left > 0
    },
    failed: (error: unknown) => changed.reject(error),
    read(): void {
      one.left = room
      one.subscription?.drained()
    },
    frames: () =>
      one.text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Frame),
    seqs: () => one.frames().flatMap(({ method, params }) => (method === 'event' ? [params['seq']] : [])),
    async until(isDone: () => boolean): Promise<void> {
      while (!isDone()) await changed.promise
    },
    ended: () => one.until(() => one.frames().at(-1)?.method === 'end'),
  } satisfies Out & Record<string, unknown>
  return one
}

async function open(): Promise<{
  store: ReturnType<typeof newStore>
  writer: Writer
  tail: Tail
  emit(count: number, text?: string): void
}> {
  const store = newStore()
  const log = store.connect()
  const writer = await log.open({ run: 'r' })
  const emit = (count: number, text = 'x'): void => {
    if (count > 0) writer.append(deltas(count, 's', text))
    writer.flush()
  }
  return { store, writer, tail: tailOfWriter(log, writer, framing), emit }
}

test('a subscriber gets what was, then what comes, then the end', async () => {
  const { writer, tail, emit } = await open()
  emit(3)
  const [all, some, next] = [reader(), reader(), reader()]
  tail.subscribe(start, all)
  tail.subscribe(formatCursor(1, 2), some)
  tail.subscribe(tail.head()!, next)
  await all.until(() => all.seqs().length === 3)
  emit(2)
  await writer.close()
  await Promise.all([all.ended(), some.ended(), next.ended()])
  assert.deepEqual([all.seqs(), some.seqs(), next.seqs()], [upTo(5), upTo(5, 3), upTo(5, 4)])
  assert.deepEqual(all.frames().at(-1), { method: 'end', params: { head: formatCursor(1, 5), why: 'ended' } })
  assert.ok(tail.isServed())
  const late = reader()
  tail.subscribe(formatCursor(1, 4), late)
  await late.ended()
  assert.deepEqual(late.seqs(), [5])
})

test('those who keep up share the bytes of a batch', async () => {
  const { writer, tail, emit } = await open()
  const readers = [reader(), reader(), reader()]
  for (const one of readers) tail.subscribe(start, one)
  framed = 0
  emit(100)
  assert.equal(framed, 1)
  assert.equal(readers[0]!.writes[0], readers[2]!.writes[0])
  emit(1)
  assert.equal(
    Buffer.from(readers[0]!.writes[0] as Uint8Array)
      .toString()
      .split('\n').length,
    101,
  ) // the next one did not write over it
  await writer.close()
})

test('one who does not read is passed over, told where he stopped, and served from the log', async () => {
  const { writer, tail, emit } = await open()
  const slow = reader(1)
  slow.subscription = tail.subscribe(start, slow)
  for (let n = 0; n < 1000; n++) emit(1)
  assert.deepEqual(slow.seqs(), [1])
  slow.text = ''
  slow.left = 10
  slow.subscription.drained()
  await slow.until(() => slow.seqs().length === 999)
  assert.deepEqual(slow.frames()[0], { method: 'gap', params: { after: formatCursor(1, 1), head: formatCursor(1, 1000) } })
  assert.deepEqual(slow.seqs(), upTo(1000, 2))
  await writer.close()
})

test('who was behind catches up while a flood goes on', async () => {
  const { writer, tail, emit } = await open()
  const late = reader(1)
  late.subscription = tail.subscribe(start, late)
  for (let n = 0; n < 10; n++) emit(200, 'x'.repeat(5000))
  late.left = Infinity
  late.subscription.drained()
  for (let turns = 0; turns < 2000 && !tail.isServed(); turns++) {
    emit(20, 'x'.repeat(5000))
    await turn()
  }
  assert.ok(tail.isServed())
  emit(1)
  assert.equal(late.seqs().at(-1), parseCursor(tail.head()!)!.seq)
  await writer.close()
})

test('whenever one subscribes, reads or rests, near or far: every event comes once, in order', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('emit' as const), count: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('flush' as const, 'read' as const, 'turn' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('subscribe' as const),
        after: fc.integer({ min: 0, max: 200 }),
        room: fc.integer({ min: 1, max: 4 }),
        isFar: fc.boolean(),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, large) => {
      const { store, writer, tail } = await open()
      const far = tailOf(store.connect(), { run: 'r' }, framing)
      const readers: { after: number; one: ReturnType<typeof reader> }[] = []
      for (const one of steps) {
        if (one.do === 'emit') writer.append(deltas(one.count, 's', large ? 'x'.repeat(5000) : 'x'))
        if (one.do === 'flush') writer.flush()
        if (one.do === 'turn') await turn()
        if (one.do === 'read') for (const { one: each } of readers) each.read()
        if (one.do === 'subscribe') {
          const after = Math.min(one.after, parseCursor(tail.head()!)!.seq)
          const to = reader(one.room)
          to.subscription = (one.isFar ? far : tail).subscribe(after === 0 ? start : formatCursor(1, after), to)
          readers.push({ after, one: to })
        }
      }
      const { seq } = parseCursor(writer.head())!
      await writer.close()
      await Promise.all(
        readers.map(async ({ one }) => {
          const reading = setInterval(one.read, 1)
          await one.ended()
          clearInterval(reading)
        }),
      )
      for (const { after, one } of readers) {
        const frames = one.frames()
        assert.deepEqual(one.seqs(), upTo(seq, after + 1))
        assert.equal(frames.filter(({ method }) => method === 'end').length, 1)
        for (const [index, { method, params }] of frames.entries()) {
          if (method !== 'gap') continue
          const last = frames.slice(0, index).findLast((each) => each.method === 'event')?.params['seq'] ?? after
          assert.equal(parseCursor(params['after'] as Cursor)?.seq, last)
        }
      }
      assert.ok(tail.isServed() && far.isServed())
      tail.close()
      far.close()
    }),
    { numRuns: 60, seed: 1 },
  )
})

test('in another process: one reading of what comes for all who have caught up, to the end of a killed run', async () => {
  const store = newStore()
  const child = run(
    store.program(`
    const writer = await log.open({ run: 'r' })
    writer.append([{ v: 1, seq: 0, kind: 'session.start', session: 's' }])
    writer.flush()
    console.log('started')
    for await (const _ of process.stdin) {
      writer.append([{ v: 1, seq: 0, kind: 'text.delta', session: 's', text: 'x' }])
    }`),
  )
  await child.line()
  const tail = tailOf(store.connect(), { run: 'r' }, framing)
  const readers = [reader(), reader(), reader()]
  for (const one of readers) tail.subscribe(start, one)
  await Promise.all(readers.map((one) => one.until(() => one.seqs().length === 1)))
  child.stdin!.write('go\n')
  await Promise.all(readers.map((one) => one.until(() => one.seqs().length === 2)))
  child.kill('SIGKILL')
  await Promise.all(readers.map((one) => one.ended()))
  for (const one of readers) {
    assert.deepEqual(one.seqs(), upTo(one.seqs().length))
    assert.equal(one.frames().at(-2)?.params['kind'], 'session.end')
    assert.equal(one.frames().at(-1)?.params['why'], 'died')
  }
  tail.close()
})

test('what a failing log has lost comes to those who keep up; the others are told', async () => {
  const store = newStore()
  let isBroken = false
  const log = store.connect(() => (isBroken ? new Error('EIO') : undefined))
  const writer = await log.open({ run: 'r' })
  const tail = tailOfWriter(log, writer, framing)
  const [near, slow] = [reader(), reader(1)]
  tail.subscribe(start, near)
  slow.subscription = tail.subscribe(start, slow)
  await writer.durable(writer.append([startEvent()]))
  isBroken = true
  writer.append([delta('lost'), endEvent()])
  await assert.rejects(writer.close(), { code: 'log-failed' })
  await near.ended()
  assert.deepEqual(near.seqs(), [1, 2, 3])
  assert.equal(near.frames().at(-1)?.params['why'], 'failed')
  isBroken = false // the next who looks can end it
  slow.left = Infinity
  slow.subscription.drained()
  await slow.ended()
  assert.deepEqual(
    slow
      .frames()
      .map(({ method }) => method)
      .at(-1),
    'end',
  )
  assert.equal(slow.frames().filter(({ params }) => params['kind'] === 'session.end').length, 1)
})

test('history is so many events and bytes, and says where to go on', async () => {
  const { store, writer } = await open()
  writer.append([delta('ü'), ...deltas(99), delta('y'.repeat(5000))])
  await writer.close()
  const log = store.connect()
  const seqsOf = async (options: Parameters<typeof history>[2]): Promise<unknown[]> => {
    const { lines, last } = await history(log, { run: 'r' }, options)
    return [lines.map((line) => (JSON.parse(line) as { seq: number }).seq), last]
  }
  assert.deepEqual(await seqsOf({}), [upTo(101), formatCursor(1, 101)])
  assert.deepEqual(await seqsOf({ after: formatCursor(1, 10), limit: 3 }), [[11, 12, 13], formatCursor(1, 13)])
  assert.deepEqual(await seqsOf({ after: formatCursor(1, 100), maxBytes: 10 }), [[101], formatCursor(1, 101)])
  assert.deepEqual(await seqsOf({ after: formatCursor(1, 101) }), [[], formatCursor(1, 101)])
})
