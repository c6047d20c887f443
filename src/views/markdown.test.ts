import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { widthOf } from './layout.ts'
import { markdownLines } from './markdown.ts'
import { styleFor } from './style.ts'

const plain = styleFor(false)
const lines = (text: string, width = 60): string[] => markdownLines(text, width, plain)
const coloured = (text: string): string => markdownLines(text, 60, styleFor(true)).join('\n')

test('headings, emphasis, code, links and lists lose their signs', () => {
  assert.deepEqual(lines('# Title *here*'), ['Title here'])
  assert.deepEqual(lines('a **b** _c_ `d*e*` ~~f~~ [g](http://h.i) <http://j>'), ['a b c d*e* f g (http://h.i) <http://j>'])
  assert.deepEqual(lines('- a\n- [x] b\n  - c\n2. d'), ['• a', '☑ b', '  • c', '2. d'])
  assert.equal(coloured('**b**'), '\x1b[1mb\x1b[22m')
})

test('what only looks like a sign stays', () => {
  assert.deepEqual(lines('a_b_c 2*3*4 * x <b>y</b> a & b'), ['a_b_c 2*3*4 * x <b>y</b> a & b'])
  assert.deepEqual(lines('#no heading\n-no item'), ['#no heading', '-no item'])
})

test('code keeps its lines, signs and indentation', () => {
  assert.deepEqual(lines('```ts\nif (a) {\n  *b*\n}\n```\nafter'), ['  if (a) {', '    *b*', '  }', 'after'])
  assert.deepEqual(lines('```\nnever closed'), ['  never closed'])
})

test('a bar behind a backslash is part of its cell', () => {
  assert.deepEqual(markdownLines('| a | b\\|c |\n|-|-|\n| `x\\|y` | z\\|', 80, styleFor(false)), ['a    b|c', '───  ───', 'x|y  z|'])
})

test('a table is aligned, and told row by row where it does not fit', () => {
  assert.deepEqual(lines('| a | bb |\n|---|---|\n| 1 | `2` |'), ['a  bb', '─  ──', '1  2'])
  assert.deepEqual(lines('| name | what |\n|---|---|\n| one | two |', 8), ['name:', 'one', 'what:', 'two', ''])
})

test('quotes are barred and long lines wrapped under their sign', () => {
  assert.deepEqual(lines('> a\n>> b'), ['│ a', '│ │ b'])
  assert.deepEqual(lines('- one two three four', 10), ['• one two', '  three', '  four'])
})

test('words keep some room, however deep they stand', () => {
  assert.deepEqual(lines(`${'> '.repeat(7)}hi`, 20), ['│ │ │ │ │ > > hi'])
  assert.deepEqual(lines(`${'>'.repeat(7)} - hi`, 20), ['│ │ │ │ │ >> - hi'])
  assert.deepEqual(lines(`a\n${' '.repeat(30)}- one two three`, 20), ['a', '        • one two', '          three'])
  assert.deepEqual(lines(`${'> '.repeat(5)}${' '.repeat(9)}- one two`, 20), ['│ │ │ │ │ • one two'])
  for (const width of [1, 20, 80]) assert.ok(lines(`${'> '.repeat(40)}hi`, width).length > 0)
  assert.ok(lines('>'.repeat(200_000)).length > 0)
})

test('no text can act on the terminal', () => {
  const hostile = '\x1b]8;;http://evil\x07click\x1b]8;;\x07 \u202egnp\u{e0041} **\x1b[2J** `\x9b31m`'
  assert.equal(
    lines(hostile, 400).join(''),
    '\\u001b]8;;http://evil\\u0007click\\u001b]8;;\\u0007 \\u202egnp\\u{e0041} \\u001b[2J \\u009b31m',
  )
})

test('every line fits, whatever stands in it', () => {
  const words = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('**', '_', '`', '# ', '> > > ', '- ', '\n', ' ', '漢字', 'é', '🎉', '| a |', '---', '```\n')),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(words, fc.integer({ min: 24, max: 60 }), (parts, width) => {
      for (const line of markdownLines(parts.join(''), width, styleFor(true)))
        if (!line.startsWith('  ')) assert.ok(widthOf(line) <= width, JSON.stringify(line)) // code is not broken
    }),
  )
})

test('a hostile text does not hold the stream up', { timeout: 20_000 }, () => {
  const units = ['*', '_', '`', '[', '~', '> ', '|', '**a', '_a]', 'a-~', '*a&&>', '[a](', '- ', ' ', '`!*a', 'a\n&_~']
  for (const unit of units) assert.ok(lines(`a ${unit.repeat(60_000 / unit.length)}`).length > 0)
})
