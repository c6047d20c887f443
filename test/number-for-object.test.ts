// An integer past 2^53 keeps its text, in something that is an object to JavaScript. Where a recording has an object or a list, such a
// number may stand instead: it is read, judged, converted, counted and summed up without an exception.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { createDigest, createTimeline, createTracker, createUsage } from '../src/analyze/index.ts'
import type { Rec } from '../src/base/json.ts'
import { convert, type DialectName, dialects, read, validate } from '../src/index.ts'
import { targets } from './properties.ts'
import { fixture } from './run.ts'

const number = '12345678901234567890'
const mark = '@number@'
const [before, after] = [30, 10] // records of the recording around the changed one

/** Each object and list inside a record, with its path, replaced. */
function* changed(record: Rec): Generator<{ path: string; line: string }> {
  function* inside(value: unknown, path: string): Generator<{ path: string; line: string }> {
    if (value === null || typeof value !== 'object') return
    const holder = value as Rec
    for (const [key, item] of Object.entries(holder)) {
      if (item === null || typeof item !== 'object') continue
      const here = `${path}/${Array.isArray(value) ? '*' : key}`
      holder[key] = mark
      yield { path: here, line: JSON.stringify(record).replace(`"${mark}"`, number) }
      holder[key] = item
      yield* inside(item, here)
    }
  }
  yield* inside(record, '')
}

function* streams(dialect: DialectName): Generator<{ what: string; text: string }> {
  const seen = new Set<string>()
  for (const file of globSync('**/*.{ndjson,jsonl}', { cwd: fixture(dialect), exclude: ['**/rejected/**'] })) {
    const lines = readFileSync(join(fixture(dialect), file), 'utf8')
      .split('\n')
      .filter(Boolean)
    for (const [index, line] of lines.entries())
      for (const { path, line: other } of changed(recordIn(line))) {
        const what = `${dialects[dialect].tag(recordIn(line)) ?? ''} ${path}`
        if (seen.has(what)) continue
        seen.add(what)
        // What a decoder remembers of one record may be what it trips over at the next.
        const those = [other, line, other]
        const around = [...lines.slice(Math.max(0, index - before), index), ...those, ...lines.slice(index + 1, index + 1 + after)]
        yield { what: `${file}:${index + 1} ${what}`, text: `${around.join('\n')}\n` }
      }
  }
}

function recordIn(line: string): Rec {
  try {
    return JSON.parse(line) as Rec
  } catch {
    return {} // a recording holds other lines too
  }
}

function goThrough(text: string, dialect: DialectName): void {
  const [usage, digest, tracker, timeline] = [createUsage(), createDigest(), createTracker(), createTimeline()]
  for (const event of read(text, { dialect })) {
    usage.push(event)
    digest.push(event)
    tracker.observe(event)
    timeline.push(event)
  }
  usage.report()
  digest.report()
  validate(text, { dialect, repair: true })
  for (const to of targets) convert(text, { from: dialect, to })
}

suite('a number that keeps its text, in place of an object', () => {
  for (const dialect of Object.keys(dialects).filter((name) => name !== 'sluice') as DialectName[])
    test(dialect, () => {
      let tried = 0
      for (const { what, text } of streams(dialect)) {
        tried++
        assert.doesNotThrow(() => goThrough(text, dialect), what)
      }
      assert.ok(tried > 0)
    })
})
