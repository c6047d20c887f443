// Events fit in one table: every top-level key has one JSON type over all kinds and all sources, and keys stand in a fixed order.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { detect, dialects, type DialectName, read, write } from '../src/index.ts'
import { createRandom, extendStream, legalStream, linesOf, streamDialects } from '../src/testing/index.ts'
import { root } from './run.ts'

/** Whatever the source has there. */
const opaque: ReadonlySet<string> = new Set(['input', 'data'])
const head = ['v', 'seq', 'at', 'kind', 'session']
const envelope = [...head, 'run', 'agent', 'turn', 'message', 'block', 'call', 'clock', 'origin', 'synthetic', 'ext']

type Seen = { source: string; event: Record<string, unknown> }
const all: Seen[] = []
let files = 0

function add(source: string, stream: string | Uint8Array, dialect: DialectName): void {
  const lines = write(read(stream, { dialect }), 'sluice').text.trim().split('\n')
  for (const line of lines) all.push({ source, event: JSON.parse(line) as Seen['event'] })
}

before(() => {
  for (const file of globSync('fixtures/*/**/*.{ndjson,jsonl,json}', { cwd: root })) {
    const bytes = readFileSync(join(root, file))
    const { dialect } = detect(bytes)
    if (dialect === undefined || !(dialect in dialects)) continue // a part of a record, or a list of what is expected
    files++
    add(file, bytes, dialect as DialectName)
  }
  for (const dialect of streamDialects)
    for (let seed = 0; seed < 40; seed++) {
      const records = legalStream(dialect, seed)
      add(`${dialect}, seed ${seed}`, linesOf(seed % 2 === 0 ? records : extendStream(records, dialect, createRandom(seed))), dialect)
    }
})

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

suite('events as rows of a table', () => {
  test('there is enough to judge by', () => {
    assert.ok(files > 250, `${files} files`)
    const kinds = new Set(all.map(({ event }) => event['kind']))
    const missing = Object.keys(dialects.sluice.loss).filter((kind) => !kinds.has(kind))
    assert.deepEqual(missing, [], 'no source has these kinds')
  })

  test('one type for each key, and never null', () => {
    const types = new Map<string, { type: string; from: string }>()
    for (const { source, event } of all) {
      for (const [key, value] of Object.entries(event)) {
        if (opaque.has(key) || !isKnown(event['kind'], key)) continue
        const type = typeOf(value)
        const from = `${source}, ${String(event['kind'])}`
        const first = types.get(key) ?? { type, from }
        types.set(key, first)
        assert.equal(type, first.type, `${key} is ${type} in ${from}, and ${first.type} in ${first.from}`)
        assert.notEqual(type, 'null', `${key} is null in ${from}`)
      }
    }
  })

  test('v, seq, at, kind, session, the rest of the envelope, the own fields of the kind, raw', () => {
    for (const { source, event } of all) {
      const keys = Object.keys(event)
      const places = keys.map((key) => (key === 'raw' ? Infinity : envelope.includes(key) ? envelope.indexOf(key) : envelope.length))
      assert.ok(
        places.every((place, index) => index === 0 || place >= places[index - 1]!),
        `${source}: ${keys.join(', ')}`,
      )
      assert.deepEqual(
        keys.filter((key) => head.includes(key)),
        head.filter((key) => key in event),
        source,
      )
    }
  })
})

/** A stream of sluice's own may hold keys of a newer version; nothing is promised for them. */
const isKnown = (kind: unknown, key: string): boolean => dialects.sluice.shapes.keys[String(kind)]?.has(key) ?? false
