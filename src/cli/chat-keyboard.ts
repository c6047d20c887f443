// The keyboard of a chat. The terminal is in raw mode as long as it lasts; every key goes to whoever wants it now: the prompt line, a
// question, or nobody. What is typed while the agent works is kept for the next prompt, and never answers a question.
// The surprise: somebody who is in the middle of a line when a question comes goes on with the line; only a pause ends it.
import { emitKeypressEvents, type Key } from 'node:readline'
import { cleaned, createEditor, type Editor, type EditorOptions, lineBreak, type Typed, withBreaks } from './chat-editor.ts'
import { createTypedLine } from './typed-line.ts'

export type Keyboard = {
  line(options: Pick<EditorOptions, 'prompt' | 'history' | 'words'>): Promise<Typed>
  /** One of these keys. A key that comes too early was meant for something else. Undefined: the question is gone. */
  choose(keys: readonly string[], signal: AbortSignal): Promise<string | undefined>
  /** Words, until Enter; Esc goes back. Undefined: the question is gone. */
  words(signal: AbortSignal, onChange: (text: string) => void): Promise<Words | undefined>
  /** What was typed while no prompt was there. */
  ahead(): Ahead
  /** What was typed and sent meanwhile, once. */
  takeSent(): string | undefined
  /** Nothing more is typed: whoever waits for it is told. */
  end(): void
  /** Gives the terminal back. */
  close(): void
}

/** `isSent`: Enter was pressed, so that it is the next prompt. */
export type Ahead = { text: string; isSent: boolean }

export type Words = { text: string } | 'back'

export type KeyboardOptions = {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  /** Ctrl-C while no line is typed. */
  onInterrupt(): void
  /** Something was typed ahead. */
  onAhead?(): void
}

const earlyMs = 300
const pauseMs = 700 // longer than between two keys of a line
const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
const showCursor = '\x1b[?25h'

export function createKeyboard({ input, output, onInterrupt, onAhead = () => {} }: KeyboardOptions): Keyboard {
  let editor: Editor | undefined
  let question: ((text: string | undefined) => void) | undefined
  let reason: { key(text: string | undefined, key: Key): void; paste(text: string): void; gone(): void } | undefined
  const ahead = createTypedLine()
  let isSent = false
  let keptAt = -Infinity
  let pasting: string | undefined
  let isEnded = false
  let isClosed = false

  function open(): void {
    input.setRawMode(true)
    output.write(pasteOn)
  }
  function shut(): void {
    output.write(`${pasteOff}${showCursor}`)
    try {
      input.setRawMode(false)
    } catch {
      // the terminal was closed: there is nothing to give back
    }
  }

  function suspend(): void {
    shut()
    process.once('SIGCONT', () => {
      open()
      editor?.refresh()
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  function paste(text: string): void {
    if (editor !== undefined) editor.paste(text)
    else if (reason !== undefined) reason.paste(cleaned(text))
    else if (question === undefined || isTyping()) change(() => ahead.paste(cleaned(text)))
  }

  function press(text: string | undefined, key: Key): void {
    if (key.name === 'paste-start') return void (pasting = '')
    if (key.name === 'paste-end') {
      const whole = pasting ?? ''
      pasting = undefined
      return paste(whole)
    }
    if (pasting !== undefined) return void (pasting += key.sequence ?? text ?? '')
    if (key.ctrl === true && key.name === 'z') return suspend()
    if (editor !== undefined) return editor.key(text, key)
    if (key.ctrl === true && key.name === 'c') {
      isSent = false // it was meant for what comes after this turn
      return onInterrupt()
    }
    if (reason !== undefined) return reason.key(text, key)
    if (question !== undefined && !isTyping()) return question(text)
    keep(text, key)
  }

  const isTyping = (): boolean => ahead.text() !== '' && !isSent && performance.now() - keptAt < pauseMs

  function keep(text: string | undefined, key: Key): void {
    if (key.name === 'return' && ahead.text().trim() !== '') return change(() => {}, true)
    if (key.name === 'backspace' && isSent) return change(() => {})
    change(() => ahead.key(text, key))
  }

  /** What is typed after Enter is the next line of the same prompt. */
  function change(act: () => void, send = false): void {
    const before = ahead.text()
    act()
    const after = ahead.text()
    if (isSent && after.length > before.length) ahead.set(before + lineBreak + after.slice(before.length))
    isSent = send
    keptAt = performance.now()
    onAhead()
  }

  const end = (): void => {
    isEnded = true
    editor?.end()
    question?.(undefined)
    reason?.gone()
  }

  emitKeypressEvents(input)
  open()
  input.on('keypress', press)
  input.on('end', end)
  for (const stream of [input, output]) stream.on('error', end) // it was closed; what still happens is told in the session alone
  input.resume()

  return {
    async line(options) {
      if (isEnded) return { type: 'end' }
      // At once: keys that came in the same write as its end are not for it.
      editor = createEditor({ output, ...options, ahead: ahead.text(), onDone: () => (editor = undefined) })
      ahead.set('')
      return editor.done
    },
    choose(keys, signal) {
      if (isEnded || signal.aborted) return Promise.resolve(undefined)
      const shownAt = performance.now()
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const settle = (key: string | undefined): void => {
        question = undefined
        signal.removeEventListener('abort', gone)
        resolve(key)
      }
      const gone = (): void => settle(undefined)
      signal.addEventListener('abort', gone)
      question = (text) => {
        const key = text?.toLowerCase()
        if (isEnded) settle(undefined)
        else if (key !== undefined && keys.includes(key) && performance.now() - shownAt >= earlyMs) settle(key)
      }
      return promise
    },
    words(signal, onChange) {
      if (isEnded || signal.aborted) return Promise.resolve(undefined)
      const { promise, resolve } = Promise.withResolvers<Words | undefined>()
      const line = createTypedLine()
      const settle = (words: Words | undefined): void => {
        reason = undefined
        signal.removeEventListener('abort', gone)
        resolve(words)
      }
      const gone = (): void => settle(undefined)
      signal.addEventListener('abort', gone)
      reason = {
        gone,
        key(text, key) {
          if (key.name === 'return') settle({ text: withBreaks(line.text()).trim() })
          else if (key.name === 'escape') settle('back')
          else if (line.key(text, key)) onChange(line.text())
        },
        paste(text) {
          line.paste(text)
          onChange(line.text())
        },
      }
      return promise
    },
    ahead: () => ({ text: ahead.text(), isSent }),
    takeSent() {
      if (!isSent) return undefined
      isSent = false
      const text = withBreaks(ahead.text())
      ahead.set('')
      return text
    },
    end,
    close() {
      if (isClosed) return
      isClosed = true
      input.off('keypress', press)
      input.off('end', end)
      input.pause()
      shut()
    },
  }
}
