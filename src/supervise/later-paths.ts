// Command lines that make the link which they then follow: a path is judged before the line runs, and leads elsewhere by then. What opens
// files after a command that can bring links is asked about; as a call of its own it is judged when the links are there.
import type { SimpleCommand } from './shell.ts'

const gitBrings =
  /^(checkout|switch|pull|merge|rebase|reset|restore|stash|apply|am|cherry-pick|revert|clone|worktree|submodule|read-tree|checkout-index|bisect|sparse-checkout)$/
const brings = new Set('ln tar bsdtar unzip 7z 7za cpio rsync patch mv cp install pax ar symlink link'.split(' '))
/** They make folders and files, but no link from what others wrote. */
const newBranch = /^git (checkout -[bB]|switch -[cC]|checkout --orphan) [^ ]+$/

/** Programs that open, run or go to what they are given. Others (`npm test`, `git log`) take words. */
const openers = new Set(
  `cat head tail less more nl tac rev od xxd hexdump strings base64 base32 wc sort uniq cut paste join comm diff cmp grep egrep fgrep rg ag sed awk
  gawk jq yq cp mv tee dd touch truncate chmod chown rm ln install rsync scp tar zip unzip gzip gunzip zcat bzip2 xz curl wget source . sh bash dash
  zsh ksh node python python3 perl ruby php deno bun cd pushd find ls stat file readlink realpath md5sum sha1sum sha256sum cksum vi vim nano ed patch
  split csplit column fold fmt iconv bat open xdg-open`.split(/\s+/),
)

const baseOf = ({ words }: SimpleCommand): string => (words[0] ?? '').replace(/^.*\//s, '').toLowerCase()
const canBring = (command: SimpleCommand): boolean => {
  const base = baseOf(command)
  if (base !== 'git') return brings.has(base)
  const rest = (command.alias ?? command.text).split(' ').slice(1)
  return gitBrings.test(rest[0] ?? '') && !newBranch.test(command.text)
}

/** The words after options: without one, it reads its input. */
const hasOperand = ({ text }: SimpleCommand): boolean =>
  text
    .split(' ')
    .slice(1)
    .some((word) => word !== '' && !word.startsWith('-'))

/** Commands that may open what an earlier one has put there. In a loop or beside each other, each may be the later one. */
export function openedLater(commands: readonly SimpleCommand[], text: string): string[] {
  const isOrdered = !/\b(for|while|until|select|function|coproc)\b|\(\)|(^|[^&>])&($|[^&>\d])/.test(text)
  const first = commands.findIndex(canBring)
  if (first < 0) return []
  return commands.flatMap((command, index) => {
    const isAfter = isOrdered ? index > first : commands.some((other) => other !== command && canBring(other))
    return isAfter && openers.has(baseOf(command)) && hasOperand(command) ? [command.text] : []
  })
}

/** It writes a file beside something that can bring links. */
export const writtenLater = (commands: readonly SimpleCommand[], writes: readonly string[]): readonly string[] =>
  commands.length > 1 && commands.some(canBring) ? writes : []
