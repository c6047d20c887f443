// Every recording of the real program: nothing is told twice or lost, and the numbers are the program's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event, Usage } from '../../model/event.ts'
import { addUsage } from '../../model/usage.ts'
import { codex } from './index.ts'
import { cutShort, all, eventsIn, execRuns, fixture, only, plain, rollouts, stdins, stdouts, traffics } from './support.test.ts'
import { usageOf } from './values.ts'

const messageOf = (record: Rec): Rec => (record['message'] ?? record) as Rec

test('the recordings are there', () => {
  assert.deepEqual([execRuns.length, rollouts.length, stdouts.length, stdins.length, traffics.length], [28, 29, 13, 13, 13])
})

test('every recording has records that could be of no other agent', () => {
  for (const path of all)
    assert.ok(
      fixture(path).some((record) => codex.claim(record) >= 0.9),
      path,
    )
})

test('one session with one end, cut where the recording was', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const [end, ...more] = only(events, 'session.end')
    assert.deepEqual([only(events, 'session.start').length, more.length], [1, 0], path)
    const cut = cutShort.includes(path) || stdins.includes(path)
    assert.equal(end?.synthetic, cut ? 'cut' : 'implied', path)
    assert.equal(end?.reason, cut ? 'cut' : only(events, 'turn.end').at(-1)?.reason, path)
  }
})

// ── what was said ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The text of every message, straight from the records. */
const textsIn = (path: string): unknown[] =>
  fixture(path).flatMap((record) => {
    const { type, method, item, params, payload } = messageOf(record) as { [key: string]: Rec & string }
    const told = (item ?? params?.['item']) as Rec | undefined
    if (/^item[./]completed$/.test(String(type ?? method))) return /^agent_?message$/i.test(String(told?.['type'])) ? [told?.['text']] : []
    if (type !== 'response_item' || payload?.['role'] !== 'assistant') return []
    return (payload['content'] as Rec[]).map(({ text }) => text)
  })

test('text is that of the records, each told once', () => {
  for (const path of all) {
    assert.deepEqual(
      only(eventsIn(path), 'text.end').map(({ text }) => text),
      textsIn(path),
      path,
    )
  }
})

test('deltas joined are the text of the whole', () => {
  let blocks = 0
  for (const path of [...stdouts, ...traffics]) {
    const joined = new Map<string, string>()
    const key = ({ agent, message, block }: Event): string => `${agent} ${message} ${block}`
    for (const event of eventsIn(path)) {
      if (event.kind === 'text.delta' || event.kind === 'thought.delta') joined.set(key(event), (joined.get(key(event)) ?? '') + event.text)
      if (event.kind !== 'text.end' && event.kind !== 'thought.end') continue
      assert.deepEqual([event.streamed, joined.get(key(event))], [true, event.text], path)
      blocks++
    }
  }
  assert.equal(blocks, 26)
})

test('stdout and the rollout file of one run say the same', () => {
  for (const path of rollouts.filter((name) => !name.includes('i-plain') && !name.includes('o-resume'))) {
    const run = eventsIn(path.replace('.rollout.jsonl', '.ndjson'))
    const file = eventsIn(path)
    assert.equal(file[0]?.session, run[0]?.session, path)
    for (const kind of ['text.end', 'turn.end'] as const) {
      const said = (events: readonly Event[]): unknown =>
        only(events, kind).map((event) => (event.kind === 'text.end' ? event.text : plain(event.usage ?? null)))
      assert.deepEqual(said(file), said(run), path)
    }
    const reasons = (events: readonly Event[]): unknown => only(events, 'turn.end').map(({ reason, error }) => [reason, error?.category])
    if (!path.includes('r-sigint')) assert.deepEqual(reasons(file), reasons(run), path)
  }
})

// ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The last sum that the program tells of each thread. */
function totalsIn(path: string): Usage[] {
  const totals = new Map<unknown, Usage | undefined>()
  for (const record of fixture(path)) {
    const { method, params, usage, payload } = messageOf(record) as { [key: string]: Rec & string }
    const info = payload?.['info'] as Rec | undefined
    if (method === 'thread/tokenUsage/updated')
      totals.set(params?.['threadId'], usageOf((params?.['tokenUsage'] as Rec | undefined)?.['total'] as Rec))
    else if (usage !== undefined) totals.set('', usageOf(usage))
    else if (info) totals.set('', usageOf(info['total_token_usage'] as Rec))
  }
  return [...totals.values()].flatMap((total) => (total === undefined ? [] : [total]))
}

test("the tokens of the turns add up to the program's own sums", () => {
  for (const path of all) {
    if (path.startsWith('app-server/o-resume')) continue // its sums go on from the run before
    const sum = (usages: readonly (Usage | undefined)[]): Usage => usages.reduce<Usage>((a, b) => addUsage(a, b), {})
    assert.deepEqual(sum(only(eventsIn(path), 'turn.end').map(({ usage }) => usage)), sum(totalsIn(path)), path)
  }
})

test('of a thread that goes on only the tokens of this run count', () => {
  for (const path of all.filter((name) => /^app-server\/o-resume(\.traffic)?\.ndjson$/.test(name))) {
    const [end] = only(eventsIn(path), 'turn.end')
    assert.deepEqual([end?.usage?.input, end?.usage?.output], [200, 40], path)
  }
})

test('twelve tokens in, 34 out and 1000 from the cache for each call of the model', () => {
  const usage = (path: string): unknown =>
    plain(only(eventsIn(path), 'turn.end').map((end) => [end.usage?.input, end.usage?.output, end.usage?.cacheRead]))
  assert.deepEqual(usage('exec/a-text.ndjson'), [[12, 34, 1000]])
  assert.deepEqual(usage('exec/b-read.rollout.jsonl'), [[24, 68, 2000]])
  assert.deepEqual(usage('exec/o-resume.rollout.jsonl'), [
    [12, 34, 1000],
    [12, 34, 1000],
  ])
  assert.deepEqual(usage('app-server/j-multiturn.ndjson'), [
    [12, 34, 1000],
    [12, 34, 1000],
  ])
})
