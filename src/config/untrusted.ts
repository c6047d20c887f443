// What the settings of a project ask for and do not get, in one line.
const maxNamed = 3

/** Undefined: nothing was left out. */
export function untrustedText(leftOut: readonly string[]): string | undefined {
  if (leftOut.length === 0) return undefined
  const more = leftOut.length - maxNamed
  return `not trusted, left out: ${leftOut.slice(0, maxNamed).join('; ')}${more > 0 ? ` and ${more} more` : ''} (to see and allow it: sluice trust)`
}
