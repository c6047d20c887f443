// Programs that can run other programs, or write files, when an option says so: their options, sub-commands and operands that do no harm.
// An allow rule with a wildcard covers a command only if every word of it is known here, spelled in full; anything else is asked about.
import { quoted } from '../base/text.ts'
import type { ShellWord } from './shell-words.ts'

export type Harmless = {
  /**
   * Options, separated by blanks. `-abc`: three letters, which may be put together. `-n:` a letter with a value, `-U?` with a value that
   * may follow in the same word, `-o>` with a file that is written, `-a+` with two values, `-#` digits. `--long`, `--long=`, `--long?` and `--long>` likewise.
   */
  options?: string
  /** Options are whole words, with one dash or two, as for find, go and compilers. */
  isWordStyle?: true
  /** `@FILE` stands for options that are read from a file, wherever it stands. */
  hasOptionFiles?: true
  /** What else does no harm, as a whole word. */
  also?: RegExp
  /** What the value of an option must look like. */
  values?: Readonly<Record<string, Pick<RegExp, 'test'>>>
  /** What an operand must look like. */
  operands?: RegExp
  /** The first operand is one of them. They know the options of the program as well, unless `isApart`. */
  commands?: Readonly<Record<string, Harmless>>
  isApart?: true
  /** The first operand, or the second, or this option, ends the options: what follows is for a script. */
  ends?: true | 2 | string
  /** The first operand is run with the rest: a package by its name, or a program, which then needs leave itself. */
  runs?: 'package' | 'program'
  /** What follows a `--`: as for another program, or anything. If absent, operands. */
  rest?: Harmless | 'free'
  /** It runs what it reads unless it has an operand or one of these options. */
  readsUnless?: RegExp
  /** The first word may be options without a dash (tar). */
  isBundled?: true
  /** Its second operand is a file that is written. */
  writesSecond?: true
  script?: ScriptLanguage
  /** The word that may do harm. */
  check?(use: Use, problemOf: ProblemOf): string | undefined
}

/** Of a program that another one runs. */
export type ProblemOf = (program: readonly ShellWord[]) => string | undefined

export type ScriptLanguage = 'sed' | 'awk' | 'jq' | 'yq' | 'sqlite' | 'psql'

export type Use = {
  /** The program and its sub-command. */
  label: string
  options: [name: string, value: string | undefined][]
  operands: ShellWord[]
  /** Files that options make it write. */
  writes: string[]
  /** A folder of this name is a repository whose hooks are run. */
  repository?: string
  /** Values that stand in one word with the letters of options. */
  attached: string[]
  /** What it runs. */
  program?: readonly ShellWord[]
  /** Why it is not known to do no harm. */
  problem?: string | undefined
  /** The last of sub-commands. */
  spec: Harmless
}

type Taking = ':' | '?' | '>' | '+' | undefined

const tables = new Map<string, ReadonlyMap<string, Taking>>()

function tableOf({ options = '', isWordStyle }: Harmless): ReadonlyMap<string, Taking> {
  const key = `${isWordStyle === true}${options}`
  const before = tables.get(key)
  if (before !== undefined) return before
  const table = new Map<string, Taking>()
  for (const word of options.split(/\s+/)) {
    const [, name = '', mark] = /^(--?.+?)([:=?>+]?)$/.exec(word) ?? []
    const taking = mark === '' ? undefined : mark === '=' ? ':' : (mark as Taking)
    if (isWordStyle === true || name.startsWith('--')) table.set(name, taking)
    else for (const letter of name.slice(1)) table.set(`-${letter}`, taking)
  }
  tables.set(key, table)
  return table
}

/** Unquoted, a word that is not known yet may become several. */
const maySplit = (word: ShellWord): boolean => word.paths === undefined && (word.loose || word.bare.length > 0)

const mayBeOption = (word: ShellWord): boolean =>
  word.paths === undefined ? !/^[^*-]/.test(word.reach ?? '*') : word.paths.some((path) => path.startsWith('-'))

const longest = 4096 // characters of a word that is held against a shape
const fits = (shape: Pick<RegExp, 'test'>, text: string): boolean => text.length <= longest && shape.test(text)

const looksLikeOption = (value: string): boolean => /^-[^\d\s.]/.test(value)

/** Where only a number or a date is not known yet, any will do. */
function settled(word: ShellWord): ShellWord {
  const isNumber = word.value === undefined && word.paths?.length === 1 && word.paths[0] === word.reach?.replaceAll('*', '0')
  return isNumber ? { ...word, value: word.paths![0] } : word
}

/** `given`: the program or sub-command, and what follows. */
export function useOf(spec: Harmless, label: string, given: readonly ShellWord[], problemOf: ProblemOf): Use {
  const words = given.map(settled)
  const use: Use = { label, options: [], operands: [], writes: [], attached: [], spec }
  const table = tableOf(spec)
  let at = 1

  const doubt = (word: string): void => {
    use.problem ??= `${label} is not known to be harmless with ${quoted(word, 80)}`
  }

  function option(name: string, value: string | undefined, taking: Taking): void {
    use.options.push([name, value])
    const shape = spec.values?.[name]
    if (shape !== undefined && (value === undefined ? taking !== '?' : !fits(shape, value))) doubt(`${name} ${value ?? ''}`.trim())
    if (taking === '>') {
      if (value === undefined) doubt(name)
      else if (value !== '-') use.writes.push(value)
    }
  }

  /** The word that follows an option is its value. */
  function valueAfter(name: string, taking: Taking): void {
    const word = words[++at]
    const isOther =
      word?.value !== undefined &&
      looksLikeOption(word.value) &&
      !(spec.values?.[name] !== undefined && fits(spec.values[name], word.value))
    const isList = word?.paths !== undefined && word.value === undefined && mayBeOption(word)
    if (word === undefined || isOther || isList || maySplit(word)) doubt(word === undefined ? name : `${name} ${word.text}`)
    option(name, word?.value, taking)
    if (taking === '+') valueAfter(name, ':')
  }

  function letters(cluster: string): void {
    for (let index = 0; index < cluster.length; index++) {
      const name = `-${cluster[index]!}`
      const taking = table.get(name)
      if (!table.has(name) && !(table.has('-#') && /\d/.test(name)))
        return doubt(use.options.length > 0 || index > 0 ? name : `-${cluster}`)
      const value = cluster.slice(index + 1)
      if (taking === undefined) option(name, undefined, taking)
      else if (value !== '' || taking === '?') {
        use.attached.push(value)
        return option(name, value === '' ? undefined : value, taking)
      } else return valueAfter(name, taking)
    }
  }

  /** `--name`, `--name=value`. Of a negation nothing is asked but that it is one. */
  function named(text: string, value: string | undefined, isUnknown: boolean): void {
    const name = spec.isWordStyle === true ? text.replace(/^--/, '-') : text
    const taking = table.get(name)
    const isNegation = value === undefined && name.startsWith('--no-') && table.has(`--${name.slice(5)}`)
    if (!table.has(name) && !isNegation) return doubt(name)
    if (taking === undefined) return value === undefined && !isUnknown ? option(name, undefined, undefined) : doubt(`${name}=`)
    if (value === undefined && !isUnknown && taking !== '?') return valueAfter(name, taking)
    option(name, value, taking)
    if (isUnknown && spec.values?.[name] !== undefined) doubt(name)
  }

  function unknown(word: ShellWord): void {
    const [, name] = /^(--?[\w-]+)=/.exec(word.reach ?? '') ?? []
    if (maySplit(word)) doubt(word.text)
    else if (name !== undefined && (name.startsWith('--') || spec.isWordStyle === true)) named(name, undefined, true)
    else if (mayBeOption(word)) doubt(word.text)
    else operand(word)
  }

  function operand(word: ShellWord): void {
    use.operands.push(word)
    const texts = word.value !== undefined ? [word.value] : (word.paths ?? [(word.reach ?? '*').replaceAll('*', '\0')])
    if (texts.some((text) => spec.operands !== undefined && !fits(spec.operands, text))) doubt(word.text)
  }

  function runs(program: readonly ShellWord[]): void {
    if (spec.runs === 'program') use.program = program
    else use.problem ??= problemOf(program)
  }

  /** Options without a dash: their values follow one after the other. */
  function bundle(): void {
    const first = words[1]?.value ?? ''
    if (spec.isBundled !== true || first.startsWith('-') || words.length === 1) return
    if (first === '') return doubt(words[1]!.text)
    for (const letter of first)
      if (!table.has(`-${letter}`)) doubt(`-${letter}`)
      else if (table.get(`-${letter}`) === undefined) option(`-${letter}`, undefined, undefined)
      else valueAfter(`-${letter}`, table.get(`-${letter}`))
    at++
  }

  bundle()
  for (; at < words.length; at++) {
    const word = words[at]!
    const { value } = word
    if (value === '--') {
      const rest = words.slice(at + (typeof spec.rest === 'object' ? 0 : 1))
      if (spec.rest === 'free') use.operands.push(...rest)
      else if (spec.rest !== undefined) use.problem ??= useOf(spec.rest, label, rest, problemOf).problem
      else if (spec.runs !== undefined) runs(rest)
      else for (const one of rest) operand(one)
      break
    }
    if (value !== undefined && spec.also?.test(value) === true) continue
    const isOption = value !== undefined && value !== '-' && value.startsWith('-')
    if (!isOption && value !== undefined && spec.commands !== undefined) return inCommand(value)
    if (value === undefined) unknown(word)
    else if (!isOption) operand(word)
    else if (value.startsWith('--') || spec.isWordStyle === true) {
      const [, name = '', given] = /^([^=]*)(?:=([^]*))?$/.exec(value)!
      named(name, given, false)
    } else letters(value.slice(1))
    const isEnd =
      typeof spec.ends === 'string'
        ? use.options.some(([name]) => name === spec.ends)
        : spec.ends !== undefined && use.operands.length >= Number(spec.ends)
    if (isEnd || (spec.runs !== undefined && use.operands.length > 0)) {
      if (spec.runs !== undefined) runs(words.slice(at))
      use.operands.push(...words.slice(at + 1))
      break
    }
  }

  function inCommand(name: string): Use {
    const found = Object.hasOwn(spec.commands!, name) ? spec.commands![name]! : undefined
    if (found === undefined) {
      doubt(name)
      return use
    }
    const own =
      spec.isApart === true
        ? found
        : { ...found, options: `${spec.options ?? ''} ${found.options ?? ''}`, values: { ...spec.values, ...found.values } }
    const inner = useOf(own, `${label} ${name}`, words.slice(at), problemOf)
    const problem = use.problem ?? inner.problem
    return { ...inner, options: [...use.options, ...inner.options], ...(problem !== undefined && { problem }) }
  }

  const mayBeOptionFile = ({ value, paths, reach }: ShellWord): boolean =>
    [...(value === undefined ? (paths ?? [reach ?? '*']) : [value])].some((text) => /^[@*]/.test(text))
  const optionFile = spec.hasOptionFiles === true ? words.slice(1).find(mayBeOptionFile) : undefined
  if (optionFile !== undefined) doubt(optionFile.text)
  const isFed = spec.readsUnless !== undefined && use.operands.length === 0 && !use.options.some(([name]) => spec.readsUnless!.test(name))
  if (isFed) use.problem ??= `${label} runs what it reads`
  const second = spec.writesSecond === true ? use.operands[1] : undefined
  if (second !== undefined) use.writes.push(second.value ?? second.text)
  const harm = spec.check?.(use, problemOf)
  if (harm !== undefined) doubt(harm)
  return use
}
