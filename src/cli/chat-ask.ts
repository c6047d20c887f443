// Permission questions inside a chat, one at a time: the whole of what is wanted stays on the screen, the choice below it is one key.
import { changesOf } from '../analyze/changes.ts'
import { commandOf } from '../analyze/subject.ts'
import type { Answerer } from '../run/run.ts'
import type { Choice, Question } from '../supervise/permission.ts'
import { harmlessLine, harmlessLines } from '../views/harmless.ts'
import { wrapped } from '../views/layout.ts'
import { patchOf } from '../views/patch.ts'
import type { Style } from '../views/style.ts'
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
const mostPatch = 40

export function createChatAsk({ keyboard, style, width, put, menu }: AskParts): Answerer {
  let last: Promise<unknown> = Promise.resolve()

  const ask: Answerer = async ({ request }, signal) => {
    if (signal.aborted) return undefined
    const offered = Object.entries(keys).filter(([, { choice }]) => request.options.some(({ kind }) => kind === choice))
    put(questionLines(request, width(), style))
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

/** What is to be done, all of it: nobody can agree to what is cut off. */
export function questionLines(request: Request, width: number, style: Style): string[] {
  const { name = 'this', permission = '', toolKind = 'other', input, patterns = [] } = request
  const command = commandOf({ toolKind, input })
  const changes = toolKind === 'edit' ? changesOf({ input }) : []
  const what = command === undefined ? patterns : [command]
  const isPlain = permission === name && (command === undefined || (patterns.length === 1 && patterns[0] === command))
  const why = isPlain ? [] : [`${permission}: ${patterns.join(' · ')}`]
  const indented = (text: string): string[] => harmlessLines(text).flatMap((line) => wrapped(line, width - 4).map((part) => `    ${part}`))
  return [
    `${style.yellow('?')} ${style.bold(`Allow ${harmlessLine(name)}?`)}`,
    ...what.filter((text) => text !== '*').flatMap(indented),
    ...why.flatMap(indented).map(style.dim),
    ...changes.flatMap((change) => foldedPatch(patchOf(change, style).lines, style)),
  ]
}

function foldedPatch(lines: readonly string[], style: Style): string[] {
  const shown = lines.length > mostPatch + 1 ? [...lines.slice(0, mostPatch), style.dim(`… ${lines.length - mostPatch} more lines`)] : lines
  return shown.map((line) => `    ${line}`)
}

function answerText(choice: Choice | undefined, { options }: Request, style: Style): string {
  if (choice === undefined) return style.yellow('■ withdrawn')
  if (choice === 'reject_once') return style.red('✘ refused')
  if (choice === 'allow_once') return style.green('✔ allowed once')
  const label = options.find(({ kind }) => kind === 'allow_always')?.label ?? 'Always allow'
  return style.green(`✔ ${harmlessLine(label.replace(/^Always allow/, 'always allowed:'))}`)
}
