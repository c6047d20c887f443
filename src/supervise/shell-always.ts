// What "always" means for a shell command: the words that say what it does, and then anything.
import type { SimpleCommand } from './shell-findings.ts'

/** How many words name the deed; one, where nothing is said. The longest that fits counts. */
const arity: Record<string, number> = {
  ...Object.fromEntries(
    'git npm pnpm yarn bun deno cargo go docker podman kubectl helm terraform gh glab aws gcloud az pip pip3 poetry uv brew apt systemctl make just dotnet mvn gradle rustup'
      .split(' ')
      .map((name) => [name, 2]),
  ),
  ...Object.fromEntries(
    [
      'npm run',
      'pnpm run',
      'yarn run',
      'bun run',
      'git remote',
      'git stash',
      'git worktree',
      'docker compose',
      'docker image',
      'gh pr',
      'gh issue',
      'gh repo',
      'gh run',
      'aws s3',
      'uv run',
      'cargo run',
      'go run',
    ].map((name) => [name, 3]),
  ),
}

/** They run whatever they are given, or do harm by an option: an "always" means this very command. */
const interpreters =
  /^(.*\/)?(sh|bash|dash|ash|ksh|zsh|fish|python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|gawk|sed|eval|exec|source|\.|npx|bunx|uvx|osascript|rm|sudo|doas|ssh|curl|wget|dd|chmod|chown|mv|cp|tee|ln|install|find|fd|tar|zip|rsync|scp|sftp|make|crontab|kill|pkill|killall|vi|vim|nvim|ex|ed|emacs|less|man|gdb|tclsh|expect|psql|sqlite3|mysql)$/

/** The same of a deed: what it is given is run, now or later. */
const runners = /^(git (config|submodule|bisect)|(npm|pnpm|yarn|bun) (exec|x|dlx|config|set-script)|(docker|podman|kubectl) (run|exec))$/

export function alwaysPattern({ text, words, reach, fed, doubt }: SimpleCommand): string | undefined {
  if (fed === true) return undefined
  const [name = ''] = words
  const exact = reach !== undefined || /[*?]/.test(text) ? undefined : text
  const count = arity[words.slice(0, 2).join(' ')] ?? arity[name] ?? 1
  const prefix = words.slice(0, count)
  const isPlain = name !== '' && prefix.length === count && prefix.every((word, index) => index === 0 || /^[\w@][\w:@./-]*$/.test(word))
  const runsAnything = prefix.some((word) => interpreters.test(word)) || runners.test(words.slice(0, 2).join(' '))
  return isPlain && !runsAnything && doubt === undefined ? `${prefix.join(' ')} *` : exact
}
