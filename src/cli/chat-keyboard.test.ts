// The keyboard and the prompt line, on streams that stand in for a terminal.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { cleaned } from './chat-editor.ts'
import { createKeyboard } from './chat-keyboard.ts'

function terminal(t: TestContext, history: string[] = []) {
  const input = Object.assign(new PassThrough(), { isRaw: false, setRawMode: (mode: boolean) => void (input.isRaw = mode) })
  const output = Object.assign(new PassThrough(), { columns: 60, rows: 20 })
  let shown = ''
  output.setEncoding('utf8').on('data', (text: string) => (shown += text))
  let interrupts = 0
  const keyboard = createKeyboard({
    input: input as unknown as NodeJS.ReadStream, // all of a terminal that is used here
    output: output as unknown as NodeJS.WriteStream,
    onInterrupt: () => interrupts++,
  })
  t.after(() => keyboard.close())
  return {
    keyboard,
    input,
    shown: () => shown,
    interrupts: () => interrupts,
    /** What comes of these keys at a prompt. */
    async typing(keys: string) {
      const typed = keyboard.line({ prompt: '> ', history, words: ['/help', '/exit'] })
      input.write(keys)
      return typed
    },
  }
}

const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`
const [ctrlC, ctrlD, up] = ['\x03', '\x04', '\x1b[A']

test('a line, edited', async (t) => {
  const { typing } = terminal(t)
  assert.deepEqual(await typing('helo\x1b[Dl\r'), { type: 'line', text: 'hello' })
})

test('a backslash at the end, and Alt-Enter, go on in the next line', async (t) => {
  const { typing } = terminal(t)
  assert.deepEqual(await typing('one \\\rtwo\x1b\rthree\r'), { type: 'line', text: 'one \ntwo\nthree' })
})

test('pasted lines do not send the prompt, and only their text is taken', async (t) => {
  const { typing, shown } = terminal(t)
  assert.deepEqual(await typing(`a ${paste('b\r\nc\x1b[2J\td\n')} e\r`), { type: 'line', text: 'a b\nc[2J    d e' })
  const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')
  assert.deepEqual(await typing(`see ${paste(long)} $& end\r`), { type: 'line', text: `see ${long} $& end` })
  assert.match(shown(), /\[pasted 1: 30 lines\]/)
  assert.doesNotMatch(shown(), /line 29/)
})

test('cleaned text has no control characters', () => {
  assert.equal(cleaned('a\x00\x07\x1b]0;x\x9b\r\rb\n\n'), 'a]0;x\n\nb')
})

test('earlier lines come back, with their breaks', async (t) => {
  const { typing } = terminal(t, ['two\nlines', 'old'])
  assert.deepEqual(await typing(`${up}\r`), { type: 'line', text: 'two\nlines' })
  assert.deepEqual(await typing(`${up}${up}\r`), { type: 'line', text: 'old' })
})

test('Ctrl-C gives up the line, Ctrl-D leaves only an empty one', async (t) => {
  const { typing } = terminal(t)
  assert.deepEqual(await typing(`abc${ctrlC}`), { type: 'interrupt', wasEmpty: false })
  assert.deepEqual(await typing(ctrlC), { type: 'interrupt', wasEmpty: true })
  assert.deepEqual(await typing(`ab\x1b[D${ctrlD}\r`), { type: 'line', text: 'a' })
  assert.deepEqual(await typing(ctrlD), { type: 'end' })
})

test('what is typed while the agent works waits for the next prompt', async (t) => {
  const { typing, input, interrupts } = terminal(t)
  input.write(`nextx\x7f${up}\r${ctrlC}`)
  await sleep(20)
  assert.equal(interrupts(), 1)
  assert.deepEqual(await typing(' one\r'), { type: 'line', text: 'next one' })
})

test('keys that come with the end of a line in one write wait for the next prompt', async (t) => {
  const { typing } = terminal(t)
  for (const end of ['\r', ctrlC, ctrlD, '\r\n'])
    for (const more of [ctrlD, ctrlC, '\r', '\t', up, '\x1b[D', '\x1b\r', '\x7f']) {
      const { type } = await typing(`${end}${more}`)
      assert.equal(type, { '\r': 'line', '\r\n': 'line', [ctrlC]: 'interrupt', [ctrlD]: 'end' }[end])
    }
  assert.deepEqual(await typing(`/exit\rand more${paste(' pasted')}`), { type: 'line', text: '/exit' })
  assert.deepEqual(await typing(' typed\r'), { type: 'line', text: 'and more pasted typed' })
})

test('a key answers a question only when there was time to see it', async (t) => {
  const { keyboard, input } = terminal(t)
  const answer = keyboard.choose(['y', 'n'], new AbortController().signal)
  input.write('y')
  await sleep(320)
  input.write(`x${paste('y')}\rN`)
  assert.equal(await answer, 'n')
})

test('Ctrl-C at a question is for the turn, and a question can be withdrawn', async (t) => {
  const { keyboard, input, interrupts } = terminal(t)
  const gone = new AbortController()
  const answer = keyboard.choose(['y', 'n'], gone.signal)
  input.write(ctrlC)
  await sleep(10)
  assert.equal(interrupts(), 1)
  gone.abort()
  assert.equal(await answer, undefined)
})

test('a line that is sent while the agent works is the next prompt; Ctrl-C and Backspace take it back', async (t) => {
  const { keyboard, typing, input } = terminal(t)
  const type = async (keys: string): Promise<unknown> => {
    input.write(keys)
    await sleep(5)
    return keyboard.ahead()
  }
  assert.deepEqual(await type('\r'), { text: '', isSent: false })
  assert.deepEqual(await type('fix it\r'), { text: 'fix it', isSent: true })
  assert.deepEqual(await type('\x7f'), { text: 'fix it', isSent: false })
  assert.deepEqual(await type('\r'), { text: 'fix it', isSent: true })
  assert.deepEqual(await type('and test\r'), { text: 'fix it⏎and test', isSent: true })
  assert.equal(keyboard.takeSent(), 'fix it\nand test')
  assert.equal(keyboard.takeSent(), undefined)
  assert.deepEqual(await type(`no\r${ctrlC}`), { text: 'no', isSent: false })
  assert.equal(keyboard.takeSent(), undefined)
  assert.deepEqual(await typing('w\r'), { type: 'line', text: 'now' })
})

test('who types a line when a question comes goes on with it; a key after a pause is the answer', async (t) => {
  const { keyboard, input } = terminal(t)
  input.write('maybe yes')
  await sleep(5)
  const answer = keyboard.choose(['y', 'n'], new AbortController().signal)
  await sleep(320)
  input.write('y')
  await sleep(5)
  assert.deepEqual(keyboard.ahead(), { text: 'maybe yesy', isSent: false })
  await sleep(750)
  input.write('n')
  assert.equal(await answer, 'n')
})

test('a reason is typed and pasted, and Esc goes back', async (t) => {
  const { keyboard, input } = terminal(t)
  const { signal } = new AbortController()
  const told: string[] = []
  const words = keyboard.words(signal, (text) => told.push(text))
  input.write(`use pnpx\x7fm ${paste('not\nnpm')}\r`)
  assert.deepEqual(await words, { text: 'use pnpm not\nnpm' })
  assert.equal(told.at(-1), 'use pnpm not⏎npm')
  const others = keyboard.words(signal, () => {})
  input.write('no\x1b')
  assert.equal(await others, 'back')
  assert.deepEqual(keyboard.ahead(), { text: '', isSent: false })
})

test('a terminal that goes away ends whatever waits, and gets its mode back', async (t) => {
  const { keyboard, input } = terminal(t)
  assert.equal(input.isRaw, true)
  const line = keyboard.line({ prompt: '> ', history: [], words: [] })
  input.end()
  assert.deepEqual(await line, { type: 'end' })
  assert.deepEqual(await keyboard.line({ prompt: '> ', history: [], words: [] }), { type: 'end' })
  keyboard.close()
  assert.equal(input.isRaw, false)
})
