// What a command prints, as far as it matters where its output becomes a word: names of files below folders that are judged already,
// or a number, a date, a hash. Anything else is not known before it runs.
import type { Command, CommandNode, ParsedScript } from 'unbash'
import { readWord, type Surroundings } from './shell-words.ts'

/** Stands for a name below the folder, which may begin with a dash: what else stands in the word is still judged. */
const someName = '-x'
/** What find prints begins with the folder that it is given. */
const foundName = './x'
const someNumber = '0'

/** They print what they read, or less of it. */
const filters = new Set(['head', 'tail', 'sort', 'uniq', 'grep', 'egrep', 'fgrep', 'cat', 'tac', 'shuf'])
const numbers = /^(wc|nproc|date|uname|whoami|id|hostname|arch|getconf|tput|seq|expr)$/
const plainGit =
  /^(rev-parse (--short |--abbrev-ref |--short=\d+ )?[\w@{}^~-]+|branch --show-current|describe( --[\w-]+)*|rev-list --count [\w.]+|merge-base [\w@/.][\w@/.~^-]* [\w@/.][\w@/.~^-]*)$/
const names = /^(find|fd|fdfind)$/
const namesByOption: Record<string, RegExp> = {
  rg: /^(-[a-zA-Z]*l[a-zA-Z]*|--files|--files-with-matches)$/,
  grep: /^(-[a-zA-Z]*[lL][a-zA-Z]*|--files-with-matches)$/,
}

/** All that it may be, as texts to put into a path; undefined: anything. */
export function outputOf(script: ParsedScript | undefined, around: Surroundings): string[] | undefined {
  const statement = script?.commands.length === 1 ? script.commands[0] : undefined
  const node = statement?.command
  if (node === undefined || node.type === 'AndOr') return undefined
  return printedBy(node.type === 'Pipeline' ? node.commands : [node], around)
}

export function printedBy(commands: readonly CommandNode[], around: Surroundings): string[] | undefined {
  const all = commands.map((command) => (command.type === 'Command' ? wordsOf(command, around) : undefined))
  const last = all.at(-1)
  if (last === undefined) return undefined
  const [name = '', ...rest] = last
  if (numbers.test(name) && rest.every((word) => /^[\w+%:.=~^ -]*$/.test(word))) return [someNumber]
  if (name === 'wc') return [someNumber]
  if (all.length > 1 && filters.has(name) && !rest.some((word) => /^-[a-zA-Z]*f/.test(word) || word.includes('/')))
    return printedBy(commands.slice(0, -1), around)
  if (all.length > 1) return undefined
  if (name === 'pwd' && rest.length === 0) return around.folder === undefined ? undefined : [around.folder]
  if (name === 'git' && plainGit.test(rest.join(' '))) return [someNumber]
  const isNames =
    (names.test(name) && !rest.some((word) => /^-(exec|ok|f?printf|fls|fprint)/.test(word))) ||
    rest.some((word) => (Object.hasOwn(namesByOption, name) ? namesByOption[name]! : /^$/).test(word)) ||
    (name === 'ls' && rest.every((word) => !/^-[a-zA-Z]*[aAl]|^--/.test(word))) ||
    (name === 'git' && rest[0] === 'ls-files') ||
    (name === 'git' && /^(diff|show|log|diff-tree)$/.test(rest[0] ?? '') && rest.includes('--name-only') && !rest.includes('--no-index'))
  return isNames ? [name === 'find' ? foundName : someName] : undefined
}

function wordsOf(command: Command, around: Surroundings): string[] | undefined {
  if (command.name === undefined) return undefined
  const words = [command.name, ...command.args.flatMap((part) => (part.type === 'Word' ? [part] : []))]
  return words.map((word) => readWord(word, { home: around.home, folder: around.folder }).value ?? word.text)
}
