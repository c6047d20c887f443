// The prompt line: Node's line editor, fed key by key. One line holds a text of several: `⏎` stands for a line break in it, and a long
// text that was pasted for itself until the line is sent.
import { createInterface, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import { plural } from '../base/text.ts'

export type Typed = { type: 'line'; text: string } | { type: 'interrupt'; wasEmpty: boolean } | { type: 'end' }

export type EditorOptions = {
  output: NodeJS.WriteStream
  prompt: string
  /** Newest first. */
  history: readonly string[]
  /** All that a line may begin with. */
  words: readonly string[]
  /** What was typed before the line was there. */
  ahead?: string
  /** It takes no more keys. */
  onDone(): void
}

export type Editor = {
  key(text: string | undefined, key: Key): void
  paste(text: string): void
  /** Draws the line again. */
  refresh(): void
  end(): void
  done: Promise<Typed>
}

export const lineBreak = '⏎'
const shownLines = 3 // of a pasted text; a longer one is only named

export function createEditor({ output, prompt, history, words, ahead = '', onDone }: EditorOptions): Editor {
  const pasted = new Map<string, string>()
  // The keys come through `write`; the interface's own input never has any.
  const line = createInterface({
    input: new PassThrough(),
    output,
    terminal: true,
    prompt,
    history: history.map(folded),
    historySize: history.length + 1,
    completer: (start: string) => [words.filter((word) => word.startsWith(start)), start],
  })
  const { promise: done, resolve } = Promise.withResolvers<Typed>()

  const finish = (typed: Typed): void => {
    line.close()
    onDone()
    resolve(typed)
  }
  const leave = (typed: Typed, sign: string): void => {
    line.write(null, { ctrl: true, name: 'e' }) // to the end: what is written next must not fall into the line
    output.write(`${sign}\n`)
    finish(typed)
  }

  line.on('line', (text) => finish({ type: 'line', text: unfolded(text, pasted) }))
  line.prompt()
  if (ahead !== '') line.write(ahead)

  return {
    key(text, key) {
      const isEmpty = line.line === ''
      if (key.ctrl === true && key.name === 'c') return leave({ type: 'interrupt', wasEmpty: isEmpty }, isEmpty ? '' : '^C')
      if (key.ctrl === true && key.name === 'd' && isEmpty) return leave({ type: 'end' }, '')
      if (key.name === 'return' && line.line.endsWith('\\') && line.cursor === line.line.length) {
        line.write(null, { name: 'backspace' })
        return line.write(lineBreak)
      }
      if (key.name === 'return' && (key.meta === true || key.shift === true)) return line.write(lineBreak)
      if (text === undefined) line.write(null, key)
      else line.write(text, key)
    },
    paste(text) {
      const clean = cleaned(text)
      const lines = clean.split('\n').length
      if (lines <= shownLines) return line.write(folded(clean))
      const name = `[pasted ${pasted.size + 1}: ${plural(lines, 'line')}]`
      pasted.set(name, clean)
      line.write(name)
    },
    refresh: () => line.prompt(true),
    end: () => finish({ type: 'end' }),
    done,
  }
}

export const folded = (text: string): string => text.replaceAll('\n', lineBreak)
export const withBreaks = (text: string): string => text.replaceAll(lineBreak, '\n')

function unfolded(text: string, pasted: ReadonlyMap<string, string>): string {
  let whole = withBreaks(text)
  for (const [name, clean] of pasted) whole = whole.replace(name, () => clean)
  return whole
}

/** What a terminal sends of the clipboard may hold anything: only text, tabs as spaces, and line breaks are taken. */
export const cleaned = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '    ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(/\n+$/, '')
