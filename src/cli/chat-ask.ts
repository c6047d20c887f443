// Permission questions inside a chat, one at a time: the whole of what is wanted stays on the screen, the choice below it is one key.
import type { Answerer } from '../run/run.ts'
import type { Choice, Question } from '../supervise/permission.ts'
import { harmlessLine } from '../views/harmless.ts'
import type { Style } from '../views/style.ts'
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

type Request = Question['request']

const keys: Record<string, { choice: Choice; word: string }> = {
  y: { choice: 'allow_once', word: 'yes, once' },
  a: { choice: 'allow_always', word: 'always' },
  n: { choice: 'reject_once', word: 'no' },
}

export function createChatAsk({ keyboard, style, width, put, menu }: AskParts): Answerer {
  let last: Promise<unknown> = Promise.resolve()

  const ask: Answerer = async ({ request, needs }, signal) => {
    if (signal.aborted) return undefined
    const offered = Object.entries(keys).filter(([, { choice }]) => request.options.some(({ kind }) => kind === choice))
    put(questionLines(request, width(), style, needs))
    menu(`  ${offered.map(([key, { word }]) => `${style.bold(key)} ${word}`).join(style.dim(' · '))}`)
    const key = await keyboard.choose(
      offered.map(([name]) => name),
      signal,
    )
    menu(undefined)
    const choice = key === undefined ? undefined : keys[key]?.choice
    put([`  ${answerText(choice, request, style)}`])
    return choice === undefined ? undefined : { option: choice, by: 'terminal' }
  }

  return (question, signal) => {
    const mine = last.then(() => ask(question, signal))
    last = mine.catch(() => {})
    return mine
  }
}

function answerText(choice: Choice | undefined, { options }: Request, style: Style): string {
  if (choice === undefined) return style.yellow('■ withdrawn')
  if (choice === 'reject_once') return style.red('✘ refused')
  if (choice === 'allow_once') return style.green('✔ allowed once')
  const label = options.find(({ kind }) => kind === 'allow_always')?.label ?? 'Always allow'
  return style.green(`✔ ${harmlessLine(label.replace(/^Always allow/, 'always allowed:'))}`)
}
