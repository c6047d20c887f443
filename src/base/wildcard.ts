// Whether two patterns can match the same text: `*` stands for any run of characters, `?` for one, in both. Takes time in the order of
// one length times the other, whatever the patterns.

const largest = 1_000_000 // steps; past that the answer is the careful one

export const overlap = (a: string, b: string): boolean => endings(a).some((one) => endings(b).some((other) => meet(one, other)))

/** A rule `ls *` is for `ls` alone as well. */
const endings = (pattern: string): string[] => (pattern.endsWith(' *') ? [pattern, pattern.slice(0, -2)] : [pattern])

function meet(a: string, b: string): boolean {
  if (a.length * b.length > largest) return true
  // row[j]: what stands before i in a and what stands before j in b can be the same text.
  let row = [true]
  for (let j = 1; j <= b.length; j++) row[j] = row[j - 1]! && b[j - 1] === '*'
  for (let i = 1; i <= a.length; i++) {
    const one = a[i - 1]!
    const next = [row[0]! && one === '*']
    for (let j = 1; j <= b.length; j++) {
      const other = b[j - 1]!
      const isOpen = one === '*' || other === '*'
      next[j] = isOpen ? row[j]! || next[j - 1]! : row[j - 1]! && (one === other || one === '?' || other === '?')
    }
    row = next
  }
  return row[b.length]!
}

/** Goes back to the last star only: more is never needed, so the worst case is pattern times text. */
export function glob(pattern: string, text: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let here = 0
  while (at < text.length) {
    const wanted = pattern[here]
    if (wanted === '*') {
      star = here++
      resume = at
    } else if (here < pattern.length && (wanted === '?' || wanted === text[at])) {
      here++
      at++
    } else if (star >= 0) {
      here = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[here] === '*') here++
  return here === pattern.length
}
