import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Totals } from '../analyze/usage.ts'
import { widthOf } from '../views/layout.ts'
import { notes, usageLines } from './usage-print.ts'

const sums = (input: number): Totals => ({
  input,
  output: 2000,
  reasoning: 30,
  cacheRead: 400_000,
  cacheWrite: 500,
  costUsd: 1,
  reportedUsd: 1,
  pricedUsd: 0,
})
const groups = ['/home/dev/a-project-with-a-long-name', '/家/プロジェクト'].map((key) => ({ key, ...sums(1000) }))
const table = (width: number, fits: boolean): string[] => usageLines('project', groups, sums(2000), { width, colour: false }, fits)

test('on a terminal names are cut and then columns left out, so that no line is wider; a pipe gets all of them', () => {
  for (const width of [30, 40, 60, 80, 120]) for (const line of table(width, true)) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
  assert.deepEqual(table(30, true), [
    'project           input   cost',
    '…ith-a-long-name  1,000  $1.00',
    '/家/プロジェクト  1,000  $1.00',
    'total             2,000  $1.00',
  ])
  assert.match(table(30, false)[1]!, /^\/home\/dev\/a-project-with-a-long-name .*400,000 .*\$1\.00/)
})

test('names in wide characters keep the columns straight', () => {
  const [, first = '', second = ''] = table(80, false)
  assert.equal(widthOf(first.slice(0, first.indexOf('1,000'))), widthOf(second.slice(0, second.indexOf('1,000'))))
})

test('a name is not cut inside a character', () => {
  for (const width of [100, 101, 102, 103]) {
    const lines = usageLines('project', [{ key: '🦆'.repeat(40), ...sums(1) }], sums(1), { width, colour: false }, true)
    assert.ok(
      lines.every((line) => line.isWellFormed()),
      `${width}`,
    )
  }
})

test('what a script would have cost is named, and nobody misses a price of it', () => {
  const scripted = { ...sums(1000), key: 'script/claude-sonnet-4-5', costUsd: 0.5, reportedUsd: 0.5 }
  const report = { totals: scripted, days: [], sessions: [], projects: [], agents: [], unpriced: [{ model: 'script/a.yaml', tokens: 5 }] }
  assert.deepEqual(notes({ ...report, models: [scripted] }, []), ['scripted, no real cost: script/claude-sonnet-4-5 ($0.500 of the sum)'])
})
