// Permission questions inside a chat, one at a time: the whole of what is wanted stays in sight with the keys below it, until one is
// pressed. A no can have a reason.
import type { Answerer } from '../run/contract.ts'
import type { Option } from '../model/event.ts'
import { isAllowing } from '../model/option.ts'
import type { Question, Reply } from '../supervise/permission.ts'
import { harmlessLine } from '../views/harmless.ts'
import { wrapped } from '../views/layout.ts'
import type { Style } from '../views/style.ts'
import { keysFor, labelOf, wordFor } from './ask-keys.ts'
import { questionLines } from './ask-lines.ts'
import { isRefusal, refusalText, refusedText } from './ask-reason.ts'
import type { Keyboard, Words } from './chat-keyboard.ts'

/** Both as they are at the width of the moment. `menu`: what waits for the person, below the question. */
export type Asked = { question(): string[]; menu(): string[] }

export type AskParts = {
  keyboard: Pick<Keyboard, 'choose' | 'words'>
  style: Style
  width(): number
  /** Keeps it in sight until it is settled. Again: the menu has changed. */
  show(asked: Asked): void
  /** What became of it. */
  settle(lines: readonly string[]): void
}

export function createChatAsk({ keyboard, style, width, show, settle }: AskParts): Answerer {
  let last: Promise<unknown> = Promise.resolve()

  const ask: Answerer = async ({ request, needs }, signal) => {
    if (signal.aborted) return undefined
    const question = (): string[] => questionLines(request, width(), style, needs)
    const { option, reason } = await answer(request, question, signal)
    settle([`  ${answerText(option, reason, style)}`])
    if (option === undefined) return undefined
    const reply: Reply = { option: option.id, by: 'terminal' }
    return reason === '' ? reply : { ...reply, text: refusalText(reason) }
  }

  async function answer(
    request: Question['request'],
    question: () => string[],
    signal: AbortSignal,
  ): Promise<{ option?: Option | undefined; reason: string }> {
    const offered = keysFor(request.options)
    const keys = offered.map(({ key, option }) => `${style.bold(key)} ${wordFor(request, option)}`).join(style.dim(' · '))
    for (;;) {
      show({ question, menu: () => wrapped(keys, width() - 2).map((line) => `  ${line}`) })
      const pressed = await keyboard.choose(
        offered.map(({ key }) => key),
        signal,
      )
      const option = offered.find(({ key }) => key === pressed)?.option
      if (option === undefined || !isRefusal(option)) return { option, reason: '' }
      const words = await why(question, signal)
      if (words !== 'back') return { option: words && option, reason: words?.text ?? '' }
    }
  }

  function why(question: () => string[], signal: AbortSignal): Promise<Words | undefined> {
    const showWords = (text: string): void =>
      show({
        question,
        menu: () => [
          ...wrapped(`no, because: ${harmlessLine(text)}▏`, width() - 2).map((line) => `  ${line}`),
          style.dim('  Enter refuses, with or without a reason · Esc goes back'),
        ],
      })
    showWords('')
    return keyboard.words(signal, showWords)
  }

  return (question, signal) => {
    const mine = last.then(() => ask(question, signal))
    last = mine.catch(() => {})
    return mine
  }
}

function answerText(option: Option | undefined, reason: string, style: Style): string {
  if (option === undefined) return style.yellow('■ withdrawn')
  if (option.kind === 'reject_once') return style.red(`✘ ${harmlessLine(refusedText(reason))}`)
  if (!isAllowing(option)) return style.red(`✘ ${labelOf(option)}${reason === '' ? '' : `: ${harmlessLine(reason)}`}`)
  if (option.kind === 'allow_once') return style.green('✔ allowed once')
  return style.green(`✔ ${labelOf(option).replace(/^Always allow:?/, 'always allowed:')}`)
}
