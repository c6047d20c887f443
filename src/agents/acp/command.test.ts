import assert from 'node:assert/strict'
import test from 'node:test'
import { wordsOf } from './command.ts'

test('words are parted by spaces, and quotes keep them together', () => {
  assert.deepEqual(wordsOf('  gemini   --acp '), ['gemini', '--acp'])
  assert.deepEqual(wordsOf(String.raw`a 'b c' "d e"f g\ h '' "x\"y" 'x\y' "p\q"`), [
    'a',
    'b c',
    'd ef',
    'g h',
    '',
    'x"y',
    String.raw`x\y`,
    String.raw`p\q`,
  ])
})

test('nothing is expanded', () => {
  assert.deepEqual(wordsOf('a $HOME *.ts ~ `ls` ; b | c'), ['a', '$HOME', '*.ts', '~', '`ls`', ';', 'b', '|', 'c'])
})

test('what is not whole is said', () => {
  assert.match(wordsOf('a "b') as string, /without its end/)
  assert.match(wordsOf('a \\') as string, /ends with a backslash/)
  assert.match(wordsOf('  ') as string, /empty/)
})
