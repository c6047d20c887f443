// Permission questions inside a chat, one at a time: the whole of what is wanted stays on the screen, the choice below it is one key.
import type { Answerer } from '../run/contract.ts'
import type { Option } from '../model/event.ts'
import { isAllowing } from '../model/option.ts'
import type { Style } from '../views/style.ts'
import { keysFor, labelOf, wordFor } from './ask-keys.ts'
import { questionLines } from './ask-lines.ts'
import type { Keyboard } from './chat-keyboard.ts'

export type AskParts = {
  keyboard: Pick<Keyboard, 'choose'>
  style: Style
  width(): number
  /** Lines that stay. */
  put(lines: readonly string[]): void
  /** The line that waits for a key; undefined: none does. */
  menu(line: string | undefined): void
}

export function createChatAsk({ keyboard, style, width, put, menu }: AskParts): Answerer {
  let last: Promise<unknown> = Promise.resolve()

  const ask: Answerer = async ({ request, needs }, signal) => {
    if (signal.aborted) return undefined
    const offered = keysFor(request.options)
    put(questionLines(request, width(), style, needs))
    menu(`  ${offered.map(({ key, option }) => `${style.bold(key)} ${wordFor(request, option)}`).join(style.dim(' · '))}`)
    const pressed = await keyboard.choose(
      offered.map(({ key }) => key),
      signal,
    )
    menu(undefined)
    const chosen = offered.find(({ key }) => key === pressed)?.option
    put([`  ${answerText(chosen, style)}`])
    return chosen === undefined ? undefined : { option: chosen.id, by: 'terminal' }
  }

  return (question, signal) => {
    const mine = last.then(() => ask(question, signal))
    last = mine.catch(() => {})
    return mine
  }
}

function answerText(option: Option | undefined, style: Style): string {
  if (option === undefined) return style.yellow('■ withdrawn')
  if (option.kind === 'reject_once') return style.red('✘ refused')
  if (!isAllowing(option)) return style.red(`✘ ${labelOf(option)}`)
  if (option.kind === 'allow_once') return style.green('✔ allowed once')
  return style.green(`✔ ${labelOf(option).replace(/^Always allow:?/, 'always allowed:')}`)
}
