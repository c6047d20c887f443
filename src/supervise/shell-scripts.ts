// Scripts in arguments, of sed, awk, jq and databases, which run programs and open files without a word of the shell: what they do beside
// changing text.
import { awkScript } from './awk-script.ts'
import type { ScriptLanguage, Use } from './harmless.ts'

/** `problem`: it runs something, or what it does cannot be told. `script`: the words that are no files then. */
export type ScriptUse = { reads: string[]; writes: string[]; script?: readonly string[]; problem?: string }

const tells: ScriptUse = { reads: [], writes: [], problem: 'its script may run or open something' }
const longest = 4096 // characters of a script

/** Goes through the commands of a script as GNU sed does. */
function sedScript(script: string): ScriptUse {
  if (script.length > longest) return tells
  const found: ScriptUse = { reads: [], writes: [] }
  const { isOver, skip, section } = createScanner(script)

  /** Undefined: it has no end. */
  function address(): true | undefined {
    if (skip(/(\d+|\$)(~\d+)?/y) !== '') return true
    const mark = skip(/\/|\\[^\n]/y).at(-1)
    if (mark === undefined) return true
    if (!section(mark, true)) return undefined
    skip(/[IM]*/y)
    return true
  }

  for (skip(/[\s;{}]*/y); !isOver(); skip(/[\s;{}]*/y)) {
    if (address() === undefined) return tells
    if (skip(/\s*,\s*/y) !== '' && skip(/[+~]\d+/y) === '' && address() === undefined) return tells
    skip(/[\s!]*/y)
    const command = skip(/[^]/y)
    if (command === '{') continue
    if (command === 's' || command === 'y') {
      const mark = skip(/[^\\\n]/y)
      if (mark === '' || !section(mark, command === 's') || !section(mark, false)) return tells
      if (command === 's') skip(/[gpiImM\d]*/y)
      if (command === 's' && skip(/w/y) !== '') found.writes.push(skip(/.*/y).trim())
    } else if (/^[wW]$/.test(command)) found.writes.push(skip(/.*/y).trim())
    else if (/^[rR]$/.test(command)) found.reads.push(skip(/.*/y).trim())
    else if (/^[aic]$/.test(command)) skip(/(\\[^]|[^\\\n])*/y)
    else if (command === '#') skip(/.*/y)
    else if (/^[btT:]$/.test(command)) skip(/[ \t]*[^\s;}]*/y)
    else if (/^[qQlL]$/.test(command)) skip(/[ \t]*\d*/y)
    else if (!/^[dDgGhHnNpPxzF=]$/.test(command)) return tells
    skip(/[ \t]*/y)
    if (!isOver() && skip(/(?=[\n;}#])[^]?/y) === '') return tells
  }
  return found
}

function createScanner(script: string) {
  let at = 0

  /** What stands here, and goes on behind it. */
  function skip(what: RegExp): string {
    what.lastIndex = at
    const found = what.exec(script)?.[0] ?? ''
    at += found.length
    return found
  }

  return {
    isOver: (): boolean => at >= script.length,
    skip,
    /** Goes on behind the next mark that is neither quoted nor in a set. False: there is none, or it cannot be told which it is. */
    section(mark: string, hasSets: boolean): boolean {
      for (; at < script.length; at++) {
        const here = script[at]
        if (here === mark) return ++at > 0
        if (here === '\\') at++
        else if (here === '[' && hasSets) {
          const set = skip(/\[\^?\]?(\[[:.=][^\]]*\]|[^\]])*\]/y)
          if (set === '' || /\\\]/.test(set)) return false
          at--
        }
      }
      return false
    },
  }
}

const plain: ScriptUse = { reads: [], writes: [] }

/** What is not known, or too long, is no script that can be read. */
const readable = (value: string | undefined): string => (value === undefined || value.length > longest ? '\0' : value)
const texts = ({ operands }: Use): string[] => operands.map(({ value }) => readable(value))
const given = ({ options }: Use, ...names: string[]): string[] =>
  options.flatMap(([name, value]) => (names.includes(name) ? [readable(value)] : []))

/** Other files, the environment, and what is put together from them. */
const jqReaches = /\0|\$(\s|#|ENV|__)|(?<![."\w])((env|input_filename|modulemeta|get_search_list)\b(?!")|(import|include)\b)/
const yqReaches = /\0|\$ENV|(?<![."\w])(env|strenv|envsubst|load\w*|system|import|include|filename|input_filename)\b(?!")/

/** Commands of the program itself run and write; in SQL, some functions and statements do. */
const sqliteHarm =
  /\0|(^|\n)[ \t]*\.(?!(tables|schema|indexes|indices|databases|headers? (on|off)|mode \w+|width [\d ]+|dbinfo|stats|show|quit|exit|help|version|dump)\b[^|;]*$)|\b(load_extension|readfile|writefile|fts3_tokenizer|fsdir|zipfile|attach)\b|\bedit["`\]]?\s*(\(|\/\*|--)|\bvacuum\b[^]*\binto\b/im
const sqlHarm =
  /\0|\\(?!(d[\w+]*|l\+?|dt\+?|conninfo|timing|x|q|h)(\s|$))|\bprogram\b|\bcopy\b|\blo_(import|export)\b|\bpg_\w*(file|ls|execute)\w*/i

const languages: Record<ScriptLanguage, (use: Use) => ScriptUse> = {
  sed(use) {
    const scripts = given(use, '-e', '--expression')
    const all =
      scripts.length > 0
        ? scripts
        : texts(use)
            .filter((text) => text !== '')
            .slice(0, 1) // `-i ''` is the way of another sed
    return { ...sedScript(all.join('\n')), script: all }
  },
  awk(use) {
    const script = texts(use).slice(0, 1)
    return script.every((text) => text.length <= longest && awkScript(text)) ? { ...plain, script } : tells
  },
  jq: (use) => first(use, jqReaches),
  yq: (use) => (texts(use).some((text) => yqReaches.test(text)) ? tells : first(use, yqReaches)), // it may have a sub-command
  sqlite: (use) =>
    texts(use)
      .slice(1)
      .some((text) => sqliteHarm.test(text)) || use.operands.length < 2
      ? tells
      : plain,
  psql(use) {
    const scripts = given(use, '-c', '--command')
    const isOther = use.options.some(([name]) => /^(-l|--list|--version|--help)$/.test(name))
    return (scripts.length === 0 && !isOther) || scripts.some((text) => sqlHarm.test(text)) ? tells : plain
  },
}

/** The first operand is the script. */
function first(use: Use, reaches: RegExp): ScriptUse {
  const script = texts(use).slice(0, 1)
  return script.some((text) => reaches.test(text)) ? tells : { ...plain, script }
}

/** What the script of such a program does; undefined: it has none. */
export const scriptUse = (use: Use | undefined): ScriptUse | undefined =>
  use?.spec.script === undefined ? undefined : languages[use.spec.script](use)
