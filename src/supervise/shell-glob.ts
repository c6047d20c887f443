// The files that a pattern of the shell stands for, and a few more where it says it finely: too many does no harm here.
import { matches } from './rules.ts'

const most = 1000

/** The segment as a pattern of `*` and `?` that matches at least what the shell matches. */
export const widened = (segment: string): string => segment.replace(/\[[\w.-]+\]/g, '?').replace(/[[{].*$/s, '*')

/** A wildcard does not stand for the dot that hides a file. */
export const mayHide = (pattern: string, name: string): boolean => name.startsWith('.') && /^[*?[]/.test(pattern)

/** `.*` and `.[.]` are also `..` to many shells. `.[!.]*` is not. */
const mayBeParent = (segment: string): boolean =>
  segment.startsWith('.') && matches(widened(segment.replaceAll(/\[[!^][^\]]*\.[^\]]*\]/g, 'x')), '..')

/** `list`: the names in a folder, none when there is no such folder. Undefined: too many to tell. */
export function expandGlob(pattern: string, list: (folder: string) => readonly string[]): string[] | undefined {
  let found = ['']
  for (const segment of pattern.split('/').filter((part) => part !== '')) {
    const wide = widened(segment)
    found = /[*?[]/.test(segment)
      ? found.flatMap((folder) =>
          [...list(folder === '' ? '/' : folder), ...(mayBeParent(segment) ? ['..'] : [])]
            .filter((name) => !mayHide(segment, name) && matches(wide, name))
            .map((name) => `${folder}/${name}`),
        )
      : found.map((folder) => `${folder}/${segment}`)
    if (found.length > most) return undefined
  }
  return found
}
