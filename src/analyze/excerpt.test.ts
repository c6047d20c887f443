// Short pieces of long texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
