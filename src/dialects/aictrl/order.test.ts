import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Rec } from '../../base/json.ts'
import { unmarked } from '../support.test.ts'
import { codesOf, findingsOf, fixture, plain, repaired } from './support.test.ts'

test('a session that ends may start again, and counts anew', () => {
  const session = fixture('made/interleaved.ndjson').filter(({ sessionID }) => sessionID === 'ses_a')
  assert.deepEqual(codesOf([...session, ...session]), [])
})

test('a second session_start hides no misplaced catalogue, so that repair brings nothing new', () => {
  const [start, catalog, step] = fixture('document/session.ndjson')
  const rest = fixture('document/session.ndjson').slice(3)
  const codes = (...records: (Rec | undefined)[]): string[] => [...new Set(codesOf(records as Rec[]))]
  assert.deepEqual(codes(start, start, catalog, step, ...rest), ['start-first'])
  assert.deepEqual(codes(start, catalog, start, step, ...rest), ['start-first'])
  assert.deepEqual(codes(start, start, step, catalog, ...rest), ['start-first', 'catalog-second'])
  assert.deepEqual(new Set(codesOf(repaired([start, start, step, catalog, ...rest] as Rec[]))), new Set(['catalog-second']))
})

test('a catalogue that repair adds before the permission of a subagent is that of the session', () => {
  const records = fixture('made/subagents.ndjson')
  const child = records.find(({ type }) => type === 'subagent_start') as Rec
  const asked = { type: 'permission_rejected', timestamp: 1, tool: 'task', permission: 'task', patterns: [], input: null }
  const at = records.indexOf(child) + 1
  const doubled = [...records.slice(0, at), records[0]!, { ...asked, sessionID: child['subagentSessionID'] }, ...records.slice(at)]
  const whole = repaired(doubled)
  const ids = (list: readonly Rec[]) => new Set(list.filter(({ type }) => type === 'tool_catalog').map(({ sessionID }) => sessionID))
  assert.deepEqual(ids(whole), ids(records))
  assert.deepEqual(repaired(whole), whole)
  const before = new Set(codesOf(doubled))
  assert.deepEqual(
    codesOf(whole).filter((code) => !before.has(code)),
    [],
  )
})

test('each session without an end is told once', () => {
  const records = fixture('made/interleaved.ndjson').filter(({ type }) => type !== 'session_complete')
  assert.deepEqual(
    findingsOf(records).map(({ code, severity, text }) => [code, severity, text]),
    [
      ['missing-end', 'error', 'no session_complete of "ses_a"'],
      ['missing-end', 'error', 'no session_complete of "ses_b"'],
    ],
  )
})

test('a session without steps is legal', () => {
  const records = fixture('made/interleaved.ndjson').filter(({ type }) => type !== 'step_start' && type !== 'step_finish')
  assert.deepEqual(codesOf(records), [])
})

// ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a legal stream needs no repair', () => {
  for (const file of [
    'document/session.ndjson',
    'document/failed-session.ndjson',
    'made/interleaved.ndjson',
    'made/subagents.ndjson',
    'made/newer-program.ndjson',
  ]) {
    assert.deepEqual(repaired(fixture(file)), fixture(file), file)
  }
})

test('a cut session gets its open ends closed and one session_complete', () => {
  const records = fixture('made/cut.ndjson')
  assert.deepEqual(unmarked(repaired(records).slice(records.length)), [
    {
      type: 'subagent_complete',
      timestamp: 1741500000040,
      sessionID: 'ses_1',
      subagentSessionID: 'ses_child',
      parentSessionID: 'ses_1',
    },
    { type: 'step_finish', timestamp: 1741500000040, sessionID: 'ses_1', part: { type: 'step-finish' } },
    {
      type: 'session_error',
      timestamp: 1741500000040,
      sessionID: 'ses_1',
      reason: 'unknown',
      code: 'cut',
      message: 'the stream ended early',
    },
    {
      type: 'session_complete',
      timestamp: 1741500000040,
      sessionID: 'ses_1',
      durationMs: 40,
      error: 'the stream ended early',
    },
  ])
})

test('what something missing broke is legal after repair', () => {
  const mended = [
    'no-session-start',
    'no-catalog',
    'no-session-complete',
    'no-session-complete-of-two',
    'subagent-not-started',
    'subagent-completed',
    'step-inside-step',
    'step-left-open',
    'step-finish-alone',
    'text-after-message',
  ]
  for (const name of mended) assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}.ndjson`))), [], name)
  assert.deepEqual(codesOf(repaired(fixture('made/cut.ndjson'))), [])
  const failing = fixture('document/failed-session.ndjson').slice(0, -1)
  assert.deepEqual(codesOf(repaired(failing)), [])
  const newer = fixture('made/newer-program.ndjson').filter(({ type }) => type !== 'session_complete')
  assert.deepEqual(
    findingsOf(repaired(newer)).filter(({ severity }) => severity === 'error'),
    [],
  )
  const childFirst = fixture('made/cut.ndjson').slice(5)
  assert.deepEqual(codesOf(repaired(childFirst)), [])
  assert.deepEqual(
    repaired(childFirst)
      .slice(0, 4)
      .map(({ type, timestamp }) => [type, timestamp]),
    ['session_start', 'tool_catalog', 'subagent_start', 'tool_use'].map((type) => [type, 1741500000040]),
  )
})

test('repair ends sessions of which some records name none', () => {
  const [start, catalog, , , ...rest] = fixture('document/session.ndjson') as [Rec, Rec, Rec, Rec, ...Rec[]]
  const step = { type: 'step_start', timestamp: 1741500000100, part: { type: 'step-start' } }
  const toolOf = (sessionID: string): Rec => ({
    type: 'tool_use',
    timestamp: 1741500000100,
    part: { type: 'tool', tool: 'bash', sessionID, state: { status: 'completed', input: {}, metadata: { exit: 0 } } },
    sequenceNum: 1,
  })
  const of = (sessionID: string | undefined, ...records: Rec[]): Rec[] =>
    records.map(({ sessionID: _, ...record }) => (sessionID === undefined ? record : { ...record, sessionID }))
  const streams = {
    'one without an id before one with an id': [...of(undefined, step), ...of('a', start, catalog, step)],
    'one without an id goes on after the other': [...of(undefined, step), ...of('a', start, catalog, rest.at(-1)!), ...of(undefined, step)],
    'a start without an id starts the same one again': [
      ...of('a', start, catalog, step),
      ...of(undefined, start, catalog, step),
      ...of('a', step),
    ],
    'a record without an id after the end': [...of('a', start, catalog, rest.at(-1)!), ...of(undefined, step), ...of('a', step)],
    'a tool of a subagent without an id after the end': [...of('a', start, catalog, rest.at(-1)!), ...of(undefined, toolOf('b'))],
    'three, one of them without an id': [...of(undefined, step), ...of('a', start), ...of('b', start, catalog), ...of('a', catalog, step)],
  }
  for (const [name, records] of Object.entries(streams)) {
    const once = repaired(records)
    assert.deepEqual(
      codesOf(once).filter((code) => code !== 'required-key'), // records without an id stay as they are
      [],
      name,
    )
    assert.deepEqual(repaired(once), once, name)
  }
})

test('repair adds nothing to what it has mended, whichever records name no session', () => {
  const id = fc.constantFrom(undefined, 'a', 'b')
  const part = fc.constantFrom(undefined, 'kid').map((sessionID) => ({ tool: 'bash', sessionID, state: { status: 'completed' } }))
  const body = fc.oneof(
    fc.constantFrom<Rec>(
      { type: 'session_start', schemaVersion: '1', permissions: [] },
      { type: 'tool_catalog', tools: [], skills: [] },
      { type: 'step_start', part: {} },
      { type: 'subagent_complete', subagentSessionID: 'kid' },
      { type: 'session_error', reason: 'unknown', message: 'm' },
      { type: 'session_complete', error: null },
    ),
    part.map((tool): Rec => ({ type: 'tool_use', part: tool })),
  )
  const records = fc.array(
    fc.tuple(id, body).map(([sessionID, record]) => plain({ ...record, sessionID })),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(records, (stream) => {
      const once = plain(repaired(stream))
      assert.deepEqual(plain(repaired(once)), once)
    }),
    { numRuns: 500 },
  )
})

test('a second message_complete is told by its id where it has one; a message may fail before its step', () => {
  const [start, catalog, , step, ...rest] = fixture('document/session.ndjson')
  const whole = rest.find(({ type }) => type === 'message_complete') as Rec
  const finish = { ...step, type: 'step_finish', part: { type: 'step-finish' } }
  const codes = (one: Rec, two: Rec): string[] =>
    codesOf([start, catalog, step, finish, { ...whole, ...one }, { ...whole, ...two }, rest.at(-1)] as Rec[])
  assert.deepEqual(codes({}, {}), ['message-once'])
  assert.deepEqual(codes({ messageID: 'a' }, { messageID: 'a', status: 'error' }), ['message-once'])
  assert.deepEqual(codes({ messageID: 'a' }, { messageID: 'b' }), [])
  assert.deepEqual(codes({}, { status: 'error' }), [])
})
