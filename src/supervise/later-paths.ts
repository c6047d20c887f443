// Command lines that make the link which they then follow: a path is judged before the line runs, and leads elsewhere by then. What opens
// files after a command that can bring links is asked about; as a call of its own it is judged when the links are there.
import type { SimpleCommand } from './shell-findings.ts'

const gitBrings =
  /^(checkout|switch|pull|merge|rebase|reset|restore|stash|apply|am|cherry-pick|revert|clone|worktree|submodule|read-tree|checkout-index|bisect|sparse-checkout)$/
const brings = new Set('ln tar bsdtar unzip 7z 7za cpio rsync patch mv cp install pax ar symlink link'.split(' '))
/** They make folders and files, but no link from what others wrote. */
const newBranch = /^git (checkout -[bB]|switch -[cC]|checkout --orphan) [^ ]+$/

/** Programs that take words, or build and test what the project is made of. Any other may open what it is given. */
const takesWords = new Set(
  `echo printf true false : test [ [[ (( sleep date kill wait exit return break continue shift export set unset read local pwd mkdir which type whoami
  uname seq basename dirname nproc npm pnpm yarn bun cargo go make docker podman kubectl gh pytest tox tsc eslint vitest jest ruff mypy gradle gradlew mvn
  dotnet uv poetry bundle rake composer cmake ctest ninja pip pip3 env timeout nice time nohup stdbuf xargs`.split(/\s+/),
)
/** Of git, what reads a file that is named, and not what the repository holds of it. */
const gitOpens =
  /^(hash-object|apply|am|config|mailinfo|check-attr|--no-index|-[a-zA-Z]*[Ff]|--file|--contents|--output|-o|--ignore-revs-file|--pathspec-from-file)(=|$)/
const gitForces = /^(checkout|switch|push|fetch|clean|rm|branch|tag|add|mv|worktree)$/

const baseOf = ({ words }: Pick<SimpleCommand, 'words'>): string => (words[0] ?? '').replace(/^.*\//s, '').toLowerCase()
const canBring = (command: SimpleCommand): boolean => {
  const base = baseOf(command)
  if (base !== 'git') return brings.has(base)
  const rest = (command.alias ?? command.text).split(' ').slice(1)
  return gitBrings.test(rest[0] ?? '') && !newBranch.test(command.text)
}

function opens({ words, text, alias }: SimpleCommand): boolean {
  const rest = (alias ?? text).split(' ').slice(1)
  const base = baseOf({ words: words[0] === 'npx' && rest[0]?.startsWith('-') === false ? words.slice(1) : words })
  if (base === 'git') return rest.some((word) => gitOpens.test(word)) && !(gitForces.test(rest[0] ?? '') && !rest.includes('--no-index'))
  return base !== '' && !takesWords.has(base) && rest.some((word) => word !== '' && !word.startsWith('-')) // else it reads its input
}

/** Commands that may open what an earlier one has put there. In a loop or beside each other, each may be the later one. */
export function openedLater(commands: readonly SimpleCommand[], text: string): string[] {
  const isOrdered = !/\b(for|while|until|select|function|coproc)\b|\(\)|(^|[^&>])&($|[^&>\d])/.test(text)
  const first = commands.findIndex(canBring)
  if (first < 0) return []
  return commands.flatMap((command, index) => {
    const isAfter = isOrdered ? index > first : commands.some((other) => other !== command && canBring(other))
    return isAfter && opens(command) ? [command.text] : []
  })
}

/** It reads or writes a file by a redirect, beside something that can bring links. */
export const reachedLater = (commands: readonly SimpleCommand[], files: readonly string[]): readonly string[] =>
  commands.length > 1 && commands.some(canBring) ? files : []
