// A digest leaves the middle of long tool results unread (`skim`): it must say what it says of the whole.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDigest, type Digest } from '../src/analyze/digest.ts'
import { dialects } from '../src/index.ts'
import { createReader } from '../src/stream/read.ts'
import { fixture } from './run.ts'

const longLines = ' a long line of what the tool gave back, "quoted" and → wide\n'.repeat(200)

/** Every recording of a folder, one after the other, all that tools gave back made long. */
function longStream(name: 'claude' | 'aictrl', folder: string): { bytes: Buffer; long: number } {
  const path = fixture(folder)
  const { outputs } = dialects[name]
  let long = 0
  const lengthened = (value: unknown, at: string): unknown => {
    if (typeof value === 'string') {
      if (outputs?.has(at) !== true) return value
      long++
      return `${value}${longLines}${value}`
    }
    if (Array.isArray(value)) return value.map((item) => lengthened(item, `${at}.*`))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lengthened(item, at === '' ? key : `${at}.${key}`)]))
  }
  const lines = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ndjson') && !file.includes('stdin'))
    .sort()
    .flatMap((file) => readFileSync(join(path, file), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.stringify(lengthened(JSON.parse(line), '')))
  return { bytes: Buffer.from(`${lines.join('\n')}\n`.repeat(3)), long }
}

function digestOf(name: 'claude' | 'aictrl', bytes: Buffer, skim: boolean): { digest: Digest; read: number } {
  const dialect = dialects[name]
  const fold = createDigest({ nameOf: dialect.tag })
  let read = 0 // characters of what tools gave back
  const reader = createReader(
    dialect,
    (events) => {
      for (const event of events) {
        if (event.kind === 'tool.end') read += event.text?.length ?? 0
        fold.push(event)
      }
    },
    { raw: 'none', plainNumbers: true, skim },
  )
  for (let at = 0; at < bytes.length; at += 65536) reader.push(bytes.subarray(at, at + 65536))
  reader.end()
  return { digest: fold.report(), read }
}

for (const [name, folder] of [
  ['claude', 'claude/2.1.325'],
  ['claude', 'claude/2.0.76'],
  ['aictrl', 'aictrl'],
] as const)
  test(`of ${folder} with long results`, () => {
    const { bytes, long } = longStream(name, folder)
    assert.ok(long > 5)
    const whole = digestOf(name, bytes, false)
    const skimmed = digestOf(name, bytes, true)
    assert.deepEqual(skimmed.digest, whole.digest)
    assert.ok(skimmed.read < whole.read * 0.8, `of ${whole.read} characters ${skimmed.read} were read`)
  })
