// Whether a long text has one of a few words is known from the bytes of its line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import { createMoulds, type Moulds } from './moulds.ts'
import { isFree } from './needles.ts'

const encoder = new TextEncoder()
const lineOf = (text: string): string => JSON.stringify({ type: 'text', text, id: 'x' })

function knowing(): Moulds {
  const moulds = createMoulds()!
  for (let time = 0; time < 2; time++) {
    const bytes = encoder.encode(lineOf('a'))
    moulds.learn(JSON.parse(lineOf('a')), bytes, 0, bytes.length)
  }
  return moulds
}

const moulds = knowing()
/** As a reader gives it. */
function textIn(line: string): string {
  const bytes = encoder.encode(line)
  return moulds.read(bytes, 0, bytes.length)!['text'] as string
}

const needles = ['[fin', 'nce:', 'd te', 'ewer']
const others = ['wxyz', 'nce:']
const filler = fc.string({ unit: fc.constantFrom('a', 'N', '\n', '"', '\\', 'ü', '🦊', 'd', ' ', 't'), minLength: 280, maxLength: 700 })

test('a text with a needle, in small letters or capitals, is never said to have none', () => {
  const word = fc.constantFrom(...needles, ...needles.map((needle) => needle.toUpperCase()), '[Fin', 'eWeR')
  assertHolds(500, fc.record({ text: filler, word, at: fc.nat() }), ({ text, word, at }) => {
    const place = at % (text.length + 1)
    const whole = (text.slice(0, place) + word + text.slice(place)).toWellFormed()
    const read = textIn(lineOf(whole))
    assert.equal(read, whole)
    assert.equal(isFree(read, needles), false)
  })
})

test('one without is known to have none, by whatever words are asked for', () => {
  const text = `${'Nothing to see here, but "quotes", breaks\n and wide → letters. '.repeat(10)}nce`
  const read = textIn(lineOf(text))
  assert.ok(isFree(read, needles))
  assert.ok(isFree(read, others))
  const other = textIn(lineOf(`${text} wxyz`))
  assert.equal(isFree(other, others), false)
  assert.ok(isFree(other, needles))
})

test('nothing is known of a text that is not of the line at hand', () => {
  const text = 'x'.repeat(500)
  assert.equal(isFree(text, needles), false)
  textIn(lineOf(text))
  textIn(lineOf('y'.repeat(500)))
  assert.equal(isFree(text, needles), false)
})
