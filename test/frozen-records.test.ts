// Records share what did not change from one line to the next (src/base/moulds.ts), so nobody who is given one may change it: every
// decoder, encoder and fold works on records that cannot be changed, and says the same.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createDigest } from '../src/analyze/digest.ts'
import { createTimeline } from '../src/analyze/rows.ts'
import { createTrackers } from '../src/analyze/trackers.ts'
import { createUsage } from '../src/analyze/usage.ts'
import { type Dialect, isWritable } from '../src/dialects/contract.ts'
import { createConverter, dialects, detect, type DialectName, type Event } from '../src/index.ts'
import { createReader } from '../src/stream/read.ts'
import { createValidator } from '../src/stream/validate.ts'

/** A loop, not recursion: some recordings nest deeply. */
function frozen<T>(value: T): T {
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue
    Object.freeze(next)
    for (const item of Object.values(next)) if (item !== undefined) open.push(item)
  }
  return value
}

const freezing = (dialect: Dialect): Dialect => ({
  ...dialect,
  decoder: () => {
    const decoder = dialect.decoder()
    return { ...decoder, push: (record, origin) => decoder.push(frozen(record), origin) }
  },
})

function folded(dialect: Dialect, bytes: Uint8Array): unknown {
  const events: Event[] = []
  const reader = createReader(dialect, (more) => void events.push(...more))
  reader.push(bytes)
  reader.end()
  const [digest, usage, trackers, timeline] = [createDigest({ nameOf: dialect.tag }), createUsage(), createTrackers(), createTimeline()]
  const rows = events.flatMap((event) => {
    digest.push(event)
    usage.push(event)
    trackers.observe(event)
    return timeline.push(event)
  })
  return JSON.stringify([digest.report(), usage.report(), rows])
}

function converted(from: Dialect, to: Dialect, bytes: Uint8Array): string {
  let text = ''
  const output = { text: (more: string) => void (text += more), line: (line: string) => void (text += `${line}\n`), bytes: () => {} }
  const converter = createConverter(from, to, output)
  converter.push(bytes)
  converter.end()
  return text
}

test('no decoder, encoder or fold changes a record', () => {
  const files = globSync('fixtures/**/*.{ndjson,jsonl,json}', { cwd: new URL('..', import.meta.url) }).filter((_, index) => index % 2 === 0)
  let read = 0
  for (const file of files) {
    const bytes = readFileSync(new URL(`../${file}`, import.meta.url))
    const { dialect: name } = detect(bytes)
    if (name === undefined || bytes.length > 1e6) continue
    read++
    const plain: Dialect = dialects[name as DialectName]
    const held = freezing(plain)
    assert.equal(folded(held, bytes), folded(plain, bytes), file)
    for (const to of Object.values(dialects)) {
      if (isWritable(to) && to.name !== name) assert.equal(converted(held, to, bytes), converted(plain, to, bytes), `${file} to ${to.name}`)
    }
    const validator = createValidator(held, () => {})
    validator.push(bytes)
    validator.end()
  }
  assert.ok(read > 200, `only ${read} recordings were read`)
})
