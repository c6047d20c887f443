// Which files a word of a shell command may name. It would rather find too many: only those that lead out of the project, or to a
// secret, are asked about.

const longest = 4096 // characters of a path that a system takes
const most = 64 // pieces of one word
const mostLetters = 8 // of options in one word

/** The word itself, and what stands in it behind an option letter or one of `= : , @ ; < )`. Undefined: too much to tell. */
export function pathsIn(word: string): string[] | undefined {
  if (word.length > longest) return /[/~]|\.\.|^\./.test(word) && !/\s/.test(word) ? undefined : []
  const found = new Set<string>()
  if (!word.startsWith('-')) found.add(word)
  else if (!word.startsWith('--')) {
    for (let at = 2; at < Math.min(word.length, mostLetters); at++) found.add(word.slice(at)) // behind other letters
    const start = word.search(/[/~.]/)
    if (start > 0) found.add(word.slice(start))
  }
  if (/\bfile:.*[[{]/i.test(word)) return undefined // curl has wildcards of its own
  const breaks = [...word.matchAll(/[=:,@;<)]/g)].map((match) => match.index)
  if (breaks.length > most) return undefined
  if (breaks[0] !== undefined && !word.startsWith('-')) found.add(word.slice(0, breaks[0]))
  for (const [index, at] of breaks.entries()) {
    const rest = word.slice(at + 1)
    if (rest.startsWith('//') && isScheme(word.slice(0, at + 1))) continue
    found.add(rest)
    const piece = word.slice(at + 1, breaks[index + 1]).trim()
    found.add(piece)
    found.add(piece.replace(/^"(.*)"$/s, '$1'))
  }
  found.delete('')
  return [...found]
}

/** The `https:` of an address. (`file:` leads to files.) */
const isScheme = (head: string): boolean => /[a-z][a-z0-9+.-]*:$/i.test(head) && !/file:$/i.test(head)

/** Absolute, but not tidied: where a link lies before a `..`, only the file system knows where it leads. Undefined: another user's home. */
export function absolute(path: string, folder: string, home: string): string | undefined {
  if (path.startsWith('/')) return path
  if (path === '~' || path.startsWith('~/')) return home + path.slice(1)
  if (/^~[\w+-]*(\/|$)/.test(path)) return undefined
  return path === '.' ? folder : `${folder}/${path}`
}

/** Without `.`, `..` and double slashes, taken as text. */
export function tidy(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}

export const parent = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))

export const isWithin = (path: string, folder: string): boolean => path === folder || folder === '/' || path.startsWith(`${folder}/`)

/** Devices that are no files. */
export const isDevice = (path: string): boolean => /^\/dev\/(null|zero|random|urandom|std(in|out|err)|fd\/\d+)$/.test(path)
