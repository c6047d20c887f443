import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPrintable, printable } from '../base/text.ts'
import { harmless, harmlessLine, harmlessLines } from './harmless.ts'

test('what is known to be printable is just what would stay as it is', () => {
  const differ: string[] = []
  const compare = (text: string): void => {
    if (isPrintable(text) !== (printable(text) === text)) differ.push(JSON.stringify(text))
  }
  for (let unit = 0; unit < 0x1_0000; unit++) if (unit !== 0x0a) compare(`a${String.fromCharCode(unit)}b`)
  for (let code = 0x1_0000; code < 0x11_0000; code += code < 0x2_0000 || code >= 0xe_0000 ? 1 : 0x111) compare(String.fromCodePoint(code))
  for (const text of ['\ud83d', '\ude00', '\ude00\ud83d', '\ud83d\ud83d\ude00', '😀\u200b']) compare(text)
  assert.deepEqual(differ, [])
})

test('lines stay lines, or become one', () => {
  assert.equal(harmless('a\n\tb\r\nc\x1b[2J'), 'a\n    b\nc\\u001b[2J')
  assert.deepEqual(harmlessLines('a — 😀\n\u202eb'), ['a — 😀', '\\u202eb'])
  assert.equal(harmlessLine('a\n\n\tb — c'), 'a b — c')
})

test('what joins emoji and letters stays, where it does; where it only hides it is shown', () => {
  for (const text of ['👩\u200d💻', '❤\ufe0f\u200d🔥', 'می\u200cشود', 'क्\u200dष']) {
    assert.equal(harmless(text), text)
    assert.equal(harmlessLine(`${text}\n${text}`), `${text} ${text}`)
  }
  assert.equal(harmless('rm\u200d -rf \u200c/ 👩\u200d\u200d💻\u200d'), 'rm\\u200d -rf \\u200c/ 👩\\u200d\\u200d💻\\u200d')
})
