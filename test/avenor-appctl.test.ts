// Avenor → events → appctl → events: what was said and called is still there.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { appctl } from '../src/dialects/appctl/index.ts'
import { avenor } from '../src/dialects/avenor/index.ts'
import type { Dialect, WritableDialect } from '../src/dialects/contract.ts'
import type { Event } from '../src/model/event.ts'
import { legalStream } from '../src/testing/index.ts'

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

function decode(dialect: Dialect, records: readonly Rec[]): Event[] {
  const decoder = dialect.decoder()
  const place = { dialect: dialect.name, from: 'agent', offset: 0, length: 0 } as const
  return [...records.flatMap((record, index) => decoder.push(record, { ...place, record: index + 1, line: index + 1 })), ...decoder.end()]
}

function encode(dialect: WritableDialect, events: readonly Event[]): Rec[] {
  const records: Rec[] = []
  const encoder = dialect.encoder({
    write: (record) => void records.push(plain(record)),
    added: () => {},
    lost: () => {},
  })
  for (const event of events) if (dialect.loss[event.kind].how !== 'drop') encoder.push(event)
  encoder.end()
  return records
}

/** Text and thoughts as they were streamed, calls with their input, and how each ended. */
function content(events: readonly Event[]): { text: string; calls: unknown[]; ends: unknown[] } {
  const text = events.map((event) => (event.kind === 'text.delta' || event.kind === 'thought.delta' ? event.text : '')).join('')
  const calls = events.flatMap((event) => (event.kind === 'tool.start' ? [[event.name, plain(event.input ?? {})]] : []))
  const ends = events.flatMap((event) => (event.kind === 'tool.end' ? [event.status === 'ok' ? 'ok' : 'failed'] : []))
  return { text, calls, ends }
}

const folder = new URL('../fixtures/avenor/document/', import.meta.url)
const linesOf = (name: string): Rec[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Rec)

test('text and calls survive the way to appctl', () => {
  const streams = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => [name, linesOf(name)]),
  )
  for (let seed = 0; seed < 40; seed++) streams.set(`seed ${seed}`, plain(legalStream('avenor', seed, { sessions: 1 })))
  for (const [name, records] of streams) {
    const events = decode(avenor, records)
    assert.deepEqual(content(decode(appctl, encode(appctl, events))), content(events), name)
  }
})
