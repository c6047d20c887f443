// What git runs by its options and its settings: none of it may hide behind an allowed `git *`.
import type { ShellWord } from './shell-words.ts'

type Call = { before: string[]; command: string; rest: string[]; at: number }

const valued = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)$/

function callOf(words: readonly ShellWord[]): Call {
  const values = words.slice(1).map((word) => word.value ?? '')
  let at = 0
  while (values[at]?.startsWith('-') === true) at += valued.test(values[at]!) && values[at] !== '--exec-path' ? 2 : 1
  return { before: values.slice(0, at), command: values[at] ?? '', rest: values.slice(at + 1), at: at + 1 }
}

/** The same without the options before the command, so that a rule for `git push *` speaks of `git -C x push` as well. */
export function gitPlain(words: readonly ShellWord[]): readonly ShellWord[] {
  const { at } = callOf(words)
  return [...words.slice(0, 1), ...words.slice(at)]
}

/** Commands whose work it is to run a program, or to tell a password. */
const runners: ReadonlySet<string> = new Set(
  'filter-branch difftool mergetool for-each-repo send-email instaweb web--browse shell hook credential gui citool daemon remote-ext'.split(
    ' ',
  ),
)

/** Options may be cut short as long as they are the only ones that begin so. */
const anywhere = /^--(upl|rece|exec|ext|op(e|$|=)|unsafe-p)|^--(up?|exe?)(=|$)|^ext::/

export function gitRuns(words: readonly ShellWord[]): boolean {
  const { before, command, rest } = callOf(words)
  const has = (option: RegExp): boolean => rest.some((value) => option.test(value))
  if (before.some((value, index) => isSteering(value, before[index + 1])) || runners.has(command) || has(anywhere)) return true
  switch (command) {
    case 'bisect':
      return rest[0] === 'run'
    case 'submodule':
      return rest.includes('foreach')
    case 'rebase':
      return has(/^-[a-z]*x/)
    case 'grep':
      return has(/^-[A-Za-z]*O/)
    case 'clone':
      return has(/^-[vqnls46]*[uc]|^--(conf|te)/)
    case 'init':
      return has(/^--te/)
    case 'config':
      return setsProgram(rest)
    default:
      return false
  }
}

/** A setting for this once, or a repository of which nobody knows what its settings say. */
function isSteering(option: string, next = ''): boolean {
  const folder = /^--git-dir(?:=(.*))?$/.exec(option)
  return folder === null ? /^-c|^--(config-env|exec-path=|bare)/.test(option) : !/(^|\/)\.git\/?$/.test(folder[1] ?? next)
}

/** Settings that name no program, no file and no address. */
const harmless =
  /^(user\.(name|email)|init\.defaultbranch|(color|advice|column|rerere|fetch|pull|push|status|branch|log|merge|rebase|commit|tag|diff|core|feature|index|help)\.[\w.-]+)$/i
const named =
  /^(core\.(?!(autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|longpaths|abbrev|symlinks|precomposeunicode|bare|compression)$)|diff\.(external|.+\.)|merge\.(.+\.|tool|guitool)|help\.(browser|format|htmlpath)|commit\.template|rebase\.instructionformat|fetch\.bundleuri)/i
const reads =
  /^(--(get|list|show|name-only|null|type|bool|int|path|expiry-date|unset|global|local|system|worktree|includes|no-includes|default)|-[lz]$)/

/** A key with a value, or anything but a look and a plain setting. */
function setsProgram(rest: readonly string[]): boolean {
  const isFile = (value: string | undefined): boolean => value === '-f' || value === '--file'
  const words = rest.filter(
    (value, index) => !/^--(global|local|worktree|file=.*)$/.test(value) && !isFile(value) && !isFile(rest[index - 1]),
  )
  const [first = ''] = words
  if (/^(get|list|unset)$/.test(first) || /^--(get|list|unset)|^-l$/.test(first))
    return words.some((value) => /^--(add|replace|edit|rename)/.test(value))
  const operands = words.filter((value) => !value.startsWith('-') && value !== 'set')
  if (words.some((value) => value.startsWith('-') && !reads.test(value) && !/^--(add|replace-all)$/.test(value))) return true
  if (operands.length < 2) return first === 'edit'
  return !harmless.test(operands[0]!) || named.test(operands[0]!)
}

/** Files that an option makes git write. */
export function gitWrites(words: readonly ShellWord[]): number[] {
  const { command, at } = callOf(words)
  const isOption = (value: string): boolean => value === '--output' || (command === 'archive' && value === '-o')
  return words.flatMap(({ value }, index) => (index > at && isOption(value ?? '') ? [index + 1] : []))
}
