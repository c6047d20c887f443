// A digest does not grow with its stream, and still counts all of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holds, scrambled } from '../../test/properties.ts'
import type { Rec } from '../base/json.ts'
import { cutStream, legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createDigest } from './digest.ts'
import { avenor, call, digestOf, done, end, only } from './digest-support.test.ts'

test('lists are bounded, and say how many more there were', () => {
  const many = Array.from({ length: 700 }, (_, id) => [
    call(`${id}`, { rawInput: { command: `echo ${id}` } }),
    done(`${id}`),
    call(`r${id}`, { title: 'Read', kind: 'read', locations: [{ path: `${id}.ts` }] }),
    done(`r${id}`),
  ]).flat()
  const { commands, files, tools } = only(avenor(...many, end))
  assert.deepEqual([commands.items.length, commands.more, files.items.length, files.more], [100, 600, 500, 200])
  assert.equal(tools[0]!.calls, 700)
})

test('all sessions are counted, however many', () => {
  const digest = createDigest()
  for (let id = 0; id < 20_000; id++) {
    digest.push({ v: 1, seq: 2 * id, session: `${id}`, kind: 'session.start' })
    digest.push({ v: 1, seq: 2 * id + 1, session: `${id}`, kind: 'session.end', reason: 'end_turn' })
  }
  const { sessions, moreSessions } = digest.report()
  assert.deepEqual([sessions.length, moreSessions], [1000, 19_000])
})

test('what is counted is counted in all, not only of the first ones', () => {
  const edit = (id: string, path: string): Rec[] => [call(id, { title: 'Edit', kind: 'edit', locations: [{ path }] }), done(id)]
  const read = (id: string, path: string): Rec[] => [call(id, { title: 'Read', kind: 'read', locations: [{ path }] }), done(id)]
  const many = Array.from({ length: 600 }, (_, id) => [
    call(`${id}`, { rawInput: { command: 'x' } }),
    done(`${id}`),
    ...edit(`e${id}`, `${id}`),
  ])
  const last = [call('c', { rawInput: { command: 'x' } }), done('c', 'failed')]
  const again = Array.from({ length: 101 }, (_, id) => [...read(`r${id}`, '600'), ...edit(`a${id}`, '601'), ...read(`b${id}`, '601')])
  const { commands, files } = only(avenor(...many.flat(), ...last, ...again.flat(), end))
  assert.deepEqual([commands.items.length, commands.more, commands.failed], [100, 501, 1])
  assert.deepEqual([files.items.length, files.more, files.changed, files.atLeast], [500, 102, 601, undefined])
})

test('files beyond those that are known apart are said to be there', () => {
  const locations = Array.from({ length: 5001 }, (_, id) => ({ path: `${id}.ts` }))
  const { files } = only(avenor(call('a', { title: 'Edit', kind: 'edit', locations }), done('a'), end))
  assert.deepEqual([files.items.length, files.more, files.changed, files.atLeast], [500, 4500, 5000, true])
})

test('a digest of any stream, legal, cut or scrambled, is JSON and adds up', () =>
  holds(60, (seed, random) => {
    for (const dialect of streamDialects) {
      const records = legalStream(dialect, seed)
      const digest = digestOf(linesOf(random.pick([records, cutStream(records, random), scrambled(records, random)])), dialect)
      assert.deepEqual(JSON.parse(JSON.stringify(digest)), digest)
      const { MILESTONE, FINDING, ACTIVITY } = digest.classes
      assert.deepEqual([MILESTONE + FINDING + ACTIVITY, FINDING], [digest.events, digest.counts.findings])
      for (const { ended, turns, tools } of digest.sessions) {
        assert.ok(turns >= 0 && ['ok', 'failed', 'cancelled'].includes(ended.outcome))
        for (const { calls, failed, denied, abandoned } of tools) assert.ok(calls >= failed + denied + abandoned)
      }
    }
  }))
