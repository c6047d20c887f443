// Words that are no paths: what programs print, compare, send or pass on to a script of the project.
import type { ShellWord } from './shell-words.ts'

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/))

/** None of their words is a file. Their wildcards are still looked at, for they list names. */
const talkers = setOf('echo printf true false : exit return break continue shift sleep seq set kill basename dirname expr')

/** They do not read the file that a word which is not known yet may name. */
const deaf = setOf('test [ npm pnpm yarn bun docker podman kubectl make export local readonly declare unset pkill pgrep killall which type')

const deafGit = setOf(
  'commit checkout switch branch merge rebase push pull fetch tag cherry-pick revert log rev-parse merge-base describe rev-list stash',
)

/** Options whose value is a text. */
const textOptions: Record<string, RegExp> = {
  git: /^(-[a-z]*m|--message|--author|--date|--grep|--format|--pretty|-S|-G)$/,
  gh: /^(-t|--title|-b|--body|-l|--label|-R|--repo|-H|--head|-B|--base|-q|--jq|--search|--notes)$/,
  jq: /^--(arg|argjson)$/,
  curl: /^(-H|--header|-A|--user-agent|-X|--request|-u|--user)$/,
}
const patternFirst = setOf('grep egrep fgrep rg')

export const isTalk = (base: string, word: ShellWord): boolean =>
  talkers.has(base) && !word.glob && !(word.loose && /\b(echo|printf)\b[^]*[*?[]/.test(word.text))

/** Of a word that only the run knows: it leads to no file here. */
export function isText(base: string, words: readonly ShellWord[], index: number): boolean {
  const word = words[index]!
  if (word.glob) return false
  if (base === 'git' && /^(-[a-zA-Z]*F|--file|--pathspec-from-file)$/.test(words[index - 1]?.value ?? '')) return false
  if (base === 'psql' && !/^(-[a-zA-Z]*[foL]|--(file|output|log-file))$/.test(words[index - 1]?.value ?? '')) return true
  if (deaf.has(base) || (base === 'git' && deafGit.has(words[0]?.value ?? ''))) return true
  const before = words[index - 1]?.value ?? ''
  const option = Object.hasOwn(textOptions, base) ? textOptions[base]! : undefined
  if (option !== undefined) {
    const isAtFile = base === 'curl' && !/^"?[^$`@"]/.test(word.text)
    if (option.test(before) && !isAtFile) return true
    if (option.test(/^(-{1,2}[\w-]+)=/.exec(word.text)?.[1] ?? '')) return true
    if (base === 'jq' && option.test(words[index - 2]?.value ?? '')) return true
  }
  const isFirst = words.slice(0, index).every(({ value }) => /^-[^f]*$/.test(value ?? ''))
  if (patternFirst.has(base) && isFirst) return true
  return base === 'curl' && /^"https?:\/\/|^https?:\/\/[\w.:[\]-]+\//.test(word.text)
}
