// A line that is typed below what an agent does: no cursor but the end, no history. A line break in it is shown as `⏎`.
import type { Key } from 'node:readline'
import { folded } from './chat-editor.ts'

export type TypedLine = {
  text(): string
  set(text: string): void
  /** True: the key was for the line. */
  key(text: string | undefined, key: Key): boolean
  paste(text: string): void
}

const control = /[\x00-\x1f\x7f-\x9f]/

export function createTypedLine(): TypedLine {
  let line = ''
  return {
    text: () => line,
    set: (text) => void (line = text),
    key(text, { name, ctrl = false, meta = false }) {
      if (name === 'backspace') line = line.replace(/.$/su, '')
      else if (ctrl && name === 'u') line = ''
      else if (ctrl && name === 'w') line = line.replace(/\S*\s*$/, '')
      else if (text !== undefined && !ctrl && !meta && !control.test(text)) line += text
      else return false
      return true
    },
    paste: (text) => void (line += folded(text)),
  }
}
