// The keyboard of a chat. The terminal is in raw mode as long as it lasts; every key goes to whoever wants it now: the prompt line, a
// question, or nobody. What is typed while the agent works is kept for the next prompt, and never answers a question.
import { emitKeypressEvents, type Key } from 'node:readline'
import { createEditor, type Editor, type EditorOptions, type Typed } from './chat-editor.ts'

export type Keyboard = {
  line(options: Pick<EditorOptions, 'prompt' | 'history' | 'words'>): Promise<Typed>
  /** One of these keys. A key that comes too early was meant for something else. Undefined: the question is gone. */
  choose(keys: readonly string[], signal: AbortSignal): Promise<string | undefined>
  /** Nothing more is typed: whoever waits for it is told. */
  end(): void
  /** Gives the terminal back. */
  close(): void
}

export type KeyboardOptions = {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  /** Ctrl-C while no line is typed. */
  onInterrupt(): void
}

const earlyMs = 300
const pasteOn = '\x1b[?2004h'
const pasteOff = '\x1b[?2004l'
const showCursor = '\x1b[?25h'

export function createKeyboard({ input, output, onInterrupt }: KeyboardOptions): Keyboard {
  let editor: Editor | undefined
  let question: ((text: string | undefined) => void) | undefined
  let ahead = ''
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
    else if (question === undefined) ahead += text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
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
    if (key.ctrl === true && key.name === 'c') return onInterrupt()
    if (question !== undefined) return question(text)
    keep(text, key)
  }

  function keep(text: string | undefined, key: Key): void {
    if (key.name === 'backspace') ahead = ahead.replace(/.$/su, '')
    else if (text !== undefined && key.ctrl !== true && key.meta !== true && !/[\x00-\x1f\x7f-\x9f]/.test(text)) ahead += text
  }

  const end = (): void => {
    isEnded = true
    editor?.end()
    question?.(undefined)
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
      editor = createEditor({ output, ...options, ahead, onDone: () => (editor = undefined) })
      ahead = ''
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
