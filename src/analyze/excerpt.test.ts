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
  assert.match(memory.text(), /^44 45 .* 298 299 $/)
  memory.clear()
  memory.hear('a')
  assert.equal(memory.text(), 'a')
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
