// Properties of reading: whatever the bytes are and however they are cut, the same events come out, in canonical order.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type DialectName, detect, type Event, read, write } from '../src/index.ts'
import { breakStream, createRandom, cutStream, extendStream, legalStream, linesOf, noisy, streamDialects } from '../src/testing/index.ts'
import { breachesOf } from './canonical.ts'
import { inputsIn, meaningOf } from './meaning.ts'
import { bytesOf, chunksOf, eventsOf, findingsOf, holds, names, recordsOf, scrambled, told } from './properties.ts'

test('there is a generator for every dialect', () => assert.deepEqual([...streamDialects].sort(), [...names].sort()))

test('the same seed makes the same stream', () =>
  holds(20, (seed, random) => {
    const dialect = random.pick(names)
    assert.equal(linesOf(legalStream(dialect, seed)), linesOf(legalStream(dialect, seed)))
    assert.notEqual(linesOf(legalStream(dialect, seed)), linesOf(legalStream(dialect, seed + 1)))
  }))

suite('every legal stream is known by its records', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(20, (seed) => {
        const found = detect(linesOf(legalStream(dialect, seed)))
        assert.equal(found.dialect, dialect)
        assert.equal(found.mixed, undefined)
      }),
    )
  }
})

suite('a string `event` makes a record Avenor, whatever else it has', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(20, (seed) => {
        const found = detect(linesOf(legalStream(dialect, seed).map((record) => ({ ...record, event: 'ci.result' }))))
        assert.deepEqual([found.dialect, found.confidence, found.mixed], [dialect === 'sluice' ? 'sluice' : 'avenor', 1, undefined])
      }),
    )
  }
})

const framings: Record<string, (dialect: DialectName, seed: number) => string> = {
  lines: (dialect, seed) => linesOf(legalStream(dialect, seed)),
  array: (dialect, seed) => `[${linesOf(legalStream(dialect, seed)).trimEnd().replaceAll('\n', ',\n')}]\n`,
  'array after space': (dialect, seed) => ` \n \t  [ \n${linesOf(legalStream(dialect, seed)).trimEnd().replaceAll('\n', ' ,\n ')} ] `,
  'indented array': (dialect, seed) => JSON.stringify(legalStream(dialect, seed), null, 1),
  indented: (dialect, seed) =>
    legalStream(dialect, seed)
      .map((record) => `${JSON.stringify(record, null, 2)}\n`)
      .join(''),
}

test('any cut of a text gives the same events', () => {
  const text = '{"kind":"user_prompt","text":"a 😀 b"}\n'
  for (let at = 0; at <= text.length; at++) assert.deepEqual(read([text.slice(0, at), text.slice(at)]), read(text))
  assert.deepEqual(read([text, bytesOf(text), text]), read(text + text + text))
})

test('what is only read cannot be written', () => {
  assert.throws(() => write([], 'codex' as 'claude'), /^TypeError: codex can be read but not written$/)
})

suite('any cut of the bytes gives the same events', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(20, (seed, random) => {
        const bytes = bytesOf(random.pick(Object.values(framings))(dialect, seed))
        const input = random.chance(0.5) ? bytes : noisy(bytes, random)
        assert.deepEqual(eventsOf(chunksOf(input, random), dialect), eventsOf(input, dialect))
      }),
    )
  }
})

/** The event without what tells its place in the input. */
const facts = ({ seq: _seq, origin: _origin, ...rest }: Event): object => rest

suite('how the records are framed does not matter', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(10, (seed) => {
        const [lines, ...others] = Object.values(framings).map((frame) =>
          eventsOf(frame(dialect, seed), dialect).map((event) => ({ ...facts(event), raw: undefined })),
        )
        for (const other of others) assert.deepEqual(other, lines)
      }),
    )
  }
})

suite('noise between the lines changes no event', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(25, (seed, random) => {
        const records = legalStream(dialect, seed)
        const bytes = bytesOf(linesOf(random.chance(0.5) ? records : extendStream(records, dialect, random)))
        const events = eventsOf(noisy(bytes, random), dialect).filter(({ origin, kind }) => kind !== 'issue' || origin === undefined)
        assert.deepEqual(events.map(facts), eventsOf(bytes, dialect).map(facts))
      }),
    )
  }
})

suite('calls are read as they were written, to the last digit', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(40, (seed) => {
        const records = legalStream(dialect, seed)
        const { calls } = meaningOf(eventsOf(linesOf(records), dialect))
        const read = [...calls].map(([id, { input }]) => `${id.replace(/#\d+$/, '')} ${input}`)
        assert.deepEqual(
          read.sort(),
          inputsIn(records, dialect)
            .map(([id, input]) => `${id} ${input}`)
            .sort(),
        )
      }),
    )
  }
})

const whole = {
  legal: legalStream,
  cut: (dialect: DialectName, seed: number) => cutStream(legalStream(dialect, seed), createRandom(seed)),
  extended: (dialect: DialectName, seed: number) => extendStream(legalStream(dialect, seed), dialect, createRandom(seed)),
}
const harmed = {
  broken: (dialect: DialectName, seed: number) => breakStream(legalStream(dialect, seed), dialect, createRandom(seed))?.records ?? [],
  scrambled: (dialect: DialectName, seed: number) => scrambled(legalStream(dialect, seed), createRandom(seed)),
}

/**
 * An answer in Avenor's log may have its question outside of it. It is told without one: a question that nobody told would be a milestone of its
 * own, and would open a session that has ended.
 */
const unasked: Partial<Record<DialectName, RegExp>> = { avenor: /permission\.answer: an answer by \w+ to .*, which is not open$/ }

/** Events are records of the dialect `sluice`; its own checker finds nothing in them. */
const judged = (events: readonly Event[]): string[] => told(findingsOf(linesOf(recordsOf(events)), 'sluice'))

suite('readers emit canonical events in canonical order', () => {
  for (const dialect of names) {
    for (const [how, make] of Object.entries(whole)) {
      test(`${dialect}, ${how}`, () =>
        holds(40, (seed) => {
          const events = eventsOf(linesOf(make(dialect, seed)), dialect)
          assert.deepEqual(breachesOf(events, dialect === 'sluice'), [])
          assert.deepEqual(judged(events), [])
        }))
    }
    // What sluice's own log says is told as it stands, right or wrong.
    if (dialect === 'sluice') continue
    for (const [how, make] of Object.entries(harmed)) {
      test(`${dialect}, ${how}`, () => holds(40, (seed) => assert.deepEqual(judged(eventsOf(linesOf(make(dialect, seed)), dialect)), [])))
      test(`${dialect}, ${how}, by every rule of the model`, () =>
        holds(40, (seed) => {
          const breaches = breachesOf(eventsOf(linesOf(make(dialect, seed)), dialect))
          assert.deepEqual(
            breaches.filter((breach) => unasked[dialect]?.test(breach) !== true),
            [],
          )
        }))
    }
  }
})
