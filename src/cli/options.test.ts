// Help as it stands on a terminal: no line is broken by the window, and nothing that is pasted is broken by us.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CommandSpec, helpText } from './options.ts'

const spec: CommandSpec = {
  usage: 'sluice do FILE',
  about: `Does what is asked for, in more words than there is room for on one line,
and in a second line.`,
  options: {
    'with-a-long-name': {
      type: 'string',
      value: 'DIALECT',
      help: 'a text of many words, which goes on for some time, and then for some more',
    },
    short: { type: 'boolean', help: 'a word' },
  },
  examples: [
    ['sluice do this.ndjson --with-a-long-name claude --short | sluice do -', 'it may be pasted as it is, however long the line is'],
  ],
  exits: ['0    done', '124  the time was up before anything could be said about it, and so on and on'],
}
const words = (text: string): string[] => text.split(/\s+/)

test('help fits the window, and says the same in every width', () => {
  for (const width of [20, 40, 60, 80, 120]) {
    const text = helpText(spec, width)
    const long = text.split('\n').filter((line) => line.length > width && !/sluice do|^ {2}--with-a-long-name DIALECT$/.test(line))
    assert.deepEqual(long, [], String(width))
    assert.deepEqual(words(text), words(helpText(spec, Infinity)))
    assert.ok(text.includes(`\n  ${spec.examples[0]![0]}\n`))
  }
})

test('what goes on stands under where it began', () => {
  const text = helpText(spec, 60)
  assert.match(text, /\n {2}--with-a-long-name DIALECT {2}a text of many words, which\n {30}goes on for some time, and\n/)
  assert.match(text, /\n {2}124 {2}the time .*\n {7}\S/)
  assert.match(helpText(spec, 50), /\n {2}--with-a-long-name DIALECT\n {6}a text of many words, which goes on for some\n {6}time/)
})
