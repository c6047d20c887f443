// A command line as a person writes it → words. Quotes and backslashes are understood as a shell does; nothing is expanded and no shell runs.
import { basename } from 'node:path'

/** A text instead of words: what is wrong with it. */
export function wordsOf(line: string): string[] | string {
  const words: string[] = []
  let word: string | undefined // an empty one counts, if it was quoted
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!
    if (letter === '\\' && quote !== "'") {
      const next = line[++at]
      if (next === undefined) return 'the command line ends with a backslash'
      word = (word ?? '') + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next)
    } else if (quote !== undefined) {
      if (letter === quote) quote = undefined
      else word = (word ?? '') + letter
    } else if (letter === '"' || letter === "'") {
      quote = letter
      word ??= ''
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + letter
  }
  if (quote !== undefined) return `the command line has a ${quote} without its end`
  if (word !== undefined) words.push(word)
  return words.length === 0 ? 'the command line is empty' : words
}

/** Of the agent, not of what runs it. */
export function nameOf([first = '', ...rest]: readonly string[]): string {
  const named = /^(node|npx|bunx?|deno|uvx?|python3?|sh|bash)$/.test(basename(first))
    ? rest.find((word) => !word.startsWith('-'))
    : undefined
  return basename(named ?? first)
}

/** The same without version and ending: `npx @scope/agent@1.2` and `agent.js` are `agent`. */
export const programName = (words: readonly string[]): string => nameOf(words).replace(/(?<=.)@.*$|\.([cm]?js|exe)$/, '')
