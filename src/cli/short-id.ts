// Long ids as people type them: the end of an id, as long as it takes to name one thing alone.
const shortLength = 6

/** The shortest end of the id, of six characters at least, that none of the others has. A short id stays whole. */
export function shortId(id: string, others: readonly string[] = []): string {
  for (let length = shortLength; length < id.length - 2; length++) {
    const end = id.slice(-length)
    if (/^[\w]/.test(end) && !others.some((other) => other !== id && other.endsWith(end))) return end
  }
  return id
}

/** The ids that are meant: the one that is this, else all that begin or end with it. */
export function idsMeant(word: string, ids: readonly string[]): string[] {
  if (word === '' || ids.includes(word)) return word === '' ? [] : [word]
  return ids.filter((id) => id.startsWith(word) || id.endsWith(word))
}
