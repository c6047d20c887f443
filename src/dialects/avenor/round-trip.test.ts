import assert from 'node:assert/strict'
import { test } from 'node:test'
import { legalStream } from '../../testing/index.ts'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { avenor } from './index.ts'
import { decodeAll, encodeAll, findingsOf, fixture, namesIn, plain } from './support.test.ts'

/** What the source told, written back from the fields alone; without the records that a legal stream needs beside it. */
const again = (records: readonly Rec[]): Rec[] =>
  encodeAll(decodeAll(records).filter(({ synthetic }) => synthetic === undefined)).records.filter(
    ({ synthetic }) => synthetic === undefined,
  )

/** The one form in which we write what may be read in several, and without what the model has no place for. */
function normal(record: Rec): Rec {
  const { seq: _seq, runtime_id: _runtime, records: _records, broker_url: _broker, ...rest } = record
  if (typeof rest['session_update'] === 'string') delete rest['session_update'] // the backend's own name of the event
  if ('delta' in rest || 'payload' in rest) {
    const { delta, payload, ...chunk } = rest
    if (String(record['event']).endsWith('_chunk')) return { ...chunk, content: { type: 'text', text: delta ?? (payload as Rec)['text'] } }
    return payload === null ? { ...chunk } : rest
  }
  if (record['event'] === 'permission.request') {
    const { description, ...request } = rest
    const options = (record['options'] as Rec[]).map(({ id, label, optionId, kind, name }) =>
      plain({
        optionId: optionId ?? id,
        kind: kind === 'allow_always' ? 'allow' : (kind ?? (String(label).startsWith('Yes') ? 'allow' : 'reject')),
        name: name ?? label,
      }),
    )
    return plain({ ...request, question: request['question'] ?? description, options })
  }
  return rest
}

const wrongEnds = new Set(['document/11-status.json']) // a status whose event never came is given up
const sorted = (record: Rec): Rec => Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

test('every document fixture comes back by value', () => {
  for (const name of [...namesIn('document/', '.json'), ...namesIn('document/', '.ndjson')]) {
    const records = fixture(name).filter((record) => Object.hasOwn(avenor.shapes.checks, String(record['event'])))
    const expected = wrongEnds.has(name) ? [] : records.map((record) => sorted(normal(record)))
    const got = again(records).map(sorted)
    if (name.startsWith('document/01')) delete got[0]!['kind'] // never absent when we write
    assert.deepEqual(got, expected, name)
  }
})

test('an error keeps the stop reason that it names', () => {
  const error = { event: 'avenor.error', session_id: 's', source: 'loop', stop_reason: 'timeout', message: 'm', colour: 'red' }
  assert.deepEqual(plain(decodeAll([error]).find(({ kind }) => kind === 'error')?.ext), {
    avenor: { stop_reason: 'timeout', colour: 'red' },
  })
  assert.equal(again([error])[0]?.['stop_reason'], 'timeout')
})

test('what a backend says beside an event comes back with it', () => {
  const beside = { tokens: 3, list: [1, { a: null }] }
  const session_id = 's'
  const records: Rec[] = [
    { event: 'session.start', session_id, backend: 'x' },
    { event: 'user.message_chunk', session_id, content: { type: 'text', text: 'do it' }, session_update: beside },
    { event: 'agent.thought_chunk', session_id, content: { type: 'text', text: 'hm' }, session_update: beside },
    { event: 'agent.message_chunk', session_id, content: { type: 'text', text: 'yes' }, messageId: 'm', session_update: [beside] },
    {
      event: 'tool.call',
      session_id,
      toolCallId: 'c',
      title: 'bash',
      kind: 'bash',
      status: 'pending',
      rawInput: {},
      session_update: beside,
    },
    { event: 'tool.call_update', session_id, toolCallId: 'c', kind: 'bash', status: 'completed', session_update: beside },
    { event: 'session.plan', session_id, entries: [], session_update: beside },
    { event: 'session.end', session_id, stop_reason: 'end_turn' },
  ]
  assert.deepEqual(again(records).map(plain), records)
  const parts = { event: 'agent.message_chunk', session_id, content: ['a', 'b'], session_update: beside }
  assert.deepEqual(
    again([parts]).map((record) => record['session_update']),
    [beside, undefined],
    'told once',
  )
})

test('a status comes back, also one that says again what the last one said', () => {
  const session_id = 's'
  const work = (id: string): Rec[] => [
    { event: 'agent.status', session_id, phase: 'working', source: 'avenor', ts: 1 },
    { event: 'tool.call', session_id, toolCallId: id, title: 'bash', kind: 'bash', status: 'pending', rawInput: {} },
    { event: 'tool.call_update', session_id, toolCallId: id, kind: 'bash', status: 'completed' },
  ]
  const end = { event: 'session.end', session_id, stop_reason: 'end_turn' }
  const records = [{ event: 'session.start', session_id, backend: 'x' }, ...work('1'), ...work('2'), end]
  assert.deepEqual(again(records).map(plain), records)
})

test('the keys of a record stand in the order of the document', () => {
  const keys = (name: string): string[][] => fixture(name).map((record) => Object.keys(normal(record)))
  for (const name of [
    'document/02-permission-request.json',
    'document/04-loop-start.json',
    'document/06-phase-end.json',
    'document/10-error-degenerate.json',
    'document/12-session-end.json',
  ]) {
    assert.deepEqual(
      again(fixture(name)).map((record) => Object.keys(record)),
      keys(name),
      name,
    )
  }
})

test('all events written again are a legal stream that tells the same', () => {
  const speech = (events: readonly Event[]): string =>
    events
      .map((event) =>
        event.kind === 'text.delta' || event.kind === 'thought.delta' ? event.text : event.kind === 'tool.start' ? `[${event.call}]` : '',
      )
      .join('')
  const ends = (events: readonly Event[]): unknown[] =>
    events.flatMap((event) =>
      event.kind === 'session.end' ? [[event.session ?? 'session-1', event.reason, plain(event.usage ?? null)]] : [],
    )
  for (let seed = 0; seed < 80; seed++) {
    const events = decodeAll(plain(legalStream('avenor', seed)))
    const { records } = encodeAll(events)
    assert.deepEqual(findingsOf(records), [], `seed ${seed}`)
    const bare = records.map(({ synthetic: _synthetic, ...rest }) => rest)
    const twice = decodeAll(bare)
    assert.equal(speech(twice), speech(events), `seed ${seed}`)
    assert.deepEqual(ends(twice), ends(events), `seed ${seed}`)
    assert.deepEqual(encodeAll(twice).records, bare, `seed ${seed}`)
  }
})

/** As a log in our own dialect would give them back: the events are text in between. */
const throughLog = (records: readonly Rec[]): Rec[] => encodeAll(plain(decodeAll(records))).records

test('a word outside the list comes back; one of the list is not kept beside the model', () => {
  const kept = (records: readonly Rec[]): unknown[] => plain(decodeAll(records).flatMap(({ ext }) => ext ?? []))
  const session = (stop_reason: string): Rec[] => [
    { event: 'session.start', session_id: 's', backend: 'pony' },
    { event: 'session.end', session_id: 's', stop_reason },
  ]
  assert.deepEqual(kept(session('quota_exceeded')), [{ avenor: { stop_reason: 'quota_exceeded' } }])
  assert.deepEqual(throughLog(session('quota_exceeded')), session('quota_exceeded'))
  for (const word of ['end_turn', 'canceled', 'failed', 'error', 'progress_timeout']) assert.deepEqual(kept(session(word)), [], word)

  const loop = (stop: string, exit: string): Rec[] => [
    { event: 'avenor.loop.start', run_id: 'r', max_iterations: 1, pre_phase_count: 0, loop_phase_count: 1 },
    { event: 'avenor.phase.start', run_id: 'r', phase: 'p', iteration: 1, kind: 'loop' },
    { event: 'avenor.phase.end', run_id: 'r', phase: 'p', iteration: 1, stop_reason: stop },
    { event: 'avenor.loop.end', run_id: 'r', exit_reason: exit, iterations_completed: 1 },
  ]
  assert.deepEqual(throughLog(loop('quota', 'sunset')), loop('quota', 'sunset'))
  assert.deepEqual(kept(loop('end_turn', 'marker')), [])

  const asked = { event: 'permission.request', session_id: 's', request_id: '1', tool: 'bash', options: [{ optionId: 'a', kind: 'allow' }] }
  const answer = { event: 'permission.response', session_id: 's', request_id: '1', option_id: 'a', kind: 'allow', source: 'pager' }
  const [start, end] = session('end_turn') as [Rec, Rec]
  assert.deepEqual(throughLog([start, asked, answer, end]), [start, asked, answer, end])
})

test('a label of the run comes back wherever it stands, and is kept beside the model only where nothing else tells it', () => {
  const labels = (records: readonly Rec[]): unknown[] => records.map(({ event, run_label }) => [event, run_label])
  const start = { event: 'session.start', session_id: 's', backend: 'claude', ts: 1 }
  const chunk = { event: 'agent.message_chunk', session_id: 's', content: { type: 'text', text: 'a' }, ts: 2 }
  const call = { event: 'tool.call', session_id: 's', toolCallId: 'c', title: 'bash', kind: 'bash', status: 'pending', rawInput: {}, ts: 3 }
  const update = { event: 'tool.call_update', session_id: 's', toolCallId: 'c', kind: 'bash', status: 'completed', ts: 4 }
  const status = { event: 'agent.status', session_id: 's', run_id: 'r', phase: 'done', source: 'avenor', ts: 5 }
  const retry = { event: 'avenor.retry', run_id: 'r', attempt: 1, max_retries: 3, ts: 6 }
  const end = { event: 'session.end', session_id: 's', stop_reason: 'end_turn', ts: 7 }
  const stream = [start, chunk, call, update, status, end, retry]
  for (const at of stream.keys()) {
    const marked = stream.map((record, index) => (index === at ? { ...record, run_label: 'nightly' } : record))
    const back = labels(throughLog(marked))
    assert.deepEqual(back[at], [stream[at]!.event, 'nightly'])
    if (at > 0) assert.deepEqual(back, labels(plain(marked))) // a session's own label stands on all of its records
  }
  const all = stream.map((record) => ({ ...record, run_label: 'nightly' }))
  for (const records of [all, all.slice(1), all.slice(4)]) {
    const events = decodeAll(records.slice(0, -1))
    assert.equal(plain(events.find(({ kind }) => kind === 'session.start') as Rec | undefined)?.['label'], 'nightly')
    assert.deepEqual(
      events.flatMap(({ ext }) => ext ?? []),
      [],
    )
  }
})

test('a label on a phase comes back', () => {
  const phase = { run_id: 'r', phase: 'p', iteration: 1 }
  const loop: Rec[] = [
    { event: 'avenor.loop.start', run_id: 'r', max_iterations: 1, pre_phase_count: 0, loop_phase_count: 1 },
    { event: 'avenor.phase.start', ...phase, run_label: 'nightly', kind: 'loop' },
    { event: 'avenor.phase.end', ...phase, stop_reason: 'end_turn' },
    { event: 'avenor.loop.end', run_id: 'r', run_label: 'nightly', exit_reason: 'exit', iterations_completed: 1 },
  ]
  assert.deepEqual(throughLog(loop), loop)
})

test('nothing stands in a session.start that the source did not tell', () => {
  const stream = (about: Rec): Rec[] => [
    { event: 'session.start', session_id: 's', backend: 'claude', ...about },
    { event: 'session.end', session_id: 's', stop_reason: 'end_turn' },
  ]
  for (const about of [{}, { dangerously_load: false }, { dangerously_load: true }])
    assert.deepEqual(throughLog(stream(about)), stream(about))
})

test('what a session says at its end comes back without a status of its own', () => {
  const end = { event: 'session.end', session_id: 's', stop_reason: 'end_turn', summary: 'all done', files_changed: ['a'] }
  const stream = [{ event: 'session.start', session_id: 's', backend: 'pony' }, end]
  assert.deepEqual(throughLog(stream), stream)
})
