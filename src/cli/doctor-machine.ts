// The machine: the programs that tools need, who commands run as, the terminal, and the folder of sessions.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnvironment } from '../agents/process/environment.ts'
import { findRipgrep } from '../agents/builtin/tools/ripgrep.ts'
import { plural } from '../base/text.ts'
import { shortPath } from '../config/places.ts'
import { note, ok, problem, type Said } from './doctor-check.ts'
import { systemReason } from './exit.ts'
import { screenOf } from './terminal.ts'

const timeoutMs = 5000

export async function programs(): Promise<Said[]> {
  const rg = await findRipgrep()
  return [
    ok('node', `${process.versions.node} (${process.execPath})`),
    versionOf(rg) === undefined
      ? problem('ripgrep', `${rg} does not run`, 'grep and glob need it: install sluice again, or ripgrep from your distribution')
      : ok('ripgrep', versionOf(rg)!),
    shell(),
    versionOf('git') === undefined
      ? note('git', 'it is not installed', 'most projects want it, and the agent uses it like you do')
      : ok('git', versionOf('git')!),
  ]
}

function shell(): Said {
  const bash = versionOf('bash')
  if (bash !== undefined) return ok('bash', bash)
  if (existsSync('/bin/sh')) return note('bash', 'it is not installed, commands run in sh', 'install bash: models write for it')
  return problem('bash', 'there is neither bash nor sh', 'install bash: the agent cannot run commands')
}

/** The number in the first line that the program says of itself. */
function versionOf(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    timeout: timeoutMs,
    env: childEnvironment(process.env), // no keys, and no program of the project by a relative entry of PATH
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'installed') : undefined
}

export function person(): Said[] {
  const inside = ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path)) ? ', in a container' : ''
  if (process.getuid?.() !== 0) return [ok('user', `commands of the agent run as ${userInfo().username}${inside}; there is no other fence`)]
  return [
    note(
      'user',
      `commands of the agent run as root${inside}`,
      'they may change the whole machine: use another user, or a container of their own',
    ),
  ]
}

export function terminal(): Said[] {
  const { isTTY, columns } = process.stdout
  if (!isTTY) return [ok('terminal', 'the output is not a terminal: plain text; chat needs one')]
  const { width, colour } = screenOf()
  const facts = [
    process.env['TERM'] ?? 'TERM is not set',
    colour ? 'colour' : 'no colour',
    `${columns || 'unknown'} columns, ${width} used`,
  ]
  return [ok('terminal', facts.join(', '))]
}

/** The folder need not be there yet; then it must be possible to make it. */
export function sessions(folder: string, home: string): Said[] {
  const shown = shortPath(folder, home)
  const there = existingPart(folder)
  try {
    if (!statSync(there).isDirectory()) throw new Error(`${shortPath(there, home)} is not a folder`)
    accessSync(there, constants.W_OK | constants.X_OK)
  } catch (error) {
    return [
      problem(
        'sessions',
        `${shown} cannot be written to: ${systemReason(error)}`,
        `make ${shortPath(there, home)} writable, or set XDG_DATA_HOME`,
      ),
    ]
  }
  if (there !== folder) return [ok('sessions', `none yet; they will be kept in ${shown}`)]
  const files = readdirSync(folder).filter((name) => name.endsWith('.ndjson'))
  const bytes = files.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
  const kept = ok('sessions', `${plural(files.length, 'session')}, ${sizeText(bytes)} in ${shown}`)
  const isOpen = (statSync(folder).mode & 0o077) !== 0
  return isOpen ? [kept, note('sessions', 'others can look into the folder', `chmod 700 ${shown}`)] : [kept]
}

function existingPart(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : existingPart(dirname(folder))
}

export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
