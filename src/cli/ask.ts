// Permission questions on the terminal, one at a time: what the agent wants, and a key for each answer.
import type { Answerer, Chooser } from '../run/contract.ts'
import type { Question, Reply } from '../supervise/permission.ts'
import { styleFor } from '../views/style.ts'
import { chooseOnTerminal } from './ask-choice.ts'
import { keysFor, labelOf } from './ask-keys.ts'
import { questionLines } from './ask-lines.ts'
import { freshTerminal } from './ask-terminal.ts'
import { screenOf } from './terminal.ts'

/** There is one terminal: whatever is asked waits for what was asked before. */
export function askOnTerminal(): { answerer: Answerer; chooser: Chooser } {
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  return {
    answerer: (question, signal) => inTurn(() => ask(question, signal)),
    chooser: (question, signal) => inTurn(() => chooseOnTerminal(question, signal)),
  }
}

async function ask({ request, needs }: Question, signal: AbortSignal): Promise<Reply | undefined> {
  await new Promise(setImmediate) // what was told before the question is on the screen by then
  if (signal.aborted) return undefined
  const { width, colour } = screenOf(process.env, process.stderr)
  const style = styleFor(colour)
  const terminal = await freshTerminal(signal).catch(() => undefined)
  if (terminal === undefined) return undefined
  try {
    process.stderr.write(`\n${questionLines(request, width, style, needs).join('\n')}\n`)
    const offered = keysFor(request.options)
    const menu = offered.map(({ key, option }) => `${style.bold(key)} ${labelOf(option)}`)
    for (;;) {
      const line = (await terminal.question(`  ${menu.join(' · ')}: `, { signal })).trim().toLowerCase()
      const chosen = offered.find(({ key }) => key === line)?.option
      if (chosen !== undefined) return { option: chosen.id, by: 'terminal' }
    }
  } catch {
    return undefined // withdrawn, or the terminal is gone
  } finally {
    terminal.close()
  }
}
