// What every dialect must do: its recordings are known and legal, each rule has a stream that breaks it, legal streams pass and come
// back, and nothing throws, whatever the records are. That any cut of the bytes gives the same events needs framing: test/properties.test.ts.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { breachesOf } from '../../test/canonical.ts'
import { assertHolds, holds } from '../../test/properties.ts'
import { isRecord, parseJson, type Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { breakStream, createRandom, cutStream, legalStream, type Random, type StreamDialect } from '../testing/index.ts'
import { interleaved } from '../testing/random.ts'
import { isWritable } from './contract.ts'
import { encodeAs, plain, type Support } from './support.test.ts'

type Parts = {
  /** Fixtures of whole streams: recordings, or the sessions of the document. */
  streams: readonly string[]
  /** Those that lack an end, and nothing else. */
  cutShort?: readonly string[]
  /** What else is wrong with some of them, as `warn status-first`; there are no findings in the others. */
  found?: Readonly<Record<string, readonly string[]>>
  /** How sure the claim is of each record, at the least. */
  claims(path: string): number
  /** The key that tells the type alone: what a record of each type may have is drawn freely. */
  typeKey?: string
  /** Where keys stand that have no place in the model: nowhere, unless it is said. */
  keepsKeys?: 'inside' | 'anywhere'
  /** The one rule of the model that illegal input still leads its reader to break. */
  breaks?: RegExp
  /** Its encoder needs no whole session: from any part of the events comes a legal stream. */
  writesParts?: boolean
}

export function testDialect(support: Support, parts: Parts): void {
  testStreams(support, parts)
  testRejected(support)
  testMadeUp(support)
  testAnyRecords(support, parts)
}

// ── fixtures ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function testStreams(
  { dialect, fixture, eventsIn, findingsOf }: Support,
  { streams, cutShort = [], found = {}, claims, keepsKeys }: Parts,
): void {
  /** A user's own events are of no known type. */
  const isOwn = (record: Rec): boolean => dialect.custom === true && !Object.hasOwn(dialect.shapes.checks, dialect.tag(record) ?? '')

  test('every record is of a known type and shape, with known keys, and is claimed', () => {
    for (const path of streams) {
      for (const record of fixture(path).filter((each) => !isOwn(each))) {
        const tag = dialect.tag(record) ?? ''
        assert.ok(dialect.shapes.checks[tag]?.(record), `${path}: ${tag}`)
        const unknown = Object.keys(record).filter((key) => !dialect.shapes.keys[tag]!.has(key))
        if (keepsKeys !== 'anywhere') assert.deepEqual(unknown, [], `${path}: ${tag}`)
        assert.ok(dialect.claim(record) >= claims(path), `${path}: ${tag}`)
      }
    }
  })

  test('every record is told, none is unknown, none is an issue, in canonical order', () => {
    for (const path of streams) {
      const records = fixture(path)
      const events = eventsIn(path)
      assert.deepEqual(
        events.filter((event) => isOdd(event) && !isOwn(records[event.origin!.record - 1]!)),
        [],
        path,
      )
      const spoken = new Set(events.filter(({ synthetic }) => synthetic === undefined).map(({ origin }) => origin?.record))
      records.forEach((_, index) => assert.ok(spoken.has(index + 1), `${path}: record ${index + 1} says nothing`))
      assert.deepEqual(breachesOf(events), [], path)
      const kept = events.flatMap(({ ext }) => ext ?? [])
      if (keepsKeys === undefined) assert.deepEqual(kept, [], path)
    }
  })

  test('order: what is wrong with a stream is found, and nothing else', () => {
    for (const path of streams)
      assert.deepEqual(
        findingsOf(fixture(path)).map(({ code, severity }) => `${severity} ${code}`),
        cutShort.includes(path) ? ['error missing-end'] : (found[path] ?? []),
        path,
      )
  })
}

const isOdd = (event: Event): boolean => event.kind === 'issue' || (event.kind === 'raw' && event.why === 'unknown')

function testRejected({ dialect, namesIn, jsonFixture, fixture, codesOf }: Support): void {
  const expected = jsonFixture('rejected/expected.json') as Record<string, string[]>
  const broken = new Set(Object.values(expected).flat())

  suite('each stream of the rejected corpus breaks the rule it was made for', () => {
    for (const [name, codes] of Object.entries(expected)) test(name, () => assert.deepEqual(codesOf(fixture(`rejected/${name}`)), codes))
  })

  test('every stream of the corpus is on its list, every rule has a stream that breaks it, and every finding a rule', () => {
    assert.deepEqual(
      namesIn('rejected/', '.ndjson'),
      Object.keys(expected)
        .map((name) => `rejected/${name}`)
        .toSorted(),
    )
    assert.deepEqual(
      Object.keys(dialect.rules).filter((code) => !broken.has(code)),
      [],
    )
    assert.deepEqual(
      [...broken].filter((code) => !Object.hasOwn(dialect.rules, code) && !ofAnyStream.has(code)),
      [],
    )
  })
}

const asItWas: ReadonlySet<string> = new Set(['words', 'known-word', 'required-key', 'loop-marker', 'loop-count'])

/** What is no rule of a dialect. */
const ofAnyStream: ReadonlySet<string> = new Set(['shape', 'no-type', 'unknown-type'])

// ── made-up streams ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function testMadeUp({ dialect, decodeAll, findingsOf, codesOf, repaired }: Support): void {
  const name = dialect.name as StreamDialect // each has a generator: test/properties.test.ts
  const eachSeed = (property: (records: Rec[], random: Random, what: string) => void): void => {
    for (let seed = 0; seed < 60; seed++) property(plain(legalStream(name, seed)), createRandom(seed), `seed ${seed}`)
  }

  test('made-up streams: the legal ones pass, and repair changes nothing; the broken ones are caught; cut ones can be repaired', () =>
    eachSeed((records, random, what) => {
      assert.deepEqual(findingsOf(records), [], what)
      assert.deepEqual(repaired(records), records, what)
      const broken = breakStream(records, name, random)
      if (broken !== undefined) assert.ok(codesOf(plain(broken.records)).includes(broken.code), `${what}: ${broken.what}`)
      const cut = repaired(cutStream(records, random))
      assert.deepEqual(
        findingsOf(cut).filter(({ severity }) => severity === 'error'),
        [],
        what,
      )
    }))

  if (isWritable(dialect))
    test('made-up streams: all events written again are legal', () =>
      eachSeed((records, _random, what) => assert.deepEqual(findingsOf(encodeAs(dialect, decodeAll(records)).records), [], what)))
}

// ── any records ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const junk = parseJson(`[
  null, true, 0, -1, 1.5, 1e21, 1e300, 12345678901234567890, "", "x", "__proto__", [], {}, [null], [{}],
  {"type":"text"}, {"a":{"b":1}}, {"toString":1}, {"end":2}, {"__proto__":{"a":1}}
]`) as unknown[]

function harmed(value: unknown, random: Random): unknown {
  if (random.chance(0.03)) return random.pick(junk)
  if (Array.isArray(value)) return value.map((item) => harmed(item, random))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (random.chance(0.02) ? [] : [[key, harmed(item, random)]])))
}

const bigNumber = parseJson('12345678901234567890')

/** A copy for each value in it, which has become a number past 2^53. */
function* withBigNumbers(value: unknown): Generator<Rec> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    const put = (other: unknown): Rec =>
      Array.isArray(value) ? (Object.assign([...(value as unknown[])], { [key]: other }) as unknown as Rec) : { ...value, [key]: other }
    yield put(bigNumber)
    for (const changed of withBigNumbers(item)) yield put(changed)
  }
}

const ways: readonly ((records: readonly Rec[], other: readonly Rec[], random: Random) => Rec[])[] = [
  (records, _other, random) => records.filter(() => random.chance(0.8)),
  (records, _other, random) => records.map((record) => harmed(record, random)).filter(isRecord),
  (records, _other, random) => random.shuffled(records),
  (records, other, random) => random.shuffled([...records, ...other]),
  (records, other, random) => interleaved([records, other], random),
  (records, _other, random) => records.slice(0, random.int(0, records.length)),
  (records, _other, random) => records.flatMap((record) => (random.chance(0.2) ? [record, record] : [record])),
]

/** Streams of the dialect, and made-up ones, as nobody may write them. */
function testAnyRecords(
  { dialect, fixture, decodeAll, findingsOf, codesOf, repaired }: Support,
  { streams, typeKey, breaks, writesParts = false }: Parts,
): void {
  const short = streams.map(fixture).filter(({ length }) => length > 0 && length < 100)
  const streamOf = (random: Random): Rec[] =>
    random.chance(0.7) ? random.pick(short) : plain(legalStream(dialect.name as StreamDialect, random.int(0, 999)))
  const mixed = (random: Random): Rec[] => random.pick(ways)(streamOf(random), streamOf(random), random)

  test('any records give events, numbered without a gap, in canonical order, and what starts ends', () =>
    holds(300, (_seed, random) => {
      const breaches = breachesOf(decodeAll(mixed(random)))
      assert.deepEqual(
        breaches.filter((breach) => breaks?.test(breach) !== true),
        [],
      )
    }))

  test('any records can be judged, and lack no end when they were repaired', () =>
    holds(300, (_seed, random) => assert.ok(!codesOf(repaired(mixed(random))).includes('missing-end'))))

  test('a stream read twice gives the same events', () =>
    holds(30, (_seed, random) => {
      const records = mixed(random)
      assert.deepEqual(decodeAll(records), decodeAll(plain(records)))
    }))

  test('a number that keeps its text, wherever it stands, is read and judged', () => {
    const seen = new Set<string>()
    for (const records of streams.map(fixture))
      records.slice(0, 200).forEach((record, index) => {
        const form = JSON.stringify(record, (_, item: unknown) => (typeof item === 'object' ? item : 0))
        if (seen.has(form)) return
        seen.add(form)
        for (const changed of withBigNumbers(record)) {
          const stream = [...records.slice(Math.max(0, index - 4), index), changed]
          decodeAll(stream)
          repaired(stream)
        }
      })
  })

  if (typeKey !== undefined)
    test('records of known types, with anything in their fields, give events', () => {
      const record = fc.constantFrom(...Object.keys(dialect.shapes.keys)).chain((tag) => {
        const keys = [...dialect.shapes.keys[tag]!]
        return fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()).map((fields): Rec => ({ ...fields, [typeKey]: tag }))
      })
      assertHolds(200, fc.array(record, { maxLength: 30 }), (records) => {
        decodeAll(records).forEach(({ seq }, index) => assert.equal(seq, index + 1))
      })
    })

  if (!isWritable(dialect)) return
  /** A word that no list has comes back as it was; what a source of its own left out stays out. */
  const isLegal = (events: readonly Event[]): void =>
    assert.deepEqual(
      findingsOf(encodeAs(dialect, events).records).filter(({ code }) => !asItWas.has(code)),
      [],
    )
  test('whatever was read is written as a legal stream', () =>
    holds(300, (_seed, random) => {
      const events = decodeAll(mixed(random))
      isLegal(events)
      if (writesParts) isLegal(events.filter(() => random.chance(0.8)))
    }))
}
