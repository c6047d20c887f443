// The phrases of Avenor's document: which texts are findings, and in which piece of a text.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import { readOn, startReading } from './phrases.ts'

const rulesIn = (...pieces: string[]): (string | undefined)[] => {
  const reading = startReading()
  return pieces.map((piece) => readOn(reading, piece))
}
const told = (...pieces: string[]): number[] => rulesIn(...pieces).flatMap((rule, index) => (rule === undefined ? [] : [index]))

test('each phrase has its rule, in any case, anywhere in the text', () => {
  assert.deepEqual(rulesIn('a [FINDING] here'), ['text.finding'])
  assert.deepEqual(rulesIn('The Reviewer Flagged it'), ['text.reviewer-flagged'])
  assert.deepEqual(rulesIn('correction needed'), ['text.correction-needed'])
  assert.deepEqual(rulesIn('xfailed tests'), ['text.failed-test'])
  assert.deepEqual(rulesIn('confidence: 60%'), ['text.confidence'])
  assert.deepEqual(rulesIn('an error was found'), [undefined])
})

const scores: [text: string, isFinding: boolean][] = [
  ['confidence: 59%', false],
  ['confidence: 60%', true],
  ['confidence: 40% and then confidence: 80%', true],
  ['confidence: 80% and then confidence: 40%', true],
  ['confidence: 60ms', false],
  ['confidence:60', true],
  ['confidence:\t\n\f\r  60', true],
  ['confidence:\u00a060', false],
  ['confidence 80%', false],
  ['confidence: 0.85', false],
  ['confidence: 60.5', true],
  ['overconfidence: 90', true],
  ['confidence: 150%', true],
  ['confidence: 60_', false],
  ['confidence: 60é', true],
  ['confidence: confidence: 80', true],
  ['confidence: -80', false],
  ['confidence: 0000000000000000000000000000060', true],
  ['confidence: 99999999999999999999999999999999', false],
  ['confidence:', false],
]
suite('a confidence counts from 60 per cent', () => {
  for (const [text, isFinding] of scores) test(JSON.stringify(text), () => assert.equal(rulesIn(text)[0] !== undefined, isFinding))
})

test('a phrase in pieces is told in the piece that completes it, once', () => {
  assert.deepEqual(told('review', 'er fl', 'agged', ' and more', 'flagged'), [2])
  assert.deepEqual(told('[', 'f', 'inding', ']', ']'), [3])
  assert.deepEqual(told('failed test', ' failed test'), [0, 1])
  assert.deepEqual(told('rreviewer', ' flagged'), [1])
  assert.deepEqual(told('review', '', 'er flagged'), [2])
})

test('a score in pieces is told when it is high enough, once', () => {
  assert.deepEqual(told('confid', 'ence', ':', '   ', '\n', '6', '0', '%'), [6])
  assert.deepEqual(told('confidence: 60', '0', '%', ' confidence: 7', '0'), [0, 4])
  assert.deepEqual(told('confidence: 5', '9%'), [])
  assert.deepEqual(told('confidence: 6', '0ms'), [])
  assert.deepEqual(told('confidence:', 'x', '80'), [])
})

test('what is kept between two pieces does not grow', () => {
  const reading = startReading()
  for (let i = 0; i < 1000; i++) readOn(reading, 'confidence:'.repeat(50))
  for (let i = 0; i < 1000; i++) readOn(reading, ' '.repeat(500))
  for (let i = 0; i < 1000; i++) readOn(reading, '0'.repeat(500))
  assert.ok(JSON.stringify(reading).length < 100)
  assert.equal(readOn(reading, '70 '), 'text.confidence')
})

// ── the same, as plainly as it can be said ──────────────────────────────────────────────

const plain = /\[finding\]|reviewer flagged|correction needed|failed test|confidence:[\t\n\f\r ]*(\d+)(?:%|(?![0-9a-z_]))/gi
/** Where each finding of a text ends. */
const endsOf = (text: string): Set<number> =>
  new Set(
    [...text.matchAll(plain)]
      .filter(([, score]) => score === undefined || (BigInt(score) >= 60n && BigInt(score) < 2n ** 63n))
      .map((match) => match.index + match[0].replace(/%$/, '').length),
  )

const parts = [
  '[finding]',
  'reviewer flagged',
  'correction needed',
  'Failed test',
  'confidence:',
  'CONFIDENCE: 8',
  ' ',
  '7',
  '59',
  '0',
  '%',
  'ms',
  '[',
  'r',
  'c',
  'f',
  'é',
  '. ',
]
const pieces = fc.array(
  fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 5 }).map((words) => words.join('')),
  {
    maxLength: 8,
  },
)

test('any text, cut anywhere, is told as the whole of it shows', () =>
  assertHolds(3000, fc.tuple(pieces, fc.nat(), fc.nat()), ([drawn, a, b]) => {
    const text = drawn.join('')
    const cuts = [0, a % (text.length + 1), b % (text.length + 1), text.length].toSorted((x, y) => x - y)
    const cut = cuts.slice(1).map((end, index) => text.slice(cuts[index], end))
    let before = ''
    const seen = new Set<number>() // scores that a later piece may take back: they were told when their piece ended
    const reading = startReading()
    for (const piece of cut) {
      const joined = before + piece
      const fresh = [...endsOf(joined)].filter((end) => end > before.length && !seen.has(scoreAt(joined, end)))
      assert.equal(readOn(reading, piece) !== undefined, fresh.length > 0, JSON.stringify([cut, piece]))
      for (const end of endsOf(joined)) seen.add(scoreAt(joined, end))
      before = joined
    }
  }))

/** Digits that end here belong to the score that begins there: one that grows is still the same. */
const scoreAt = (text: string, end: number): number =>
  text.slice(0, end).replace(/\d*$/, '').length + (/\d$/.test(text.slice(0, end)) ? 0.5 : 0)
