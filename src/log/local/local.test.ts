// What only files have: who may read them, half lines, lost tails, generations, and the session files of old.
import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Event } from '../../model/event.ts'
import { formatCursor } from '../cursor.ts'
import { delta, deltas, endEvent, hasCode, startEvent, syntheticEnds, take, textsOf, turnEvent, upTo } from '../support.test.ts'
import { createLocalLog } from './index.ts'
import { systemFiles } from './files.ts'
import { failing, newStore } from './support.test.ts'

const seqs = (events: readonly Event[]): number[] => events.map(({ seq }) => seq)
const firstFile = (folder: string, run = 'r'): string => join(folder, 'runs', run, '000001.ndjson')

/** A run whose writer has died: its folder under another name, where nobody holds the lock. */
async function deadRun(events: readonly Event[] = [startEvent(), turnEvent(), ...deltas(3)]) {
  const store = newStore()
  const writer = await store.connect().open({ run: 'r' })
  await writer.join({ session: 's' })
  await writer.durable(writer.append(events))
  const { folder } = newStore()
  renameSync(store.folder, folder) // the lock stays with the file: it is made anew
  const alive = join(folder, 'runs/r/alive')
  renameSync(alive, `${alive}.old`)
  writeFileSync(alive, '', { mode: 0o600 })
  return { folder, log: createLocalLog({ folder }), writer }
}

test('files and folders are for us alone, and their first line says whose they are', async () => {
  const { folder, connect } = newStore()
  mkdirSync(join(folder, 'runs'), { recursive: true })
  chmodSync(join(folder, 'runs'), 0o777)
  const writer = await connect().open({ run: 'r', socket: '/s', version: '1.2.3' })
  await writer.join({ session: 's' })
  writer.append(deltas(1))
  await writer.close()
  const modeOf = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8)
  for (const path of ['runs', 'runs/r', 'sessions', 'sessions/s']) assert.equal(modeOf(path), '700', path)
  for (const path of ['runs/r/000001.ndjson', 'runs/r/alive', 'sessions/s/000001.json']) assert.equal(modeOf(path), '600', path)
  assert.deepEqual(readdirSync(join(folder, 'sessions/s')), ['000001.json'])
  const [header, part, event, close] = readFileSync(firstFile(folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const { kind, run, gen, after, pid, socket, version } = header!
  assert.deepEqual([kind, run, gen, after, pid, socket, version], ['log.open', 'r', 1, 0, process.pid, '/s', '1.2.3'])
  assert.deepEqual([part!['kind'], event!['seq'], close], ['log.part', 1, { v: 1, kind: 'log.close', why: 'ended' }])
})

test('links, pipes and files of other users are not read', async () => {
  const { folder, connect } = newStore()
  for (const run of ['linked', 'foreign']) await (await connect().open({ run })).close()
  const path = firstFile(folder, 'linked')
  renameSync(path, `${path}.away`)
  symlinkSync(`${path}.away`, path)
  await assert.rejects(take(connect(), { run: 'linked' }), { code: 'ELOOP' })
  if (process.getuid?.() !== 0) return
  chownSync(firstFile(folder, 'foreign'), 65534, 65534)
  await assert.rejects(take(connect(), { run: 'foreign' }), hasCode('not-ours'))
  assert.deepEqual(await connect().runs(), [])
})

test('a line counts from its newline on', async () => {
  const { folder, connect } = newStore()
  const writer = await connect().open({ run: 'r' })
  writer.append(deltas(2))
  writer.flush()
  appendFileSync(firstFile(folder), '{"v":1,"seq":3,"kind":"text.delta","te')
  const reading = connect().read({ run: 'r' })
  assert.equal((await reading.next()).value?.type, 'events')
  assert.equal((await reading.next()).value?.type, 'live')
  appendFileSync(firstFile(folder), 'xt":"late"}\n')
  const item = (await reading.next()).value
  assert.deepEqual(item?.type === 'events' && textsOf(item.events()), ['late'])
  await reading.return()
  await writer.close()
})

test('a dead run is ended in a second generation, which its sessions go on with; a zombie writes in vain', async () => {
  const { folder, log, writer } = await deadRun()
  appendFileSync(firstFile(folder), '{"v":1,"seq":6,"ki')
  assert.equal((await log.runs())[0]?.state, 'dead')
  assert.equal(await log.reap('r'), 'died')
  writer.append(deltas(3, 's', 'zombie')) // to the old file, which it has open
  writer.flush()
  for (const stream of [{ run: 'r' }, { session: 's' }]) {
    const got = await take(log, stream, undefined, 'run' in stream ? 'end' : 'live')
    assert.deepEqual(seqs(got.events), upTo(8))
    assert.deepEqual(got.cursors.slice(4), [formatCursor(1, 5), formatCursor(2, 6), formatCursor(2, 7), formatCursor(2, 8)])
    assert.deepEqual(
      got.events.slice(5).map(({ kind, synthetic, run }) => [kind, synthetic, run]),
      [
        ['text.end', 'implied', 'r'],
        ['turn.end', 'cut', 'r'],
        ['session.end', 'cut', 'r'],
      ],
    )
  }
  const zombie = await take(log, { run: 'r' }, formatCursor(1, 8), 'end')
  assert.deepEqual(zombie.items[0], { type: 'dropped', after: formatCursor(1, 5) })
  assert.deepEqual(zombie.cursors, [formatCursor(2, 6), formatCursor(2, 7), formatCursor(2, 8)])
  await writer.close()
  assert.equal((await take(log, { run: 'r' }, undefined, 'end')).end?.type, 'end')
})

test('who ends a run may die of it: the next one ends it, once', async () => {
  for (let at = 0; at < 12; at++) {
    const { folder, log, writer } = await deadRun()
    let steps = 0
    const dying = createLocalLog({ folder, files: failing(() => (steps++ === at ? new Error('EIO') : undefined)) })
    const state = await dying.reap('r')
    assert.equal(state, steps <= at ? 'died' : 'dead')
    assert.equal(await log.reap('r'), 'died', `step ${at}`)
    for (const stream of [{ run: 'r' }, { session: 's' }]) {
      const { events } = await take(log, stream)
      assert.deepEqual(seqs(events), upTo(8), `step ${at}`)
      assert.equal(syntheticEnds(events).length, 1)
    }
    await writer.close()
  }
})

test('a run of another host is left alone', async () => {
  const { folder, writer } = await deadRun()
  const log = createLocalLog({ folder, host: 'elsewhere' })
  assert.equal(await log.reap('r'), 'unknown')
  const other = await log.open({ run: 'r2' })
  await assert.rejects(other.join({ session: 's' }), hasCode('session-taken'))
  await Promise.all([other.close(), writer.close()])
})

test('a file without a whole header does not count', async () => {
  const { folder, log, writer } = await deadRun()
  for (const [name, text] of [
    ['000002', ''],
    ['000003', '{"v":1,"kind":"log.op'],
    ['000004', '\0'.repeat(50)],
  ] as const)
    writeFileSync(join(folder, 'runs/r', `${name}.ndjson`), text)
  assert.equal(await log.reap('r'), 'died')
  assert.deepEqual((await take(log, { run: 'r' }, undefined, 'end')).cursors.at(-1), formatCursor(5, 8))
  await writer.close()
})

test('zeros in a line make it none', async () => {
  const { folder, log, writer } = await deadRun()
  const bytes = readFileSync(firstFile(folder))
  writeFileSync(firstFile(folder), bytes.fill(0, bytes.length - 10, bytes.length - 5))
  assert.equal(await log.reap('r'), 'died')
  assert.deepEqual((await take(log, { run: 'r' }, undefined, 'end')).cursors.slice(3, 5), [formatCursor(1, 4), formatCursor(2, 5)])
  await writer.close()
})

test('a reader who follows is told what to drop when another writer goes on from before', async () => {
  const { folder, connect } = newStore()
  const writer = await connect().open({ run: 'r' })
  writer.append(deltas(5))
  writer.flush()
  const reading = connect().read({ run: 'r' })
  assert.equal((await reading.next()).value?.type, 'events')
  assert.equal((await reading.next()).value?.type, 'live')
  const [header] = readFileSync(firstFile(folder), 'utf8').split('\n')
  const second = join(folder, 'runs/r/000002.ndjson')
  writeFileSync(
    second,
    `${JSON.stringify({ ...(JSON.parse(header!) as object), gen: 2, after: 3 })}\n{"v":1,"kind":"log.close","why":"died"}\n`,
  )
  assert.deepEqual((await reading.next()).value, { type: 'dropped', after: formatCursor(1, 3) })
  assert.deepEqual((await reading.next()).value, { type: 'end', why: 'died', last: formatCursor(2, 3) })
  await writer.close()
})

test('a log that was changed is found to be damaged', async () => {
  const { folder, connect } = newStore()
  const writer = await connect().open({ run: 'r' })
  writer.append(deltas(9))
  await writer.close()
  const path = firstFile(folder)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"seq":5', '"seq":7'))
  await assert.rejects(take(connect(), { run: 'r' }, undefined, 'end'), hasCode('damaged'))
})

test('many who wait share a sync, and what nobody waits for is synced soon', async () => {
  let syncs = 0
  let synced: (() => void) | undefined
  const { folder } = newStore()
  const files = { ...systemFiles, sync: async (fd: number) => (syncs++, await systemFiles.sync(fd), synced?.()) }
  const writer = await createLocalLog({ folder, files }).open({ run: 'r' })
  syncs = 0
  await Promise.all(upTo(500).map((n) => writer.durable(writer.append([delta(String(n))]))))
  assert.ok(syncs <= 2 * 500 && syncs < 20, `${syncs} syncs`)
  const begun = performance.now()
  await new Promise<void>((resolve) => {
    synced = resolve
    writer.append(deltas(1))
  })
  assert.ok(performance.now() - begun >= 50, 'at once')
  await writer.close()
})

test('a short write is final, and nothing is written after it', async () => {
  const { folder } = newStore()
  let isShort = false
  const files = { ...systemFiles, write: (fd: number, bytes: Uint8Array) => systemFiles.write(fd, isShort ? bytes.subarray(0, 10) : bytes) }
  const writer = await createLocalLog({ folder, files }).open({ run: 'r' })
  await writer.durable(writer.append([startEvent(), endEvent()]))
  isShort = true
  writer.append(deltas(1))
  writer.flush()
  isShort = false
  assert.ok(writer.failed.aborted)
  const { size } = statSync(firstFile(folder))
  writer.append(deltas(3))
  await assert.rejects(writer.close(), hasCode('log-failed'))
  assert.equal(statSync(firstFile(folder)).size, size)
  assert.deepEqual(seqs((await take(createLocalLog({ folder }), { run: 'r' }, undefined, 'end')).events), [1, 2])
})

test('a session file of old is part 0: read, gone on with, forked, and kept for the fork', async () => {
  const { folder, connect } = newStore()
  mkdirSync(join(folder, 'sessions'), { recursive: true })
  const old = join(folder, 'sessions/old.ndjson')
  const lines = [startEvent('old'), delta('a', 'old'), delta('other', 'x'), delta('b', 'old')].map((event, index) =>
    JSON.stringify({ ...event, seq: index + 1 }),
  )
  writeFileSync(old, `${[...lines.slice(0, 2), 'no json', ...lines.slice(2)].join('\n')}\n{"torn`)
  const log = connect()
  const had = ['session.start', 'a', 'b']
  const got = await take(log, { session: 'old' })
  assert.deepEqual(textsOf(got.events), had)
  assert.deepEqual(
    got.cursors,
    [1, 2, 4].map((seq) => formatCursor(0, seq)),
  )
  assert.deepEqual(textsOf((await take(log, { session: 'old' }, got.cursors[1])).events), ['b'])
  assert.deepEqual(
    (await log.sessions()).map(({ session }) => session),
    ['old'],
  )
  assert.equal((await (await log.sessions())[0]!.start())?.session, 'old')
  await log.fork('old', 'f')
  const writer = await log.open({ run: 'r' })
  assert.deepEqual((await writer.join({ session: 'old' })).prev, { part: 0, last: 4 })
  writer.append([delta('c', 'old')])
  await writer.close()
  assert.deepEqual(textsOf((await take(log, { session: 'old' })).events), [...had, 'c'])
  assert.deepEqual(await log.remove('old'), { removed: ['r'], kept: ['old'] })
  assert.deepEqual(textsOf((await take(log, { session: 'f' })).events), had)
  await assert.rejects(take(log, { session: 'old' }), hasCode('not-found'))
  assert.deepEqual(await log.remove('f'), { removed: ['old'], kept: [] })
  assert.ok(!existsSync(old) && readdirSync(join(folder, 'runs')).length === 0)
})
