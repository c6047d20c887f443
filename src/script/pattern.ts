// A pattern is a part of the text, or a regular expression between slashes. Those are RE2, which takes linear time on any text; what
// they are searched in is bounded, too, so that no script and no prompt can stall the server.

export type Pattern = (text: string) => boolean

const longestPattern = 1000
const searched = 1 << 16 // characters

/** Throws when it cannot be compiled. */
export async function compilePattern(source: string): Promise<Pattern> {
  const [, expression, flags = ''] = /^\/(.+)\/([ims]*)$/s.exec(source) ?? []
  if (expression === undefined) return (text) => text.includes(source)
  if (expression.length > longestPattern) throw new Error(`it is longer than ${longestPattern} characters`)
  const { RE2JS } = await import('re2js') // heavy, and rarely needed
  const compiled = RE2JS.compile(flags === '' ? expression : `(?${flags})${expression}`)
  return (text) => compiled.matcher(text.slice(0, searched)).find()
}
