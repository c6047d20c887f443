// Where the input of a call about files may lead beside the paths that were found in it: by a pattern of a search, and by a path that
// some tools read in another way than it stands (trimmed, decoded, with backslashes, through a link before a `..`).
import { isRecord } from '../base/json.ts'
import { wordOf } from '../base/text.ts'
import type { Ask } from './contract.ts'
import { isSecretFile } from './secrets.ts'
import { absolute } from './shell-paths.ts'

export type InputReach = {
  /** Absolute, not tidied. */
  paths: string[]
  /** They may lead anywhere. */
  unknown: string[]
  /** Patterns by which the content of secrets is searched. */
  secrets: string[]
  /** Files that a patch changes: absolute, not tidied. */
  patched: string[]
}

const aboutFiles: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search'])

const pathKey = /(path|file|filename|uri|dir|directory|folder|cwd|location)s?$/
const globKey = /glob|^includes?$|^include(files?|patterns?|d?paths?)$|^(file|path|name)patterns?$/
const patchKey = /^(patch|patchtext|input)$/
const leavesOut = /exclude|ignore|^no/
/** Its pattern is about what stands in files. */
const isContentSearch = (name: string): boolean => /grep|content|code|^rg$/i.test(name)

const deepest = 8
const longest = 4096 // characters of a path that a system takes
const mostPatterns = 64

/** `folder`: where the agent works. */
export function inputReach({ name, toolKind, permission, input }: Ask, folder: string, home: string): InputReach {
  const found: InputReach = { paths: [], unknown: [], secrets: [], patched: [] }
  if (!aboutFiles.has(toolKind)) return found
  const patternKey = permission === 'glob' ? /^(patterns?|query)$/ : isContentSearch(name) ? /^$/ : /^patterns?$/
  const isLooking = toolKind === 'search' || toolKind === 'read'
  const base = isRecord(input) && typeof input['path'] === 'string' ? absolute(input['path'].trim(), folder, home) : undefined

  function lead(path: string, from = folder): void {
    const local = addressed(path)
    if (local === undefined || isElsewhere(local)) found.unknown.push(path)
    else found.paths.push(absolute(local, from, home)!)
  }

  function pathText(text: string): void {
    if (isElsewhere(text)) found.unknown.push(text)
    for (const one of otherReadings(text)) lead(one)
    if (isLooking && /[*{]/.test(text)) patternText(text)
  }

  function patternText(text: string): void {
    for (const piece of new Set([text, ...text.split(text.includes('{') ? /\s+/ : /[\s,]+/)])) {
      const all = unbraced(piece.trim())
      if (all === undefined || isElsewhere(piece)) found.unknown.push(piece)
      for (const one of new Set(all?.flatMap(spellings))) onePattern(one, piece)
    }
  }

  function onePattern(spelt: string, shown: string): void {
    const pattern = spelt.replace(/^(!!)+/, '')
    if (/^!(?!\()/.test(pattern)) return // it takes files out
    const wild = pattern.search(/[*?[{(]/)
    const fixed = wild < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', wild) + 1)
    if (/(^|[/(|,{])\.\.($|[/)|,}])/.test(pattern.slice(fixed.length))) found.unknown.push(shown)
    const isAnchored = permission === 'grep' && fixed === '/' && !/^\/.*(\/|\*\*)/.test(pattern) // `/*.ts`: right in the folder
    if (fixed !== '' && !isAnchored) lead(fixed, base)
    if (permission === 'grep' && namesSecret(pattern)) found.secrets.push(shown)
  }

  function patchText(text: string): void {
    for (const [, path] of text.matchAll(/^[ \t]*\*\*\* (?:(?:Update|Add|Delete) File|Move to):(.*)$/gm)) {
      const at = absolute(path!.trim(), folder, home)
      if (at === undefined) found.unknown.push(path!)
      else found.patched.push(at)
    }
  }

  function look(value: unknown, use: ((text: string) => void) | undefined, depth: number): void {
    if (typeof value === 'string') {
      if (use !== undefined && use !== patchText && value.length > longest) found.unknown.push(`${value.slice(0, 80)}…`)
      else use?.(value)
    } else if (depth > deepest) found.unknown.push('what stands too deep in the input')
    else if (Array.isArray(value)) for (const one of value) look(one, use, depth + 1)
    else if (isRecord(value)) for (const [key, part] of Object.entries(value)) look(part, useOf(wordOf(key)) ?? use, depth + 1)
  }

  function useOf(word: string): ((text: string) => void) | undefined {
    if (leavesOut.test(word)) return () => {}
    if (isLooking && (globKey.test(word) || patternKey.test(word))) return patternText
    if (toolKind === 'edit' && patchKey.test(word)) return patchText
    return pathKey.test(word) ? pathText : undefined
  }

  look(input, undefined, 0)
  return found
}

/** What no tool reads from the folder it works in, and nobody else knows: another user's home, a variable, a drive, a cut-off name. */
const isElsewhere = (path: string): boolean =>
  /\0|^~[^/]|^\$(\{[A-Z_]+\}|[A-Z_]+)([/\\]|$)|^%[A-Za-z_]+%|^[A-Za-z]:[/\\]|^\\\\/.test(path.trim())

/** The way that an address leads on this machine; undefined: to another one. */
function addressed(path: string): string | undefined {
  if (!/^file:/i.test(path)) return path
  const url = URL.parse(path)
  return url === null || !['', 'localhost'].includes(url.host) ? undefined : decoded(url.pathname)
}

/** Other than as it stands, unless a link may lie before a `..`: adapters of agents take that as text, and the system does not. */
function otherReadings(text: string): Set<string> {
  const plain = text.trim()
  const all = [plain, decoded(plain) ?? plain].flatMap((one) => [one, one.replaceAll('\\', '/')])
  return new Set(all.filter((one) => one !== '' && (one !== text || /(^|\/)(?!\.\.?\/)[^/]+\/\.\.(\/|$)/.test(one))))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A backslash is a mark of quoting to some and a separator to others; a set of one character is that character. */
function spellings(pattern: string): string[] {
  const plain = pattern.replaceAll(/\[([^\]!^])\]/g, '$1')
  const all = [plain.replaceAll('\\', ''), decoded(plain) ?? plain]
  return /^[\w.~-]+\\/.test(plain) ? [...all, plain.replaceAll('\\', '/')] : all
}

/** By its name, as `.env*` does: wildcards that fit any file name none. */
const namesSecret = (pattern: string): boolean => isSecretFile(pattern) || isSecretFile(pattern.replaceAll(/[*?]/g, ''))

/** `{a,b}c` is `ac` and `bc`. Undefined: too many. */
function unbraced(pattern: string): string[] | undefined {
  const done: string[] = []
  for (const rest = [pattern]; rest.length > 0;) {
    const one = rest.pop()!
    const group = /\{([^{}]*,[^{}]*)\}/.exec(one)
    if (group === null) done.push(one)
    else for (const word of group[1]!.split(',')) rest.push(one.slice(0, group.index) + word + one.slice(group.index + group[0].length))
    if (done.length + rest.length > mostPatterns) return undefined
  }
  return done
}
