// The files that a call of another program names, whatever its tools call their fields. It would rather find too many than too few: a
// path that is not seen is one that no rule speaks of.
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isRecord } from '../base/json.ts'
import { wordOf } from '../base/text.ts'
import type { ToolKind } from '../model/vocabulary.ts'

export type Named = {
  /** What the call is about. */
  files: string[]
  /** Folders and the like that it has to do with. */
  places: string[]
  /** There is something where a path should be, and it cannot be read. */
  isUnread: boolean
}

/** Kinds of calls that are about files, so that not to know the file is not to know the call. */
export const ofFiles: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'edit', 'delete', 'move', 'search'])
/** Of these, the kinds that are given hardly a text beside: whatever looks like a path is one. */
const withoutTexts: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'delete', 'move', 'search'])

const fileKey = /(path|file|filename|uri|url|location)s?$/
const placeKey = /(dir|directory|folder|cwd|target|source|destination|dest|root)$/
const textKey = /(pattern|query|regex|glob|include|exclude)s?$/
const addressKey = /ur[il]s?$/
const pathLike = /^(\/|~(\/|$)|file:)|(^|\/)\.\.(\/|$)/i

const deepest = 8
const longest = 4096 // characters of a path that a system takes

export function namedIn(input: unknown, kind: ToolKind): Named {
  const found: Named = { files: [], places: [], isUnread: false }
  const isAbout = ofFiles.has(kind)

  /** What stands under the key of a path. */
  function take(value: unknown, into: string[], isAddress: boolean, depth: number): void {
    if (typeof value === 'string') return add(value, into, isAddress)
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) {
      const before = found.files.length + found.places.length
      look(value, depth)
      if (found.files.length + found.places.length === before) found.isUnread = true
    } else if (depth > deepest) found.isUnread = true
    else for (const one of value) take(one, into, isAddress, depth + 1)
  }

  function add(text: string, into: string[], isAddress: boolean): void {
    if (text === '') return
    const path = isAddress && !pathLike.test(text) ? undefined : pathOf(text)
    if (path === undefined) found.isUnread = true
    else into.push(path)
  }

  /** What stands anywhere. */
  function look(value: unknown, depth: number): void {
    if (depth > deepest) found.isUnread = true
    else if (Array.isArray(value)) for (const one of value) look(one, depth + 1)
    else if (isRecord(value)) for (const [key, part] of Object.entries(value)) lookAt(key, part, depth + 1)
    else if (typeof value === 'string' && withoutTexts.has(kind) && isPathLike(value)) add(value, found.files, false)
  }

  function lookAt(key: string, part: unknown, depth: number): void {
    const word = wordOf(key)
    if (isAbout && isPathLike(key)) add(key, found.files, false) // a patch by its files
    if (fileKey.test(word)) take(part, found.files, addressKey.test(word), depth)
    else if (isAbout && placeKey.test(word)) take(part, found.places, false, depth)
    else if (kind !== 'search' || !textKey.test(word)) look(part, depth)
  }

  look(input, 0)
  return found
}

const isPathLike = (text: string): boolean => text.length <= longest && !text.includes('\n') && pathLike.test(text)

/** Undefined: it leads elsewhere, or nobody knows where. */
function pathOf(text: string): string | undefined {
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text)
    } catch {
      return undefined
    }
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined
  return text === '~' || text.startsWith('~/') ? homedir() + text.slice(1) : text
}
