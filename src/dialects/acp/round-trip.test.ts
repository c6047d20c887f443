// There and back: what the events of a stream are written as tells the same again, but for what the host says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Rec, stringifyJson } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { isSaid, meaningOf } from '../../../test/meaning.ts'
import { converted, findingsOf as findingsIn, told as inShort } from '../../../test/properties.ts'
import { legalStream, linesOf } from '../../testing/index.ts'
import { agents, allOf, decodeAll, encodeAll, findingsOf, fixture, namesIn, plain } from './support.test.ts'

/** Text, thoughts, calls, how turns ended, plans, settings: what the agent's side can say. */
function assertSame(before: readonly Event[], after: readonly Event[], what: string): void {
  const [told, again] = [meaningOf(before), meaningOf(after)]
  for (const key of ['text', 'thoughts'] as const) assert(isSaid(told[key], again[key], true), `${what}: ${key}`)
  const calls = (meaning: typeof told): unknown =>
    [...meaning.calls].map(([id, { agent: _agent, title, name, ...call }]) => [id, { ...call, name, title: title ?? name }]) // a title must be
  assert.deepEqual(calls(again), calls(told), `${what}: calls`)
  const others = (events: readonly Event[]): unknown =>
    plain([
      allOf(events, 'turn.end').map(({ reason, usage }) => [reason, reason === 'error' ? null : usage]),
      allOf(events, 'plan.update').map(({ entries }) => entries),
      allOf(events, 'permission.request').map(({ id, call, options }) => [id, call, options]),
      allOf(events, 'catalog.update').flatMap(({ commands }) => commands ?? []),
    ])
  assert.deepEqual(others(after), others(before), what)
}

/** Where the host is heard, more is known of calls than the agent says; a call that it refused in silence has failed all the same. */
test('recordings tell the same when they are written again', () => {
  for (const agent of agents)
    for (const name of namesIn(`${agent}/`, '.traffic.ndjson')) {
      const events = decodeAll(fixture(name))
      const { records } = encodeAll(events)
      assert.deepEqual(findingsOf(records), [], name)
      assertSame(events, decodeAll(records), name)
    }
})

test('what was written once is written the same again, but for the ids of prompts that nobody told', () => {
  const rewritten = (records: readonly Rec[]): Rec[] =>
    encodeAll(decodeAll(records)).records.map(({ synthetic: _synthetic, ...record }) =>
      'method' in record ? record : { ...record, id: 0 },
    )
  for (const agent of agents)
    for (const name of namesIn(`${agent}/`, '.ndjson')) {
      const once = rewritten(fixture(name))
      assert.deepEqual(rewritten(once), once, name)
    }
})

test('made-up streams tell the same when they are written again', () => {
  for (let seed = 0; seed < 150; seed++) {
    const events = decodeAll(legalStream('acp', seed, { sessions: 1 }))
    const { records, lost } = encodeAll(events)
    assert.deepEqual(findingsOf(records), [], `seed ${seed}`)
    const calls = (all: readonly Event[]): string =>
      stringifyJson(allOf(all, 'tool.start').map(({ call, name, input }) => [call?.replace('~', ''), name, input]))
    assert.equal(calls(decodeAll(records)), calls(events), `seed ${seed}`)
    const said = (all: readonly Event[]): unknown =>
      [meaningOf(all).text, meaningOf(all).thoughts].map((parts) => parts.map(({ text }) => text).join(''))
    assert.deepEqual(said(decodeAll(records)), said(events), `seed ${seed}: ${lost.join()}`)
  }
})

/** A log keeps the records that it has no word for, those of the host too, and gives them back. */
test("through sluice's own dialect and back a legal stream is legal, whichever sides it holds", () => {
  const throughLog = (records: Rec[]): string => converted(converted(linesOf(records), 'acp', 'sluice'), 'sluice', 'acp')
  const isLegal = (records: Rec[], what: string): void => assert.deepEqual(inShort(findingsIn(throughLog(records), 'acp')), [], what)
  for (const agent of agents)
    for (const name of namesIn(`${agent}/`, '.ndjson')) {
      const records = fixture(name)
      if (findingsOf(records).length === 0) isLegal(records, name)
    }
  for (let seed = 0; seed < 150; seed++) isLegal(legalStream('acp', seed), `seed ${seed}`)
})
