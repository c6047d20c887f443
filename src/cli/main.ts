// The command `sluice`: finds the command and loads it alone, so that starting costs no more than what is used.
import { statSync } from 'node:fs'
import module from 'node:module'
import { nearest } from '../base/nearest.ts'
import { makeFolder } from '../files/folder.ts'
import { commands } from './commands.ts'
import { CommandError, exitCodes, say } from './exit.ts'
import { version } from './version.ts'
import { writeAll } from './write.ts'

/** They have read and written all when they return. To take a heap apart that nobody needs any more takes ten milliseconds and more. */
const endAtOnce = new Set(['convert', 'validate', 'digest', 'show', 'usage'])

const helps: ReadonlySet<string> = new Set(['help', '--help', '-h'])

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'help' && rest[0] !== undefined && !helps.has(rest[0])) return main([...rest, '--help'])
  if (name === undefined || helps.has(name)) {
    writeAll(1, Buffer.from((await import('./help.ts')).overview()))
    return name === undefined ? exitCodes.usage : exitCodes.ok
  }
  if (name === '--version' || name === '-V') {
    writeAll(1, Buffer.from(`${version}\n`))
    return exitCodes.ok
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    const isOption = name.startsWith('-')
    const near = name === '-v' ? '--version' : nearest(name, isOption ? ['--help', '--version'] : [...Object.keys(commands), 'help'])
    throw new CommandError(
      `${JSON.stringify(name)} is not ${isOption ? 'an option' : 'a command'}${near === undefined ? '' : `; did you mean ${near}?`} (see sluice --help)`,
      exitCodes.usage,
    )
  }
  return (await command[1]()).run(rest)
}

/** Compiled code is kept from one start to the next: that halves the start. Only where nobody else can write: it is run as it is. */
function keepCompiled({ XDG_CACHE_HOME: cache, HOME: home }: NodeJS.ProcessEnv): void {
  const folder = cache?.startsWith('/') ? cache : home?.startsWith('/') ? `${home}/.cache` : undefined
  if (folder === undefined) return
  const own = `${folder}/sluice/compiled`
  try {
    makeFolder(own, 0o700)
    if ([folder, `${folder}/sluice`, own].every(isOurs)) module.enableCompileCache(own)
  } catch {
    // a cache that cannot be had only costs time
  }
}

/** Many systems give each user a group of their own, with the same number. */
function isOurs(folder: string): boolean {
  const { uid, gid, mode } = statSync(folder)
  return (uid === process.getuid?.() || uid === 0) && (mode & (gid === uid ? 0o002 : 0o022)) === 0
}

/** `--debug` is for every command: a fault shows its stack. Claude's command line has one of its own. */
function withoutDebug(all: readonly string[]): { argv: string[]; debug: boolean } {
  const end = all.indexOf('--')
  const isDebug = (word: string, index: number): boolean => word === '--debug' && (end < 0 || index < end)
  const isOwn = all.find((word) => !word.startsWith('-')) === 'claude' && all[0] !== '--debug'
  return { argv: isOwn ? [...all] : all.filter((word, index) => !isDebug(word, index)), debug: all.some(isDebug) }
}

/** The exit code. A stack tells a user nothing. */
function sayFault(error: unknown): number {
  const { name, message, stack, code, syscall, exitCode } = (error instanceof Error ? error : new Error(String(error))) as SystemError
  if (name === 'ClosedPipe') return exitCodes.ok
  const home = process.env['HOME'] ?? ''
  const isHome = syscall !== undefined && (code === 'ENOTDIR' || code === 'EEXIST') && home.startsWith('/') && !isFolder(home)
  const hint = debug ? '' : '; --debug shows where'
  if (isHome) say(`sluice: HOME ${JSON.stringify(home)} is not a folder; set it to your home folder`)
  else if (name === 'CommandError' || name === 'RequestError') say(`sluice: ${message}`)
  else if (syscall !== undefined) say(`sluice: ${message}${hint}`)
  else say(`sluice: a fault of sluice itself: ${message.split('\n')[0]}${hint}`)
  if (debug && stack !== undefined) say(stack)
  return isHome || name === 'RequestError' ? exitCodes.usage : (exitCode ?? exitCodes.failed)
}

type SystemError = Error & { code?: string; syscall?: string; exitCode?: number }

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `sluice needs Node 24 or newer; this is ${process.version}. Install it from https://nodejs.org, or beside sluice with: npm install node@24`,
  )
  process.exit(exitCodes.usage)
}
keepCompiled(process.env)

// Each command is a bundle of its own, with its own copy of the error classes: they are known by name.
const { argv, debug } = withoutDebug(process.argv.slice(2))
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return // somebody ends a run in order
  process.exit(sayFault(error))
})
try {
  process.exitCode = await main(argv)
  if (endAtOnce.has(argv[0] ?? '')) process.exit()
} catch (error) {
  process.exitCode = sayFault(error)
}
