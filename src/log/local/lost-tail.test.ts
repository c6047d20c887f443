// Power that fails: of what was written after the last sync any prefix may be on the disk, or zeros in its place. Nothing that was
// acknowledged is lost, and readers who had seen more are told what to drop. `SLUICE_CRASH_ROUNDS` makes the sweep longer.
import assert from 'node:assert/strict'
import { cpSync, fstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { Random } from '../../testing/index.ts'
import { createRandom } from '../../testing/random.ts'
import type { Cursor, Item, Log, Stream } from '../contract.ts'
import { compareCursors, parseCursor } from '../cursor.ts'
import { delta, startEvent, syntheticEnds, take, turnEvent, upTo } from '../support.test.ts'
import { createLocalLog } from './index.ts'
import { systemFiles } from './files.ts'
import { newStore } from './support.test.ts'

const rounds = Number(process.env['SLUICE_CRASH_ROUNDS'] ?? 15)
const shown = (event: { seq: number; kind: string }): string => `${event.seq} ${event.kind}`

/** What a reader has who does as he is told. */
function createModel(had: readonly (readonly [Cursor, string])[]) {
  let all = [...had]
  return {
    all: () => all,
    take(item: Item): void {
      if (item.type === 'dropped') all = all.filter(([cursor]) => compareCursors(cursor, item.after) <= 0)
      if (item.type !== 'events') return
      const { index } = parseCursor(item.first)!
      for (const event of item.events())
        all.push([`${String(index).padStart(6, '0')}_${String(event.seq).padStart(12, '0')}`, shown(event)])
    },
  }
}

let dropped = 0

async function readOn(log: Log, stream: Stream, had: readonly (readonly [Cursor, string])[]): Promise<(readonly [Cursor, string])[]> {
  const model = createModel(had)
  for await (const item of log.read(stream, had.at(-1)?.[0])) {
    if (item.type === 'end' || (item.type === 'live' && 'session' in stream)) break
    if (item.type === 'dropped') dropped++
    model.take(item)
  }
  return model.all()
}

/** What the disk may hold of bytes that were not synced. */
function remains(lost: Buffer, random: Random): Buffer {
  const kept = lost.subarray(0, random.int(0, lost.length))
  const zeros = Buffer.alloc(random.int(0, lost.length - kept.length))
  const rest = lost.subarray(kept.length + zeros.length)
  return Buffer.concat(random.pick([[kept], [kept, zeros], [kept, zeros, rest], [Buffer.alloc(lost.length)], [lost]]))
}

test('a lost tail: what was acknowledged is there, numbers have no gap, and every reader ends with the same events', async () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const random = createRandom(seed)
    const store = newStore()
    let syncedSize = 0
    const sync = async (fd: number): Promise<void> => {
      const { size } = fstatSync(fd)
      await systemFiles.sync(fd)
      syncedSize = size
    }
    const writer = await createLocalLog({ folder: store.folder, files: { ...systemFiles, sync } }).open({ run: 'r' })
    await writer.join({ session: 's' })
    let durable = writer.append([startEvent(), turnEvent()])
    await writer.durable(durable)
    for (let step = random.int(0, 20); step > 0; step--) {
      const cursor = writer.append(
        Array.from({ length: random.int(1, 20) }, () => delta('x'.repeat(random.int(0, 600)), random.pick(['s', 'other']))),
      )
      if (!random.chance(0.4)) continue
      await writer.durable(cursor)
      durable = cursor
    }
    writer.flush()
    const size = syncedSize // of the file of events: nothing else was synced since
    const seen: Record<string, (readonly [Cursor, string])[]> = {}
    for (const stream of [{ run: 'r' }, { session: 's' }]) {
      const { events, cursors } = await take(store.connect(), stream)
      seen[Object.keys(stream)[0]!] = cursors.map((cursor, index) => [cursor, shown(events[index]!)])
    }

    const { folder } = newStore()
    cpSync(store.folder, folder, { recursive: true, filter: (path) => basename(path) !== 'alive' })
    writeFileSync(join(folder, 'runs/r/alive'), '', { mode: 0o600 })
    const path = join(folder, 'runs/r/000001.ndjson')
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, size), remains(bytes.subarray(size), random)]))
    await writer.close()

    const log = createLocalLog({ folder })
    const whole = await take(log, { run: 'r' }, undefined, 'end')
    assert.deepEqual(
      whole.events.map(({ seq }) => seq),
      upTo(whole.events.length),
      `seed ${seed}`,
    )
    assert.ok(whole.cursors.includes(durable), `seed ${seed}`)
    assert.equal(syntheticEnds(whole.events).filter(({ session }) => session === 's').length, 1)
    for (const stream of [{ run: 'r' }, { session: 's' }] as const) {
      const had = seen[Object.keys(stream)[0]!]!
      const all = await readOn(log, stream, [])
      for (let reader = 0; reader < 5; reader++)
        assert.deepEqual(await readOn(log, stream, had.slice(0, random.int(0, had.length))), all, `seed ${seed}, ${JSON.stringify(stream)}`)
      assert.deepEqual(await readOn(log, stream, had), all, `seed ${seed}, ${JSON.stringify(stream)}`)
    }
  }
  assert.ok(dropped > 0, 'no reader had more than was left')
})
