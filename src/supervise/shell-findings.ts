// What is found while a shell command is taken apart, and the folders it may be in at each point.
import { absolute, pathsIn } from './shell-paths.ts'
import { outputOf } from './shell-output.ts'
import { type ShellWord, type Surroundings, tamed, type Value } from './shell-words.ts'

export type SimpleCommand = {
  /** What a rule is matched against. */
  text: string
  /** The same command by another name (`/bin/rm x` is `rm x`): a deny of it counts as well. */
  alias?: string
  /** All that the text may become when the shell has expanded it, as a pattern; absent when there is nothing to expand. */
  reach?: string
  /** Part of the shell, and harmless beside another command: `cd`, `true`, `[`. */
  free?: boolean
  /** It runs what it reads, and its text does not say what that is. */
  fed?: true
  /** Why a rule with a wildcard does not cover it: only one for everything does, or for this very command. */
  doubt?: string
  /** Its words as far as they are plain, for an "always" rule. */
  words: readonly string[]
}

/** Absolute, not tidied: only the file system knows where a `..` behind a link leads. `glob`: it holds wildcards of the shell. */
export type PathUse = {
  path: string
  glob: boolean
  /** It may be replaced as a whole. */
  moved?: boolean
  /** The command that runs hooks if this is a repository. */
  runs?: string
  /** Where the word begins if it begins with a wildcard: a name that begins with a dash becomes an option. */
  loose?: number
}

export type Analysis = {
  commands: readonly SimpleCommand[]
  /** Files and folders that words may name. */
  paths: readonly PathUse[]
  /** Files that redirects and options write. */
  writes: readonly string[]
  /** Words by which redirects read. */
  reads: readonly string[]
  /** Words that may name any file. */
  unknown: readonly string[]
  /** It may make a file whose name begins with a dash. */
  dashed: boolean
  /** Why it cannot be known what it does. */
  opaque?: string
  /** Why it must not run at all. */
  invalid?: string
}

/** Scripts within scripts, and programs that run programs. */
export const deepest = 24
const mostCommands = 1000
const mostPaths = 2000
export const mostWords = 2000 // of one command
const longestPath = 8192
const mostFolders = 8

/** The folders that are possible here; undefined: any. */
type Folders = readonly string[] | undefined

export type Findings = ReturnType<typeof createFindings>

/** What a variable may hold at the point that is looked at. */
type Held = (name: string) => readonly Value[] | undefined

export function createFindings(cwd: string, home: string, held: Held = () => undefined) {
  const commands: SimpleCommand[] = []
  const paths = new Map<string, PathUse>()
  const writes = new Set<string>()
  const reads = new Set<string>()
  const unknown = new Set<string>()
  let reason: string | undefined
  let here: Folders = [cwd]
  let fed = 0
  let names = false
  let dashed = false

  const opaque = (why: string): void => {
    reason ??= why
  }

  /** Every folder that a relative path may be relative to. */
  function resolve(path: string): string[] {
    const found: string[] = []
    const isRelative = !/^[/~]/.test(path)
    if (here === undefined && isRelative) opaque('it works in a folder that is not known')
    for (const folder of here ?? (isRelative ? [] : ['/'])) {
      const at = absolute(path, folder, home)
      if (at === undefined) unknown.add(path)
      else found.push(at)
    }
    return [...new Set(found)]
  }

  function usePath(path: string, glob = false, moved = false): void {
    for (const found of resolve(path)) {
      const folder = found.endsWith(path) ? found.slice(0, found.length - path.length) : ''
      const at = glob ? tamed(folder) + found.slice(folder.length) : found
      const loose = glob && /^[*?[]/.test(path) ? folder.length : undefined
      paths.set(`${glob}${moved}${loose}${at}`, { path: at, glob, moved, ...(loose !== undefined && { loose }) })
    }
    if (paths.size > mostPaths) opaque('it names too many files')
  }

  function useRepository(path: string, command: string): void {
    for (const found of resolve(path)) paths.set(`runs ${found}`, { path: found, glob: false, runs: command })
  }

  function useWord(word: ShellWord, moved = false): void {
    if (paths.size > mostPaths) return
    const found = word.paths?.map(pathsIn)
    for (const one of found ?? [undefined]) {
      if (one === undefined) unknown.add(word.text)
      else for (const path of one) usePath(path, word.glob, moved)
    }
  }

  const folders = {
    now: (): Folders => here,
    either(several: readonly Folders[]): void {
      const first = several[0]
      if (several.every((one) => one === first)) here = first
      else if (several.includes(undefined)) here = undefined
      else {
        const all = [...new Set(several.flatMap((one) => one ?? []))]
        here = all.length > mostFolders ? undefined : all
      }
    },
    enter(next: readonly string[] | undefined): void {
      const isKnown =
        next !== undefined && next.length > 0 && next.length <= mostFolders && next.every((path) => path.length <= longestPath)
      here = isKnown ? next : undefined
    },
    /** As in a subshell: what happens there does not last. */
    aside(run: () => void): void {
      const before = here
      run()
      here = before
    },
  }

  /** Whether what runs reads from somewhere; without, its input is empty. */
  const input = {
    isFed: (): boolean => fed > 0,
    /** For all that runs in it. */
    feed(isFed: boolean, run: () => void): void {
      if (isFed) fed++
      run()
      if (isFed) fed--
    },
    /** From now on. */
    feedAll: (): void => void fed++,
    /** Its lines are names of files below folders that are judged already. */
    isNames: (): boolean => names,
    named(isNames: boolean, run: () => void): void {
      const before = names
      names = isNames
      run()
      names = before
    },
  }

  const surroundings = (): Surroundings => {
    const around: Surroundings = { home, folder: here?.length === 1 ? here[0] : undefined, variable: held }
    return { ...around, output: (script) => outputOf(script, around) }
  }

  return {
    opaque,
    folders,
    input,
    resolve,
    usePath,
    useWord,
    useRepository,
    surroundings,
    command(found: SimpleCommand): void {
      if (commands.length < mostCommands) commands.push(found)
      else opaque('it holds too many commands')
    },
    read(word: ShellWord): void {
      reads.add(word.text)
      useWord(word)
    },
    /** A name that is no option although it begins with a dash. */
    dash(): void {
      dashed = true
    },
    write(path: string): void {
      if (/(^|\/)-/.test(path)) dashed = true
      for (const at of resolve(path)) writes.add(at)
    },
    unknown(text: string): void {
      unknown.add(text)
    },
    result: (): Analysis => ({
      commands,
      paths: [...paths.values()],
      writes: [...writes],
      reads: [...reads],
      unknown: [...unknown],
      dashed,
      ...(reason === undefined ? {} : { opaque: reason }),
    }),
  }
}
