// Properties of convert: to another dialect a legal stream comes out, the same every time; to its own the bytes stay.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import type { DialectName } from '../src/index.ts'
import { breakStream, createRandom, cutStream, extendStream, legalStream, linesOf, noisy } from '../src/testing/index.ts'
import { bytesOf, chunksOf, converted, convertedBytes, findingsOf, holds, names, scrambled, targets, told } from './properties.ts'

const streams: Record<string, (dialect: DialectName, seed: number) => Rec[]> = {
  legal: (dialect, seed) => legalStream(dialect, seed),
  cut: (dialect, seed) => cutStream(legalStream(dialect, seed), createRandom(seed)),
  extended: (dialect, seed) => extendStream(legalStream(dialect, seed), dialect, createRandom(seed)),
  broken: (dialect, seed) => breakStream(legalStream(dialect, seed), dialect, createRandom(seed))?.records ?? [],
  scrambled: (dialect, seed) => scrambled(legalStream(dialect, seed), createRandom(seed)),
}

suite('what is written in another dialect is legal there', () => {
  for (const from of names) {
    for (const to of targets.filter((name) => name !== from)) {
      test(`${from} to ${to}`, () => {
        for (const [how, make] of Object.entries(streams)) {
          // What sluice's own log says is told as it stands, right or wrong.
          if (from === 'sluice' && (how === 'broken' || how === 'scrambled')) continue
          holds(how === 'legal' ? 20 : 12, (seed) =>
            assert.deepEqual(told(findingsOf(converted(linesOf(make(from, seed)), from, to), to)), [], how),
          )
        }
      })
    }
  }
})

suite('the same input gives the same output, however it is cut', () => {
  for (const from of names) {
    test(from, () =>
      holds(15, (seed, random) => {
        const to = random.pick(targets)
        const options = { carry: random.chance(0.3), array: random.chance(0.2) }
        const bytes = noisy(bytesOf(linesOf(legalStream(from, seed))), random)
        const once = convertedBytes(bytes, from, to, options)
        assert.deepEqual(convertedBytes(bytes, from, to, options), once)
        assert.deepEqual(convertedBytes(chunksOf(bytes, random), from, to, options), once)
      }),
    )
  }
})

suite('to its own dialect a stream keeps every byte', () => {
  for (const dialect of names) {
    for (const [how, make] of Object.entries(streams)) {
      test(`${dialect}, ${how}`, () =>
        holds(15, (seed, random) => {
          const lines = bytesOf(linesOf(make(dialect, seed)))
          const bytes = random.chance(0.5) ? lines : noisy(lines, random)
          assert(Buffer.from(convertedBytes(chunksOf(bytes, random), dialect, dialect)).equals(bytes))
        }))
    }
  }
})

suite('between lines and an array only the frame changes', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(15, (seed) => {
        const lines = linesOf(legalStream(dialect, seed))
        const array = converted(lines, dialect, dialect, { array: true })
        assert.equal(array, `[\n${lines.trimEnd().replaceAll('\n', ',\n')}\n]\n`)
        assert.equal(converted(array, dialect, dialect, { array: true }), array)
        assert.equal(converted(array, dialect, dialect), lines)
      }),
    )
  }
})

suite("through sluice's own dialect and back nothing is lost, if the records travel along", () => {
  for (const dialect of targets.filter((name) => name !== 'sluice')) {
    for (const [how, make] of Object.entries(streams)) {
      test(`${dialect}, ${how}`, () =>
        holds(20, (seed) => {
          const lines = linesOf(make(dialect, seed))
          assert.equal(converted(converted(lines, dialect, 'sluice', { carry: true }), 'sluice', dialect), lines)
        }))
    }
  }
})

test('blanks in what is no record take no time', () => {
  const started = performance.now()
  assert.equal(converted(`x${' '.repeat(400_000)}y\n`, 'claude', 'claude', { array: true }), '[]\n')
  assert.ok(performance.now() - started < 5000)
  assert.equal(converted('\ufeff \n[ ]\n ', 'claude', 'claude', { array: true }), '\ufeff \n[ ]\n ')
})
