// One word of a shell command: what it says, what it may stand for when the shell has expanded it, and how it is written in a rule.
import type { Word, WordPart } from 'unbash'

export type ShellWord = {
  /** For rules: the plain value, quoted only where it must be; the source when the shell still has to expand it. */
  text: string
  /** The decoded value; undefined when the shell still has to expand it. */
  value: string | undefined
  /** All that the text may become, as a pattern; undefined when there is nothing to expand. */
  reach: string | undefined
  /** The value as a path, with the home folder put in; undefined when it may be any. */
  path: string | undefined
  /** The path holds wildcards of the shell. */
  glob: boolean
  /** Variables that stand in it unquoted and as they are. */
  bare: readonly string[]
  /** Something else stands in it unquoted that may become wildcards or several words. */
  loose: boolean
}

export type Surroundings = { home: string; folder: string | undefined }

/** A word that says itself. */
export const literalWord = (value: string): ShellWord => ({
  text: quote(value),
  value,
  reach: undefined,
  path: value,
  glob: false,
  bare: [],
  loose: false,
})

/** A word that only the run knows. */
export const unknownWord = (text: string): ShellWord => ({
  text,
  value: undefined,
  reach: '*',
  path: undefined,
  glob: false,
  bare: [],
  loose: true,
})

export function readWord(word: Pick<Word, 'text' | 'value' | 'parts'>, around: Surroundings): ShellWord {
  const { text, value, parts } = word
  const tilde = /^~[^/]*/.exec(text)?.[0]
  if (tilde !== undefined && tilde !== '~') return unknownWord(text)
  if (parts === undefined) {
    if (tilde === undefined) return literalWord(value)
    return { ...literalWord(value), text, path: around.home + value.slice(1) }
  }
  const fold: Fold = { value: '', path: '', reach: '', known: true, pathKnown: true, glob: false, bare: [], loose: false }
  for (const part of parts) addPart(fold, part, false, around)
  if (fold.known) {
    return { ...literalWord(fold.value), path: tilde === undefined ? fold.path : around.home + fold.path.slice(1) }
  }
  const path = tilde === undefined ? fold.path : around.home + fold.path.slice(1)
  return {
    text,
    value: undefined,
    reach: fold.reach,
    path: fold.pathKnown ? path : undefined,
    glob: fold.glob,
    bare: fold.bare,
    loose: fold.loose,
  }
}

type Fold = {
  value: string
  path: string
  reach: string
  known: boolean
  pathKnown: boolean
  glob: boolean
  bare: string[]
  loose: boolean
}

function addPart(fold: Fold, part: WordPart, isQuoted: boolean, around: Surroundings): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      fold.value += part.value
      fold.path += part.value
      fold.reach += isPlain(part.value) ? part.value : '*'
      return
    case 'DoubleQuoted':
      for (const child of part.parts) addPart(fold, child, true, around)
      return
    case 'Glob':
      fold.known = false
      fold.glob = true
      fold.path += part.text
      fold.reach += '*'
      return
    case 'SimpleExpansion':
      return addVariable(fold, part.text.slice(1), isQuoted, around)
    case 'ParameterExpansion':
      if (part.operation === undefined && part.prefix === undefined && part.index === undefined) {
        return addVariable(fold, part.parameter, isQuoted, around)
      }
      break
    case 'ArithmeticExpansion':
      fold.known = false
      fold.path += '0' // some number: it leads nowhere
      fold.reach += '*'
      return
    case 'ProcessSubstitution':
      fold.known = false
      fold.path += '/dev/fd/63'
      fold.reach += '*'
      return
    default:
  }
  fold.known = false
  fold.pathKnown = false
  if (!isQuoted) fold.loose = true
  fold.reach += '*'
}

function addVariable(fold: Fold, name: string, isQuoted: boolean, around: Surroundings): void {
  fold.known = false
  fold.reach += '*'
  const value = name === 'HOME' ? around.home : name === 'PWD' ? around.folder : /^[?#$!]$/.test(name) ? '0' : undefined
  if (value === undefined) fold.pathKnown = false
  else fold.path += value
  if (!isQuoted) fold.bare.push(name)
}

const isPlain = (value: string): boolean => value === '{}' || /^(?![~#])[^\s'"\\$`;&|<>()*?[{]+$/.test(value)

/** One command has one text, and two have two: a word that holds a space is not two words. */
const quote = (value: string): string => (isPlain(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)

/** Variables of the shell's own that change nothing but the script itself. (`path` is the PATH of zsh.) */
export const isOwnVariable = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !/_proxy$|^npm_|^histchars$|^auto_resume$|^(f|cd|module_)?path$/.test(name)

/** Variables that change no more than how a program talks; any other may change what runs (PATH, LD_PRELOAD, GIT_SSH, HOME …). */
export const isHarmlessVariable = (name: string): boolean =>
  /^(LANG|LC_[A-Z]+|TZ|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|DEBUG|NODE_ENV|RUST_BACKTRACE|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS)$/.test(
    name,
  )
