// What a person types while the agent works, and what happens with it.
import { harmlessLine } from '../views/harmless.ts'
import { widthOf, wrapped } from '../views/layout.ts'
import type { Style } from '../views/style.ts'
import type { Ahead } from './chat-keyboard.ts'

const maxLines = 3 // the end of a longer text is what is being typed

export function aheadLines({ text, isSent }: Ahead, width: number, style: Style): string[] {
  if (text === '') return []
  const all = wrapped(`${harmlessLine(text)}${isSent ? '' : '▏'}`, width - 2)
  const shown = all.slice(-maxLines)
  const hint = isSent ? 'is sent when this turn is over · Backspace takes it back' : 'Enter sends it when this turn is over'
  return [
    ...shown.map((line, index) => `${index > 0 ? ' ' : style.cyan(all.length > maxLines ? '…' : '❯')} ${line}`),
    ...(widthOf(hint) + 2 <= width ? [`  ${style.dim(hint)}`] : []),
  ]
}
