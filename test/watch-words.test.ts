// A session told in Avenor's words by `watch` and one that was converted to Avenor before give the same lines, but for what
// Avenor's log has no record for (watch tells it all the same) and what a conversion has to add.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { createPlain } from '../src/cli/watch-plain.ts'
import type { View } from '../src/cli/watch-view.ts'
import type { Dialect } from '../src/dialects/contract.ts'
import { dialects } from '../src/index.ts'
import type { Event } from '../src/model/event.ts'
import { createConverter } from '../src/stream/convert.ts'
import { createReader } from '../src/stream/read.ts'
import { fixture } from './run.ts'

const { aictrl, avenor, claude, sluice } = dialects

function plain(dialect: Dialect): { view: View; lines: string[] } {
  const lines: string[] = []
  const line = (text: string): void => void lines.push(text)
  const put = { line, made: line, bytes: () => assert.fail() }
  return { lines, view: createPlain({ dialect: dialect.name, put, wants: () => true, classify: 'no', accumulate: false }) }
}

function linesOf(dialect: Dialect, text: Uint8Array, has: (event: Event, record: Rec | undefined) => boolean): string[] {
  const { view, lines } = plain(dialect)
  const reader = createReader(dialect, (events, record, span) => {
    const kept = events.filter((event) => has(event, record))
    if (kept.length > 0 || events.length === 0) view.show({ events: kept, record, span, classes: [] })
  })
  reader.push(text)
  reader.end()
  return lines
}

function converted(from: Dialect, text: Uint8Array): Uint8Array {
  let out = ''
  const converter = createConverter(from, avenor, { text: (part) => (out += part), line: (part) => (out += `${part}\n`), bytes: () => {} })
  converter.push(text)
  converter.end()
  return Buffer.from(out)
}

const ofLanes = new Set(['tool.start', 'tool.end', 'permission.request', 'permission.answer', 'error'])
const noRecord = new Set(['task.end', 'question.request', 'question.answer', 'context.trim'])

/** What Avenor has a record for. */
const canBeTold = (event: Event): boolean =>
  (event.agent === undefined || ofLanes.has(event.kind)) &&
  !noRecord.has(event.kind) &&
  !(event.kind === 'retry.start' && event.scope !== 'run') &&
  !(event.kind === 'status.update' && event.phase === 'idle')

/** What the source itself has told; why a turn failed is a record of its own there. */
const wasTold = (event: Event, record: Rec | undefined): boolean =>
  record?.['synthetic'] !== 'cut' && (record?.['synthetic'] !== 'required' || event.kind === 'error')

for (const [dialect, pattern] of [
  [claude, 'claude/2.1.325/*.ndjson'],
  [aictrl, 'aictrl/**/*.ndjson'],
] as const)
  test(`${dialect.name}: the same lines as after a conversion to Avenor`, () => {
    const files = globSync(fixture(pattern)).filter((file) => !file.includes('.stdin.') && !file.includes('rejected'))
    assert.ok(files.length > 0)
    for (const file of files) {
      const text = readFileSync(file)
      // A conversion has to write a count of iterations, and reports it as added; watch shows that the source has none.
      const direct = linesOf(dialect, text, canBeTold).map((line) => line.replace('max_iterations=?', 'max_iterations=0'))
      assert.deepEqual(direct, linesOf(avenor, converted(dialect, text), wasTold), file)
    }
  })

test('a log of canonical events that were read from Avenor tells custom events by their names', () => {
  const log = Buffer.from(
    '{"event":"deploy.checked","session_id":"s"}\n{"event":"session.end","session_id":"s","stop_reason":"end_turn"}\n',
  )
  let events = ''
  const converter = createConverter(avenor, sluice, { text: () => {}, line: (part) => (events += `${part}\n`), bytes: () => {} })
  converter.push(log)
  converter.end()
  const direct = linesOf(avenor, log, () => true)
  assert.deepEqual(
    linesOf(sluice, Buffer.from(events), () => true).filter((line) => !line.includes('session.start')),
    direct,
  )
})
