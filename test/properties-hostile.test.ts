// Input that nobody meant: random bytes, random JSON, records of the right name with a body of any kind. Nothing throws, and every
// stream of events still begins and ends as it must.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { type Rec, stringifyJson } from '../src/base/json.ts'
import { convert, type DialectName, dialects, validate } from '../src/index.ts'
import { createRandom, legalStream, linesOf, type Random } from '../src/testing/index.ts'
import { assertHolds, bytesOf, eventsOf, findingsOf, names, recordsOf, targets, told } from './properties.ts'

/** Reads, validates, repairs and converts the input; the events must be legal, and so must all that is written. */
function survives(input: Uint8Array, dialect: DialectName): void {
  if (dialect !== 'sluice') assert.deepEqual(told(findingsOf(linesOf(recordsOf(eventsOf(input, dialect))), 'sluice')), [])
  validate([input], { dialect, repair: true })
  for (const to of new Set<DialectName>([dialect, ...targets])) {
    const { text } = convert([input], { from: dialect, to, carry: input.length % 2 === 0 })
    if (to !== dialect && dialect !== 'sluice') assert.deepEqual(told(findingsOf(text, to)), [], `to ${to}`)
  }
}

const bytes = fc.uint8Array({ maxLength: 400 })
/** Bytes that a framer has an opinion about. */
const framing = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '\n',
      '\r\n',
      ' ',
      '\ufeff',
      '{"a":1}',
      'null',
      '[{',
      '}]',
      '\u2028',
      '{"kind":"done"}',
      '{"type":"x"}',
      '{"event":"x"}',
    ),
    { maxLength: 60 },
  )
  .map((parts) => bytesOf(parts.join('')))

suite('random bytes', () => {
  for (const dialect of names) {
    test(dialect, () => {
      assertHolds(40, bytes, (input) => survives(input, dialect))
      assertHolds(60, framing, (input) => survives(input, dialect))
    })
  }
})

suite('random JSON', () => {
  for (const dialect of names) {
    test(dialect, () =>
      assertHolds(40, fc.array(fc.json({ maxDepth: 3 }), { maxLength: 8 }), (lines) => survives(bytesOf(lines.join('\n')), dialect)),
    )
  }
})

// ── records of the right name ────────────────────────────────────────────────────────────────────────────────────────────

const odd: readonly unknown[] = [null, true, 0, -1, 1.5, 1e21, '', [], {}, [null], [{}], { type: 'text' }]
/** Two things of one name are another matter: no dialect can tell a session from a subagent that is called the same. */
const oddValue = (random: Random): unknown =>
  random.chance(0.2) ? `${random.pick(['~', '__proto__', '\ud800'])}${random.hex(4)}` : random.pick(odd)

/** A value of the record, somewhere in its depth, is replaced or taken away. */
function spoiled(value: unknown, random: Random): unknown {
  if (random.chance(0.2) || typeof value !== 'object' || value === null) return oddValue(random)
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(random)]
    const at = random.int(0, value.length - 1)
    return value.map((item: unknown, index) => (index === at ? spoiled(item, random) : item))
  }
  const keys = Object.keys(value)
  const key = keys.length === 0 ? 'x' : random.pick(keys)
  if (random.chance(0.2)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  return { ...value, [key]: spoiled((value as Rec)[key], random) }
}

suite('legal streams with spoiled records', () => {
  for (const dialect of names) {
    test(dialect, () =>
      assertHolds(60, fc.nat(), (seed) => {
        const random = createRandom(seed)
        const records = legalStream(dialect, seed, { turns: 1 }).map((record) => (random.chance(0.2) ? spoiled(record, random) : record))
        survives(bytesOf(records.map((record) => `${stringifyJson(record)}\n`).join('')), dialect)
      }),
    )
  }
})

const nameKeys = {
  appctl: ['kind'],
  sluice: ['kind'],
  aictrl: ['type'],
  avenor: ['event'],
  claude: ['type', 'subtype'],
  copilot: ['type'],
  acp: ['method'],
  gemini: ['type'],
  codex: ['type'],
  opencode: ['type'],
} as const satisfies Record<DialectName, readonly string[]>

suite('records of a known type with any body', () => {
  for (const dialect of names) {
    const tags = Object.keys(dialects[dialect].shapes.checks).map((tag) => tag.split('/'))
    const record = fc.tuple(
      fc.constantFrom(...tags),
      fc.dictionary(
        fc.constantFrom('session_id', 'sessionID', 'session', 'id', 'part', 'message', 'text', 'content', 'request', 'response', 'x'),
        fc.jsonValue({ maxDepth: 3 }),
      ),
    )
    const body = record.map(([tag, fields]) => ({
      ...fields,
      ...Object.fromEntries(nameKeys[dialect].flatMap((key, index) => (tag[index] === undefined ? [] : [[key, tag[index]]]))),
    }))
    test(dialect, () => assertHolds(50, fc.array(body, { maxLength: 10 }), (records) => survives(bytesOf(linesOf(records)), dialect)))
  }
})

test('values that are nested deep', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  for (const dialect of names) {
    const [first = {}] = legalStream(dialect, 1)
    survives(bytesOf(`${stringifyJson(first).replace(/\}$/, `,"x":${deep}}`)}\n`), dialect)
  }
})
