// A command line as a person writes it → words. Quotes and backslashes are understood as a shell does; nothing is expanded and no shell runs.

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
