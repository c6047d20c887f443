// Commands of the shell itself: which do no harm, which change what a later command means, and what a shell is told to run.
import { isHarmlessVariable, isOwnVariable, type ShellWord } from './shell-words.ts'

/** They need no leave of their own beside another command. */
export const freeBuiltins: ReadonlySet<string> = new Set(
  'cd true false : exit return break continue shift wait test [ read set pwd local readonly'.split(' '),
)

const changers = new Set(
  'alias unalias enable hash shopt bind complete compgen compopt let declare typeset fc history mapfile readarray getopts ulimit umask caller'.split(
    ' ',
  ),
)

/** Behind a word that may turn out to be `-v`, it is run where it is the name of an element. */
const mayBeElement = (word: ShellWord | undefined): boolean => word !== undefined && (word.value === undefined || word.value.includes('['))

/** Why a builtin makes the rest unknowable. */
export function builtinProblem(name: string, words: readonly ShellWord[], isOpen: boolean): string | undefined {
  const values = words.slice(1).map((word) => word.value)
  const every = (test: (value: string) => boolean): boolean => !isOpen && values.every((value) => value !== undefined && test(value))
  const unless = (fine: boolean): string | undefined => (fine ? undefined : `${name} changes what later commands mean`)
  if (changers.has(name)) return unless(false)
  switch (name) {
    case 'set':
      return unless(every((value) => /^[-+][euxvf]+$|^[-+]e?u?o$|^(pipefail|errexit|nounset|xtrace)$/.test(value)))
    case 'export':
      return unless(every((value) => isHarmlessVariable(value.replace(/=.*/s, ''), /=(.*)/s.exec(value)?.[1])))
    case 'local':
    case 'readonly':
      return unless(words.slice(1).every((word) => isOwnVariable(word.text.replace(/=.*/s, ''))))
    case 'read':
      return unless(every((value) => /^-[rs]+$/.test(value) || isOwnVariable(value)))
    case 'unset':
    case 'wait':
      return unless(every((value) => isOwnVariable(value) || /^\d+$/.test(value)))
    case 'printf':
      return unless(!isOpen && (values[0] === undefined ? values.length === 0 : !values[0].startsWith('-')))
    case 'test':
    case '[':
      return unless(
        !isOpen &&
          !values.some((value) => value === '-v' || value === '-R') &&
          !words.slice(1).some((word) => word.bare.length > 0 && !word.bare.every((variable) => /^[?#]$/.test(variable))) &&
          !words.slice(1).some((word, index) => word.value === undefined && mayBeElement(words[index + 2])),
      )
    case '.':
    case 'source':
      return values[0] === undefined || isOpen ? `${name} runs a file that is not known` : undefined
    default:
      return undefined
  }
}

/** What a shell runs: a text (`-c`), or a file, or, without a word, its standard input. Undefined: it cannot be told. */
export function shellOperand(words: readonly ShellWord[]): { how: 'text' | 'file'; word: ShellWord | undefined } | undefined {
  let how: 'text' | 'file' = 'file'
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    const value = word.value
    if (value === undefined) return word.text.startsWith('-') ? undefined : { how, word }
    if (value === '--' || value === '-') return { how, word: words[at + 1] }
    if (!/^[-+]/.test(value)) return { how, word }
    if (value === '-s') return words.length === at + 1 ? { how, word: undefined } : undefined
    if (/^--(norc|noprofile|posix)$/.test(value)) continue
    if (!/^[-+][ceuxvfl]*o?$/.test(value)) return undefined
    if (value.startsWith('-') && value.includes('c')) how = 'text'
    if (value.endsWith('o') && !/^(pipefail|errexit|nounset|xtrace)$/.test(words[++at]?.value ?? '')) return undefined
  }
  return how === 'text' ? undefined : { how, word: undefined }
}
