import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import type { Rec } from '../base/json.ts'
import { openSessionLog } from '../log/sessions.ts'
import { createFeed, type Out, type Subscription } from './feed.ts'
import { clientOf, delta, fakeRun, newFolder, seqs, take } from './support.test.ts'

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const texts = (notices: readonly { params: Rec }[]): unknown[] => notices.map(({ params }) => params['text'])

test('a subscriber gets what was, and then what comes', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'), delta('b ü →'))
  run.flush()
  using client = await clientOf(run)
  assert.deepEqual(await client.call('subscribe', { after: 1 }), { after: 1, head: 2 })
  const notices = client.notices()
  assert.deepEqual(texts(await take(notices, 1)), ['b ü →'])
  run.emit(delta('c\n"ü'))
  run.flush()
  assert.deepEqual(texts(await take(notices, 1)), ['c\n"ü'])
})

test('without a number only what comes is told', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'))
  using client = await clientOf(run)
  await client.call('subscribe')
  run.emit(delta('b'))
  run.flush()
  assert.deepEqual(seqs(await take(client.notices(), 1)), [2])
})

test('a session that goes on is counted from 1 in each of its runs', async () => {
  await using run = await fakeRun({ earlier: 5 })
  run.emit(delta('a'), delta('b'))
  run.flush()
  using client = await clientOf(run)
  const { events } = (await client.call('history', { after: 0 })) as { events: Rec[] }
  assert.deepEqual(
    events.map(({ seq, text }) => [seq, text]),
    [
      [1, 'a'],
      [2, 'b'],
    ],
  )
  await client.call('subscribe', { after: 0 })
  assert.deepEqual(seqs(await take(client.notices(), 2)), [1, 2])
})

test('history gives the last events, or those after a number, and says where to go on', async () => {
  await using run = await fakeRun()
  for (const n of upTo(3000)) run.emit(delta(String(n)))
  run.flush()
  using client = await clientOf(run)
  const ask = async (params: Rec): Promise<[unknown[], number, number]> => {
    const { events, after, head } = (await client.call('history', params)) as { events: Rec[]; after: number; head: number }
    return [events.map(({ seq }) => seq), after, head]
  }
  assert.deepEqual(await ask({}), [upTo(3000, 2937), 3000, 3000])
  assert.deepEqual(await ask({ after: 10, limit: 3 }), [[11, 12, 13], 13, 3000])
  assert.deepEqual(await ask({ after: 2999 }), [[3000], 3000, 3000])
  assert.deepEqual(await ask({ after: 3000 }), [[], 3000, 3000])
})

test('history is cut where it becomes large', async () => {
  await using run = await fakeRun()
  for (let n = 0; n < 5; n++) run.emit(delta('x'.repeat(600_000)))
  run.flush()
  using client = await clientOf(run)
  const { events, after } = (await client.call('history', { after: 0 })) as { events: Rec[]; after: number }
  assert.deepEqual([events.length, after], [1, 1])
})

/** A reader that takes `room` texts and then is full until it has read them. */
function reader(room: number): Out & { text: string; left: number; subscription?: Subscription; read(): void } {
  return {
    text: '',
    left: room,
    write(data) {
      this.text += data.toString()
      return --this.left > 0
    },
    isReading: () => false,
    read() {
      this.left = room
      this.subscription?.drained()
    },
  }
}
const linesOf = (text: string): { method: string; params: Rec }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { method: string; params: Rec })

test('bytes that somebody still reads do not change, and those that nobody reads are used again', () => {
  const log = openSessionLog(newFolder(), 's')
  const feed = createFeed({ path: log.path, start: 0 })
  const given: { reads: boolean; bytes: Uint8Array; text: string }[] = []
  let reads = false
  feed.subscribe(0, {
    write: (bytes) => (given.push({ reads, bytes: bytes as Uint8Array, text: Buffer.from(bytes).toString() }), true),
    isReading: () => reads,
  })
  let seq = 0
  for (const [isReading, size] of [
    [true, 1],
    [true, 50_000],
    [true, 50_000],
    [false, 50_000],
    [true, 60_000],
    [false, 70_000],
    [false, 1],
  ] as const) {
    reads = isReading
    const event = { ...delta(String(seq).repeat(size)), seq: ++seq }
    log.append(event)
    log.flush()
    feed.sink.push(event)
    feed.sink.flush()
  }
  for (const { reads: isReading, bytes, text } of given) if (isReading) assert.equal(Buffer.from(bytes).toString(), text)
  const [, , , fourth, fifth] = given.map(({ bytes }) => bytes.buffer)
  assert.equal(fourth, fifth)
  feed.close()
  log.close()
})

test('whenever one subscribes, reads or rests: every event comes once, in order', async () => {
  type Step =
    | { do: 'push'; count: number }
    | { do: 'flush' }
    | { do: 'read' }
    | { do: 'turn' }
    | { do: 'subscribe'; after: number; room: number }
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), count: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 3, arbitrary: fc.constantFrom<Step>({ do: 'flush' }, { do: 'read' }, { do: 'turn' }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('subscribe' as const),
        after: fc.integer({ min: 0, max: 200 }),
        room: fc.integer({ min: 1, max: 4 }),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, large) => {
      const log = openSessionLog(newFolder(), 's')
      const feed = createFeed({ path: log.path, start: 0 })
      const readers: { after: number; out: ReturnType<typeof reader> }[] = []
      const text = large ? 'x'.repeat(5000) : 'x'
      const flush = (): void => {
        log.flush()
        feed.sink.flush()
      }
      for (const one of steps) {
        switch (one.do) {
          case 'push':
            for (let n = 0; n < one.count; n++) {
              const event = { ...delta(text), seq: feed.head() + 1 }
              log.append(event)
              feed.sink.push(event)
            }
            break
          case 'flush':
            flush()
            break
          case 'read':
            for (const { out } of readers) out.read()
            break
          case 'turn':
            await turn()
            break
          case 'subscribe': {
            const after = Math.min(one.after, feed.head())
            const out = reader(one.room)
            out.subscription = feed.subscribe(after, out)
            readers.push({ after, out })
          }
        }
      }
      flush()
      log.close()
      feed.sink.end()
      for (let n = 0; n < 1000 && !feed.isServed(); n++) {
        for (const { out } of readers) out.read()
        await turn()
      }
      for (const { after, out } of readers) {
        const told = linesOf(out.text)
        assert.deepEqual(seqs(told.filter(({ method }) => method === 'event')), upTo(feed.head(), after + 1))
        assert.equal(told.filter(({ method }) => method === 'end').length, 1)
        assert.equal(told.at(-1)!.method, 'end')
        for (const [index, { method, params }] of told.entries())
          if (method === 'gap')
            assert.equal(params['after'], told.slice(0, index).findLast((one) => one.method === 'event')?.params['seq'] ?? after)
      }
      feed.close()
    }),
    { numRuns: 150 },
  )
})

test('one who does not read is passed over, told where he stopped, and served from the log', () => {
  const log = openSessionLog(newFolder(), 's')
  const feed = createFeed({ path: log.path, start: 0 })
  const slow = reader(1)
  slow.subscription = feed.subscribe(0, slow)
  const emit = (): void => {
    const event = { ...delta('x'), seq: feed.head() + 1 }
    log.append(event)
    feed.sink.push(event)
    log.flush()
    feed.sink.flush()
  }
  for (let n = 0; n < 1000; n++) emit()
  assert.deepEqual(seqs(linesOf(slow.text)), [1])
  slow.text = ''
  slow.left = 10
  slow.subscription.drained()
  const told = linesOf(slow.text)
  assert.deepEqual(told[0], { jsonrpc: '2.0', method: 'gap', params: { after: 1, head: 1000 } })
  assert.deepEqual(seqs(told.slice(1)).slice(0, 100), upTo(101, 2))
  log.close()
  feed.close()
})

test('who was behind catches up while a flood goes on', async () => {
  const log = openSessionLog(newFolder(), 's')
  const feed = createFeed({ path: log.path, start: 0 })
  const late = reader(1)
  late.subscription = feed.subscribe(0, late)
  const flood = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const event = { ...delta('x'.repeat(5000)), seq: feed.head() + 1 }
      log.append(event)
      feed.sink.push(event)
    }
    log.flush()
    feed.sink.flush()
  }
  for (let n = 0; n < 10; n++) flood(200)
  late.left = Infinity
  late.subscription.drained()
  for (let turns = 0; turns < 20; turns++) {
    flood(200)
    await turn()
  }
  flood(1)
  assert.equal(seqs(linesOf(late.text)).at(-1), feed.head())
  log.close()
  feed.close()
})

test('what the log has lost is told as lost', () => {
  const log = openSessionLog(newFolder(), 's')
  const feed = createFeed({ path: log.path, start: 0 })
  for (let n = 1; n <= 3; n++) {
    const event = { ...delta('x'), seq: n }
    log.append(event)
    feed.sink.push(event)
  }
  log.flush()
  feed.sink.flush()
  truncateSync(log.path, 0)
  const late = reader(10)
  feed.subscribe(1, late)
  assert.deepEqual(
    linesOf(late.text).map(({ method, params }) => [method, params]),
    [['gap', { after: 3, head: 3, lost: 2 }]],
  )
  log.close()
  feed.close()
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('a subscriber that never reads holds up neither the run nor its memory', async () => {
  await using run = await fakeRun()
  using slow = await clientOf(run)
  await slow.call('subscribe')
  using fast = await clientOf(run)
  await fast.call('subscribe')
  const notices = fast.notices()
  const text = 'x'.repeat(1000)
  collect()
  const before = process.memoryUsage().rss
  for (let n = 0; n < 400; n++) {
    for (let one = 0; one < 100; one++) run.emit(delta(text))
    run.flush()
    await take(notices, 100)
  }
  collect() // what nobody holds any more does not count
  const grown = process.memoryUsage().rss - before
  assert.ok(grown < 120e6, `40 MB of events took ${Math.round(grown / 1e6)} MB of memory`)
  const got = await take(slow.notices(), 40_001)
  assert.deepEqual(seqs(got.filter(({ method }) => method === 'event')), upTo(40_000))
  assert.equal(got.filter(({ method }) => method === 'gap').length, 1)
})
