/** The text behind `indent` columns: broken at spaces, each further line begins under the first. */
export function broken(text: string, width: number, indent: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.pop()
    if (line === undefined) lines.push(word)
    else if (indent + line.length + 1 + word.length <= width) lines.push(`${line} ${word}`)
    else lines.push(line, word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
