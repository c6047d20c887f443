// Permission questions on the terminal, one at a time: what the agent wants, and a key for each answer. A no can have a reason behind it.
import type { Answerer, Chooser } from '../run/contract.ts'
import type { Question, Reply } from '../supervise/permission.ts'
import { styleFor } from '../views/style.ts'
import { chooseOnTerminal } from './ask-choice.ts'
import { type Keyed, keysFor, labelOf } from './ask-keys.ts'
import { questionLines } from './ask-lines.ts'
import { isRefusal, refusalText } from './ask-reason.ts'
import { freshTerminal } from './ask-terminal.ts'
import type { Aside } from './run-screen.ts'
import { screenOf } from './terminal.ts'

/** There is one terminal: whatever is asked waits for what was asked before, and `aside` keeps all else from it meanwhile. */
export function askOnTerminal(aside: Aside = { begin() {}, end() {} }): { answerer: Answerer; chooser: Chooser } {
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(async () => {
      await new Promise(setImmediate) // what was told before the question is on the screen by then
      aside.begin()
      try {
        return await work()
      } finally {
        aside.end()
      }
    })
    last = mine.catch(() => {})
    return mine
  }
  return {
    answerer: (question, signal) => inTurn(() => ask(question, signal)),
    chooser: (question, signal) => inTurn(() => chooseOnTerminal(question, signal)),
  }
}

async function ask({ request, needs }: Question, signal: AbortSignal): Promise<Reply | undefined> {
  if (signal.aborted) return undefined
  const { width, colour } = screenOf(process.env, process.stderr)
  const style = styleFor(colour)
  const terminal = await freshTerminal(signal).catch(() => undefined)
  if (terminal === undefined) return undefined
  try {
    const offered = keysFor(request.options)
    const hint = offered.filter(({ option }) => isRefusal(option)).map(({ key }) => style.dim(` · ${key} and a few words: no, and why`))
    const waiting = `  ${style.yellow('waiting for you')}${hint[0] ?? ''}`
    process.stderr.write(`\n${[...questionLines(request, width, style, needs), waiting].join('\n')}\n`)
    const menu = offered.map(({ key, option }) => `${style.bold(key)} ${labelOf(option)}`)
    for (;;) {
      const chosen = answerOf(await terminal.question(`  ${menu.join(' · ')}: `, { signal }), offered)
      if (chosen !== undefined) return chosen
    }
  } catch {
    if (signal.aborted) process.stderr.write(`\n  ${style.yellow('■ withdrawn')}\n`)
    return undefined // or the terminal is gone
  } finally {
    terminal.close()
  }
}

/** Undefined: it must be asked again. */
export function answerOf(line: string, offered: readonly Keyed[]): Reply | undefined {
  const [, key = '', reason = ''] = /^(\S+?)(?:[,:]?\s+(.*)|[,:])?$/s.exec(line.trim()) ?? []
  const option = offered.find((one) => one.key === key.toLowerCase())?.option
  if (option === undefined || (reason !== '' && !isRefusal(option))) return undefined
  return { option: option.id, by: 'terminal', ...(reason !== '' && { text: refusalText(reason) }) }
}
