// Runs ripgrep in a folder and reads its lines until there are enough. It follows no link, skips .git and what .gitignore names.
import { join } from 'node:path'
import { createLineReader } from './lines.ts'
import { startGroup } from '../../process/group.ts'
import { type ToolContext, ToolError } from './tool.ts'

export type Search = { lines: string[]; more: boolean }
/** Arguments are ripgrep's own; nothing of them may come from a model unless it stands after a name with `=`. */
export type SearchOptions = {
  args: readonly string[]
  folder: string
  most: number
  signal: AbortSignal
  /** False: the line is passed over. */
  keep?(line: string): boolean
}

const common = ['--no-config', '--hidden', '--no-messages', '--color=never']
const longestLine = 10_000
const timeoutMs = 60_000

export async function search({ args, folder, most, signal, keep = () => true }: SearchOptions, context: ToolContext): Promise<Search> {
  signal.throwIfAborted()
  if (args.some((arg) => arg.includes('\0'))) throw new ToolError('the pattern holds a NUL character; leave it out')
  const areNames = args.includes('--files') // they may hold line breaks
  const all = [...common, ...(areNames ? ['--null'] : []), ...args]
  const group = await startGroup({ file: await findRipgrep(), args: all, cwd: folder, env: context.env })
  const lines: string[] = []
  let errors = ''
  let isLate = false
  const stop = (): void => void group.end()
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop)
  try {
    const take = (line: string): boolean => {
      if (keep(line)) lines.push(line)
      return lines.length <= most
    }
    const reader = createLineReader(longestLine, take, areNames ? '\0' : '\n')
    group.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(0, 2000)))
    for await (const chunk of group.stdout) {
      reader.push(chunk as Buffer)
      if (lines.length > most) break
    }
    reader.end()
    const isEnough = lines.length > most
    const [{ code }] = isEnough ? [{ code: 0 }] : await Promise.all([group.exited, group.drained])
    signal.throwIfAborted()
    if (isLate) throw new ToolError(`the search took longer than ${timeoutMs / 1000} s; name a smaller folder`)
    if (code === 127) throw new ToolError('ripgrep (rg) is not installed; install it, or search with a command')
    if (code === null) throw new ToolError('the search was ended from outside; search again')
    if (code !== 0 && code !== 1 && lines.length === 0 && errors !== '') throw new ToolError(`the search failed: ${errors.trim()}`)
    return { lines: lines.slice(0, most), more: isEnough }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await group.end()
  }
}

/** How many files of a folder a search leaves out since they may hold secrets. */
export async function countSecrets(options: Pick<SearchOptions, 'folder' | 'signal'>, context: ToolContext): Promise<number> {
  if (context.secretGlobs.length === 0) return 0
  const args = ['--files', ...context.secretGlobs.map((glob) => `--iglob=${glob.replace(/^!/, '')}`), '--glob=!.git']
  return (await search({ ...options, args, most: 1000 }, context)).lines.length
}

/** Passes over files that may hold secrets, and tells how many there were: the globs do not know what the folder itself is called. */
export function secretFilter(folder: string, fileOf: (line: string) => string, { isSecret }: ToolContext) {
  const found = new Set<string>()
  return {
    keep(line: string): boolean {
      const path = join(folder, fileOf(line))
      if (isSecret(path)) found.add(path)
      return !found.has(path)
    },
    count: (): number => found.size,
  }
}

/** A name with line breaks would be read as several. */
export const oneLine = (path: string): string => (path.includes('\n') ? JSON.stringify(path) : path)

export const withoutSecrets = ({ secretGlobs }: ToolContext): string[] => secretGlobs.map((glob) => `--iglob=${glob}`)

export const secretsNote = (count: number): string[] =>
  count === 0 ? [] : [`[${count} file${count === 1 ? '' : 's'} that may hold secrets left out; name one to look into it]`]

/** The one that comes with us, else the one on the PATH. */
export async function findRipgrep(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch {
    return 'rg'
  }
}
