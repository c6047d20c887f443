// One word of a shell command: what it says, what it may stand for when the shell has expanded it, and how it is written in a rule.
import type { ParsedScript, Word, WordPart } from 'unbash'

export type ShellWord = {
  /** For rules: the plain value, quoted only where it must be; the source when the shell still has to expand it. */
  text: string
  /** The decoded value; undefined when the shell still has to expand it. */
  value: string | undefined
  /** All that the text may become, as a pattern; undefined when there is nothing to expand. */
  reach: string | undefined
  /** The paths that it may be, with the home folder put in; undefined when it may be any. */
  paths: readonly string[] | undefined
  /** The path holds wildcards of the shell. */
  glob: boolean
  /** Variables that stand in it unquoted and as they are. */
  bare: readonly string[]
  /** Something else stands in it unquoted that may become wildcards or several words. */
  loose: boolean
}

/** What a variable may hold. `exact`: this very text; else it stands for one that leads to the same place. */
export type Value = { text: string; exact: boolean; glob: boolean }

export type Surroundings = {
  home: string
  folder: string | undefined
  /** All that a variable may hold here; undefined: anything. */
  variable?(name: string): readonly Value[] | undefined
  /** All that a command substitution may become, as pieces of a path; undefined: anything. */
  output?(script: ParsedScript | undefined): readonly string[] | undefined
}

const maxPaths = 64 // of one word

/** A word that says itself. */
export const literalWord = (value: string): ShellWord => ({
  text: quote(value),
  value,
  reach: undefined,
  paths: [value],
  glob: false,
  bare: [],
  loose: false,
})

/** A word that only the run knows. */
export const unknownWord = (text: string): ShellWord => ({
  text,
  value: undefined,
  reach: '*',
  paths: undefined,
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
    return { ...literalWord(value), text, paths: [around.home + value.slice(1)] }
  }
  const fold: Fold = {
    value: '',
    paths: [''],
    reach: '',
    known: true,
    pathKnown: true,
    glob: false,
    bare: [],
    loose: false,
    isPattern: parts.some(({ type }) => type === 'Glob'),
    quotesWild: false,
  }
  for (const part of parts) addPart(fold, part, false, around)
  if (fold.glob && !fold.isPattern && fold.quotesWild) fold.pathKnown = false
  const paths = tilde === undefined ? fold.paths : fold.paths.map((path) => around.home + path.slice(1))
  if (fold.known) return { ...literalWord(fold.value), paths }
  return {
    text,
    value: undefined,
    reach: fold.reach,
    paths: fold.pathKnown && paths.length <= maxPaths ? paths : undefined,
    glob: fold.glob,
    bare: fold.bare,
    loose: fold.loose,
  }
}

type Fold = {
  value: string
  paths: string[]
  reach: string
  known: boolean
  pathKnown: boolean
  glob: boolean
  bare: string[]
  loose: boolean
  /** It holds wildcards as it is written. */
  isPattern: boolean
  /** A wildcard in it is quoted. */
  quotesWild: boolean
}

/** A text in which wildcards mean themselves: in a pattern, any character will do for each. */
function plainText(fold: Fold, text: string): string {
  if (/[*?[]/.test(text)) fold.quotesWild = true
  return fold.isPattern ? tamed(text) : text
}

/** As a pattern that stands for this text, at least. */
export const tamed = (text: string): string => text.replaceAll(/[*?[]/g, '?')

function addPart(fold: Fold, part: WordPart, isQuoted: boolean, around: Surroundings): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      fold.value += part.value
      addPaths(fold, [plainText(fold, part.value)])
      fold.reach += isPlain(part.value) ? part.value : '*'
      return
    case 'DoubleQuoted':
      for (const child of part.parts) addPart(fold, child, true, around)
      return
    case 'Glob':
      fold.known = false
      fold.glob = true
      addPaths(fold, [part.text])
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
      addPaths(fold, ['0']) // some number: it leads nowhere
      fold.reach += '*'
      return
    case 'ProcessSubstitution':
      fold.known = false
      addPaths(fold, ['/dev/fd/63'])
      fold.reach += '*'
      return
    case 'BraceExpansion': {
      const listed = /^\{([\w./-]*(?:,[\w./-]*)+)\}$/.exec(part.text)?.[1]?.split(',')
      const texts = listed ?? (/^\{\d+\.\.\d+\}$/.test(part.text) ? ['0'] : undefined)
      if (texts === undefined) break
      fold.known = false
      fold.reach += '*'
      return addPaths(fold, texts)
    }
    case 'CommandExpansion': {
      const printed = around.output?.(part.script)
      if (printed === undefined) break
      fold.known = false
      fold.reach += '*'
      return addPaths(fold, printed)
    }
    default:
  }
  fold.known = false
  fold.pathKnown = false
  if (!isQuoted) fold.loose = true
  fold.reach += '*'
}

function addPaths(fold: Fold, texts: readonly string[]): void {
  if (fold.paths.length * texts.length > maxPaths) fold.pathKnown = false
  else fold.paths = fold.paths.flatMap((path) => texts.map((text) => path + text))
}

function addVariable(fold: Fold, name: string, isQuoted: boolean, around: Surroundings): void {
  const held = around.variable?.(name)
  if (held !== undefined) return addHeld(fold, name, isQuoted, held)
  fold.known = false
  fold.reach += '*'
  const value = name === 'HOME' ? around.home : name === 'PWD' ? around.folder : /^[?#$!]$/.test(name) ? '0' : undefined
  if (value === undefined) fold.pathKnown = false
  else addPaths(fold, [value])
  if (!isQuoted) fold.bare.push(name)
}

/** Unquoted, a text with spaces is several words and one with wildcards many files. */
function addHeld(fold: Fold, name: string, isQuoted: boolean, held: readonly Value[]): void {
  const [one] = held
  if (held.length === 1 && one!.exact && (isQuoted || /^[\w@%+=:,./-]+$/.test(one!.text))) {
    fold.value += one!.text
    fold.reach += isPlain(one!.text) ? one!.text : '*'
    return addPaths(fold, [plainText(fold, one!.text)])
  }
  fold.known = false
  fold.reach += '*'
  if (!isQuoted) fold.bare.push(name)
  const isAlone = fold.paths.length === 1 && fold.paths[0] === ''
  const texts = held.map(({ text }) => text)
  if (!isQuoted && !isAlone && texts.some((text) => /\s/.test(text))) fold.pathKnown = false
  if (held.some(({ text, glob }) => glob || (!isQuoted && /[*?[]/.test(text)))) fold.glob = true
  addPaths(
    fold,
    isQuoted ? held.map(({ text, glob }) => (glob ? text : plainText(fold, text))) : texts.flatMap((text) => text.split(/\s+/)),
  )
}

const isPlain = (value: string): boolean => value === '{}' || /^(?![~#])[^\s'"\\$`;&|<>()*?[{]+$/.test(value)

/** One command has one text, and two have two: a word that holds a space is not two words. */
const quote = (value: string): string => (isPlain(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)

/** Variables of the shell's own that change nothing but the script itself. (`path` is the PATH of zsh.) */
export const isOwnVariable = (name: string): boolean =>
  /^([A-Z]|NAME|FILES?|DIR|OUT|OUTPUT|VERSION|MSG|MESSAGE|TITLE|BODY|BRANCH|TAG|COUNT|PATTERN|RESULT|STATUS|TOTAL|RC|EXIT_CODE)$/.test(
    name,
  ) ||
  (/^[a-z_][a-z0-9_]*$/.test(name) && !/_proxy$|^npm_|^histchars$|^auto_resume$|^(f|cd|module_)?path$/.test(name))

/** Variables that change no more than how a program talks; any other may change what runs (PATH, LD_PRELOAD, GIT_SSH, HOME …). */
export const isHarmlessVariable = (name: string, value?: string): boolean =>
  (/^(LANG|LC_[A-Z]+)$/.test(name) && value !== undefined && isPlainLocale(value)) ||
  (/^((GIT_)?PAGER|(GIT_)?EDITOR|GIT_SEQUENCE_EDITOR|VISUAL)$/.test(name) && /^(cat|true|:|)$/.test(value ?? 'x')) ||
  /^(TZ|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|DEBUG|NODE_ENV|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|NODE_NO_WARNINGS|CGO_ENABLED|GOOS|GOARCH|HUSKY|PORT|DEBIAN_FRONTEND|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS)$/.test(
    name,
  )

/** Bash reads the rest of a line by its locale: in GBK a quote may be half of a character. */
const isPlainLocale = (value: string): boolean => /^(C|POSIX|[A-Za-z_]+\.(UTF-8|utf8))$/.test(value)
