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
  const { session_update: _update, seq: _seq, runtime_id: _runtime, records: _records, broker_url: _broker, ...rest } = record
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
