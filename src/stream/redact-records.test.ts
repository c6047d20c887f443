// Records of a stream without its secrets: nothing but the secrets changes, wherever they are split.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import type { Rec } from '../base/json.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createRedactor } from './redact.ts'
import { createRecordRedactor } from './redact-records.ts'

const secret = `sk-ant-api03-${'Ab1'.repeat(16)}`
const chunk = (delta: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', delta })

function redacted(records: readonly Rec[]): { lines: string[]; counts: Readonly<Record<string, number>> } {
  const redactor = createRedactor()
  const stream = createRecordRedactor<undefined>(redactor)
  const events = eventsByRecord(records, 'avenor')
  const ready = records.flatMap((record, index) => stream.push(JSON.stringify(record), events[index]!, undefined))
  return { lines: [...ready, ...stream.end()].map(({ text }) => text), counts: redactor.counts() }
}

test('a secret that is split over records is taken out of all of them, and counted once', () => {
  for (let at = 1; at < secret.length; at++) {
    const records = [chunk(`it is ${secret.slice(0, at)}`), chunk(`${secret.slice(at)} ok`), { event: 'session.end', session_id: 's' }]
    const { lines, counts } = redacted(records)
    const text = lines.slice(0, 2).map((line) => (JSON.parse(line) as { delta: string }).delta)
    assert.equal(text.join(''), 'it is [redacted:anthropic] ok', `cut at ${at}`)
    assert.equal(lines[2], JSON.stringify(records[2]))
    assert.deepEqual(counts, { anthropic: 1 })
  }
})

test('names that look like a piece of a secret stay', () => {
  const { lines } = redacted([
    { ...chunk('sk-ant-api03-'), session_id: 'sk-ant-api03-' },
    { ...chunk(secret.slice(13)), session_id: 'sk-ant-api03-' },
  ])
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { session_id: string }).session_id),
    ['sk-ant-api03-', 'sk-ant-api03-'],
  )
  assert.ok(!lines.join('').includes(secret.slice(13)))
})

test('records come in their order, though one waits', () => {
  const redactor = createRedactor()
  const stream = createRecordRedactor<number>(redactor)
  const records = [chunk('sk-ant-'), { event: 'deploy', session_id: 't' }, chunk('is how a key begins')]
  const events = eventsByRecord(records, 'avenor')
  const order = records.map((record, index) => stream.push(JSON.stringify(record), events[index]!, index).map(({ item }) => item))
  assert.deepEqual([...order.flat(), ...stream.end().map(({ item }) => item)], [0, 1, 2])
  assert.deepEqual(order[0], [])
})

test('a stream without secrets comes out as it was, in every dialect', () =>
  holds(20, (seed) => {
    for (const dialect of streamDialects) {
      const lines = linesOf(legalStream(dialect, seed)).trimEnd().split('\n')
      const stream = createRecordRedactor<undefined>(createRedactor())
      const events = eventsByRecord(
        lines.map((line) => JSON.parse(line) as Rec),
        dialect,
      )
      const ready = lines.flatMap((line, index) => stream.push(line, events[index]!, undefined))
      assert.deepEqual(
        [...ready, ...stream.end()].map(({ text }) => text),
        lines,
      )
    }
  }))
