// Tells conversations apart: which one a request belongs to, and by what a lane of the script will know it again. What an agent puts
// around the words of its user (dates, folders, versions) changes from run to run, so a lane looks for as little as will do.
import type { RawWhen } from './load.ts'
import type { Conversation } from './script.ts'

export type Identity = Pick<Conversation, 'prompt' | 'system' | 'tools'>

/** An agent may change a number in its system prompt in the middle of a conversation. */
export const isSame = (a: Identity, b: Identity): boolean => isAlike(a, b) && steadyOf(a.system) === steadyOf(b.system)
export const isAlike = (a: Identity, b: Identity): boolean => a.tools === b.tools && a.prompt === b.prompt

const steadyOf = (text: string): string => text.replaceAll(/\S*[\d=]\S*/g, '')

/** What only this one has. */
export function whenOf(one: Identity, others: readonly Identity[]): RawWhen {
  const when: RawWhen = { tools: one.tools }
  let rest = others.filter(({ tools }) => tools === one.tools)
  for (const part of ['prompt', 'system'] as const) {
    const different = rest.filter((other) => other[part] !== one[part])
    const pattern =
      different.length === 0
        ? undefined
        : patternFor(
            one[part],
            different.map((other) => other[part]),
          )
    if (pattern === undefined) continue
    when[part] = pattern
    rest = rest.filter((other) => other[part] === one[part])
  }
  return when
}

const longestLine = 120
const longestExact = 400 // characters; a regular expression may have 1000

/** A line that no other text has, best a late one, where the user's own words stand, without numbers; else the text as a whole. */
function patternFor(text: string, others: readonly string[]): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim().slice(0, longestLine).trim())
    .filter((line) => line.length > 2)
    .toReversed()
  const isTelling = (line: string): boolean => others.every((other) => !other.includes(line))
  const line = lines.find((one) => !/\d/.test(one) && isTelling(one)) ?? lines.find(isTelling)
  if (line !== undefined) return /^\/.+\/[ims]*$/s.test(line) ? `/${escaped(line)}/` : line
  return text.length <= longestExact ? `/^${escaped(text)}$/` : undefined
}

const escaped = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
