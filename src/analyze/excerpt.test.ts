// Short pieces of long texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import { beginning, createMemory, ending } from './excerpt.ts'

test('a text is cut to characters, not to halves of them, and stands on one line', () => {
  assert.equal(beginning('a\t b\n c', 10), 'a b c')
  assert.equal(beginning('👍👍👍', 2), '👍👍…')
  assert.equal(beginning('x'.repeat(100), 10), `${'x'.repeat(10)}…`)
  assert.equal(ending('one two three', 5), '…three')
  assert.equal(ending('👍👍👍', 2), '…👍👍')
  assert.equal(ending(' a  b ', 5), 'a b')
})

test('the last pieces are remembered in their order, the first of very many are not', () => {
  const memory = createMemory()
  assert.equal(memory.text(), '')
  for (let piece = 0; piece < 300; piece++) memory.hear(`${piece} `)
  assert.match(memory.text(), /^0 1 .* 298 299 $/)
  for (let piece = 300; piece < 3000; piece++) memory.hear(`${piece} `)
  assert.match(memory.text(), /^\d+ .* 2998 2999 $/)
  assert.ok(memory.text().length >= 4096 && memory.text().length < 4110)
  memory.clear()
  memory.hear('a')
  assert.equal(memory.text(), 'a')
})

test('however a text was cut into pieces, the same end of it is shown', () => {
  const text = Array.from({ length: 2000 }, (_, word) => `w${word}`).join(' ')
  const shown = [1, 3, 700, 5000, text.length].map((size) => {
    const memory = createMemory()
    for (let at = 0; at < text.length; at += size) memory.hear(text.slice(at, at + size))
    return ending(memory.text(), 1000)
  })
  assert.deepEqual([...new Set(shown)], [ending(text, 1000)])
})

test('a text that is closed stays until another one begins', () => {
  const memory = createMemory()
  memory.hear('a')
  memory.hear('b')
  memory.close()
  memory.close()
  assert.equal(memory.text(), 'ab')
  memory.hear('c')
  assert.equal(memory.text(), 'c')
  memory.clear()
  assert.equal(memory.text(), '')
})

test('both ends of a text count characters, not their halves', () => {
  const unit = fc.constantFrom('a', ' ', '\n', 'é', '🙂', '\ud83d', '\ude42')
  assertHolds(3000, fc.tuple(fc.array(unit, { maxLength: 60 }), fc.integer({ min: 1, max: 8 })), ([units, most]) => {
    const text = units.join('')
    const points = (part: string): string[] => Array.from(part.replace(/\s+/g, ' ').trim())
    const first = points(text.slice(0, most * 4))
    const last = points(text.slice(-most * 4))
    const isShort = text.length <= most * 4 && first.length <= most
    assert.equal(beginning(text, most), isShort ? first.join('') : `${first.slice(0, most).join('').trimEnd()}…`)
    assert.equal(ending(text, most), isShort ? last.join('') : `…${last.slice(-most).join('').trimStart()}`)
  })
})
