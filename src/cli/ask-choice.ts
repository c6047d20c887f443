// A choice that an agent leaves to the user, on the terminal: each question with its numbered answers; other words are an answer too.
import type { Chooser } from '../run/contract.ts'
import type { Ask } from '../supervise/contract.ts'
import { harmlessLine } from '../views/harmless.ts'
import { styleFor } from '../views/style.ts'
import { freshTerminal } from './ask-terminal.ts'
import { screenOf } from './terminal.ts'

type Posed = NonNullable<Ask['questions']>[number]

export const chooseOnTerminal: Chooser = async ({ questions = [] }, signal) => {
  const style = styleFor(screenOf(process.env, process.stderr).colour)
  const terminal = await freshTerminal(signal).catch(() => undefined)
  if (terminal === undefined) return undefined
  const answers: Record<string, string> = {}
  try {
    for (const question of questions) {
      process.stderr.write(`\n${style.yellow('?')} ${style.bold(harmlessLine(question.text))}\n`)
      question.options.forEach(({ label, description = '' }, index) =>
        process.stderr.write(`  ${style.bold(String(index + 1))} ${harmlessLine(label)} ${style.dim(harmlessLine(description))}\n`),
      )
      const hint = question.many === true ? 'numbers with commas, or your own words' : 'a number, or your own words'
      let said: string | undefined
      while (said === undefined) said = chosenOf(await terminal.question(`  ${hint}: `, { signal }), question)
      answers[question.text] = said
    }
    return { answers, by: 'terminal' }
  } catch {
    return undefined // withdrawn, or the terminal is gone
  } finally {
    terminal.close()
  }
}

/** Undefined: it must be asked again. */
export function chosenOf(line: string, { options, many }: Posed): string | undefined {
  const words = line.trim()
  if (words === '') return undefined
  if (!/^\d+(\s*,\s*\d+)*$/.test(words)) return words
  const labels = words.split(',').map((number) => options[Number(number) - 1]?.label)
  if (labels.includes(undefined) || (many !== true && labels.length > 1)) return undefined
  return labels.join(', ')
}
