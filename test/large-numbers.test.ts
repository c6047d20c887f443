// An integer past 2^53 keeps its digits, and so is no plain number in the program. Put in the place of any value of any recorded kind of
// record, it must stop nothing: not the reader, not the writers of other dialects, not the folds.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isRecord, parseJson, type Rec, stringifyJson } from '../src/base/json.ts'
import { createDigest, createTrackers, createUsage } from '../src/analyze/index.ts'
import { dialects, type Event, type WritableName } from '../src/index.ts'
import { createReader } from '../src/stream/read.ts'
import { root } from './run.ts'

const large = '123456789012345678901'
const around = 12 // records before and after the changed one
const targets: readonly WritableName[] = ['sluice', 'claude', 'aictrl', 'avenor', 'appctl', 'acp']

const corpora: Readonly<Record<string, readonly string[]>> = {
  claude: ['claude/2.1.325'],
  codex: ['codex/app-server', 'codex/exec'],
  gemini: ['gemini'],
  copilot: ['copilot'],
  opencode: ['opencode/1.18.33', 'opencode/1.18.33/serve'],
  acp: ['acp/claude', 'acp/codex', 'acp/gemini', 'acp/opencode'],
}

/** Undefined: a line of a document that has several. */
function parsed(line: string): unknown {
  try {
    return parseJson(line)
  } catch {
    return undefined
  }
}

type Place = readonly (string | number)[]

function* placesIn(value: unknown, at: Place = []): Generator<Place> {
  if (Array.isArray(value)) {
    if (at.length > 0) yield at
    if (value.length > 0) yield* placesIn(value[0], [...at, 0])
  } else if (isRecord(value)) {
    if (at.length > 0) yield at
    for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...at, key])
  } else yield at
}

/** The line with the large number in that place. */
function changed(line: string, at: Place): string {
  const copy = parseJson(line) as Rec
  let holder: unknown = copy
  for (const key of at.slice(0, -1)) holder = (holder as Rec)[key as string]
  ;(holder as Rec)[at.at(-1) as string] = '\u0000large'
  return stringifyJson(copy).replace('"\\u0000large"', large)
}

function readAll(name: keyof typeof dialects, lines: readonly string[]): void {
  const events: Event[] = []
  const reader = createReader(dialects[name], (told) => void events.push(...told))
  reader.push(Buffer.from(`${lines.join('\n')}\n`))
  reader.end()
  const folds = [createDigest(), createUsage()]
  const trackers = createTrackers()
  for (const event of events) {
    for (const fold of folds) fold.push(event)
    trackers.observe(event)
  }
  for (const fold of folds) stringifyJson(fold.report())
  for (const to of targets) {
    const encoder = dialects[to].encoder({ write: (record) => void stringifyJson(record), added() {}, lost() {} })
    for (const event of events) encoder.push({ ...event })
    encoder.end()
  }
}

for (const [name, folders] of Object.entries(corpora))
  test(`${name}: a large integer in any place`, () => {
    const seen = new Set<string>()
    let tried = 0
    for (const folder of folders)
      for (const file of readdirSync(join(root, 'fixtures', folder)).filter(
        (one) => /\.(nd)?jsonl?$/.test(one) && !one.includes('stdin'),
      )) {
        const lines = readFileSync(join(root, 'fixtures', folder, file), 'utf8')
          .split('\n')
          .filter(Boolean)
        for (const [at, line] of lines.entries()) {
          const record = line.length > 20_000 ? undefined : parsed(line)
          if (!isRecord(record)) continue
          const tag = dialects[name as keyof typeof dialects].tag(record) ?? ''
          for (const place of placesIn(record)) {
            const key = `${tag} ${place.join('.')}`
            if (seen.has(key)) continue
            seen.add(key)
            tried++
            const near = lines.slice(Math.max(0, at - around), at + around)
            near[Math.min(at, around)] = changed(line, place)
            try {
              readAll(name as keyof typeof dialects, near)
            } catch (error) {
              assert.fail(`${file}:${at + 1} ${key}: ${(error as Error).stack}`)
            }
          }
        }
      }
    assert.ok(tried > 50, `${tried} places`)
  })
