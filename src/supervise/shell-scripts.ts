// The scripts of sed and awk, which run programs and open files without a word of the shell: what they do beside changing text.
import type { ShellWord } from './shell-words.ts'

/** `problem`: it runs something, or what it does cannot be told. `script`: the words that are no files then. */
export type ScriptUse = { reads: string[]; writes: string[]; script?: readonly string[]; problem?: string }

const tells: ScriptUse = { reads: [], writes: [], problem: 'its script runs something, or cannot be read' }
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

/** Strings, regular expressions and comments are no code. A slash begins an expression only where no value stands before it. */
const awkToken = /"(?:\\[^]|[^"\\])*"|#[^\n]*|(?<=(?:^|[(,~!&|{};\n])\s*)\/(?:\\.|\[\]?(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*\//g

function awkScript(script: string): ScriptUse {
  if (script.length > longest) return tells
  const code = script.replaceAll(awkToken, '0')
  return /[\0"@]|\bARGV\b|\bsystem\b|\bgetline\b|(^|[^|])\|([^|]|$)|\bprintf?\b[^;}\n]*>/.test(code) ? tells : { reads: [], writes: [] }
}

/** What the script of a sed or awk does; undefined: the program is neither. */
export function scriptUse(base: string, words: readonly ShellWord[]): ScriptUse | undefined {
  const values = words.slice(1).map((word) => word.value ?? '\0') // what is not known is no script that can be read
  if (/^g?sed$/.test(base)) return sedUse(values)
  return /^[gmn]?awk$/.test(base) ? awkUse(values) : undefined
}

const unknownScript: ScriptUse = { reads: [], writes: [], problem: 'it runs a script that is not known' }

/** Options may stand behind the operands, too. */
function sedUse(values: readonly string[]): ScriptUse {
  const scripts: string[] = []
  const operands: string[] = []
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    const script = /^-[bEnrsuz]*e([^]*)$|^--e\w*(?:=([^]*))?$/.exec(value)
    if (value === '--') {
      operands.push(...values.slice(at + 1))
      break
    }
    if (script !== null) scripts.push(script[1] || script[2] || (values[++at] ?? ''))
    else if (/^-[bEnrsuz]*f|^--fi/.test(value)) return unknownScript
    else if (/^-[bEnrsuz]*l$|^--line-length$/.test(value)) at++
    else if (!/^-./.test(value) && value !== '') operands.push(value) // `-i ''` is the way of another sed
  }
  const all = scripts.length > 0 ? scripts : operands.slice(0, 1)
  return { ...sedScript(all.join('\n')), script: all }
}

/** The first operand ends the options. */
function awkUse(values: readonly string[]): ScriptUse {
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    const script = value === '--' ? (values[at + 1] ?? '') : value
    if (value === '--' || !/^-./.test(value)) return { ...awkScript(script), script: [script] }
    if (/^-[Fv]$|^--(field-separator|assign)$/.test(value)) at++
    else if (!/^-[FvW]|^--/.test(value) && /[eEfildDop]/.test(value)) return unknownScript
    else if (/^-W|^--(fil|inc|loa|exe|so|du|de|pr)/.test(value)) return unknownScript
  }
  return awkScript('')
}
