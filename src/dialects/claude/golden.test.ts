// Which events each record of each recording becomes, against `golden.txt`: a change in reading shows as a change in that
// file. `UPDATE_GOLDEN=1` writes it anew.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Event } from '../../model/event.ts'
import { eventsIn, recordings } from './support.test.ts'

const file = new URL('../../../fixtures/claude/golden.txt', import.meta.url)

/** `2 message.start* text.end`: the second record; `*` is what sluice added, `-` what came after the last record. */
function linesOf(events: readonly Event[]): string[] {
  const lines = new Map<string, string[]>()
  for (const { origin, kind, synthetic, agent } of events) {
    const record = String(origin?.record ?? '-')
    const told = `${kind}${synthetic === undefined ? '' : '*'}${agent === undefined ? '' : `@${agent}`}`
    lines.set(record, [...(lines.get(record) ?? []), told])
  }
  return [...lines].map(([record, told]) => `${record} ${[...new Set(told)].map((word) => times(word, told)).join(' ')}`)
}

const times = (word: string, told: readonly string[]): string => {
  const count = told.filter((other) => other === word).length
  return count === 1 ? word : `${word}×${count}`
}

test('every recording becomes the events of golden.txt', () => {
  const golden = recordings().flatMap((path) => [`# ${path}`, ...linesOf(eventsIn(path)), ''])
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, golden.join('\n'))
  assert.deepEqual(golden, readFileSync(file, 'utf8').split('\n'))
})
