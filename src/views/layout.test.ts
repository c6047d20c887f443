import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { cutTo, widthOf, wrapped } from './layout.ts'
import { styleFor } from './style.ts'

const style = styleFor(true)

test('width counts columns, not characters or escape sequences', () => {
  assert.equal(widthOf('abc'), 3)
  assert.equal(widthOf('漢字'), 4)
  assert.equal(widthOf('e\u0301'), 1)
  assert.equal(widthOf(style.bold(style.red('ab'))), 2)
})

test('every character has the width that string-width gives it', () => {
  const differ: string[] = []
  for (let code = 0x20; code < 0x2_0000; code++) {
    const char = String.fromCodePoint(code)
    const isControl = code > 0x7e && code < 0xa0 // never in a harmless text
    if (!isControl && code !== 0xad && widthOf(char) !== stringWidth(char)) differ.push(code.toString(16))
  }
  assert.deepEqual(differ, [])
})

test('text without styles breaks where styled text does', () => {
  const pieces = fc.constantFrom('a', 'word', ' ', '  ', 'é', '—', '漢', 'e\u0301', '😀', 'longlongword')
  fc.assert(
    fc.property(fc.array(pieces), fc.integer({ min: -2, max: 12 }), (parts, width) => {
      const text = `${parts.join('')}.`
      const styled = wrapped(style.bold(text), width).map((line) => line.replaceAll(/\x1b\[\d+m/g, ''))
      assert.deepEqual(wrapped(text, width), styled)
    }),
  )
})

test('lines break at spaces, and inside a word that is too long', () => {
  assert.deepEqual(wrapped('one two three', 8), ['one two', 'three'])
  assert.deepEqual(wrapped('abcdefghij k', 4), ['abcd', 'efgh', 'ij k'])
  assert.deepEqual(wrapped('漢字漢字', 5), ['漢字', '漢字'])
  assert.deepEqual(wrapped('  indented', 20), ['  indented'])
  assert.deepEqual(wrapped('a\n\nb', 20), ['a', '', 'b'])
})

test('where there is no room at all, a line takes one character', () => {
  for (const width of [1, 0, -3]) {
    for (const text of ['ab', 'äb', '漢字', style.red('ab')]) assert.equal(wrapped(text, width).length, 2, JSON.stringify([text, width]))
    assert.equal(cutTo('ab', width), '…')
  }
})

test('one long word takes no longer than as many short ones, nor do many spaces', { timeout: 10_000 }, () => {
  assert.equal(wrapped('a'.repeat(8_000_000), 80).length, 100_000)
  assert.equal(wrapped('é'.repeat(8_000_000), 80).length, 100_000)
  assert.deepEqual(wrapped(`é${' '.repeat(400_000)}b `, 80), ['é', 'b'])
})

test('a style goes on over the break, and ends at the end of each line', () => {
  assert.deepEqual(wrapped(style.red('one two'), 4), ['\x1b[31mone\x1b[39m', '\x1b[31mtwo\x1b[39m'])
  assert.deepEqual(wrapped(`${style.bold('a')} bcd efg`, 5), ['\x1b[1ma\x1b[22m bcd', 'efg'])
})

test('a line that is too long is cut with an ellipsis', () => {
  assert.equal(cutTo('abcdef', 6), 'abcdef')
  assert.equal(cutTo('abcdefg', 6), 'abcde…')
  assert.equal(cutTo('漢字漢字', 6), '漢字…')
})
