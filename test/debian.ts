// Programs of Debian that some tests run sluice against (jq, lnav, tmux, chromium …): installed when the command is missing.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Makes sure that each command (key) is there, by installing its package (value). Throws when that fails: a test that needs
 * a program and does not run it proves nothing.
 */
export function needDebian(packages: Readonly<Record<string, string>>): void {
  const missing = Object.keys(packages).filter((command) => !isOnPath(command))
  if (missing.length === 0) return
  const names = [...new Set(missing.map((command) => packages[command] ?? command))]
  const wanted = `${missing.join(', ')} (Debian: ${names.join(' ')})`
  process.stderr.write(`tests: ${wanted} missing, installing with apt-get\n`)
  aptGet(['update'], wanted)
  aptGet(['install', '-y', '--no-install-recommends', ...names], wanted)
  const still = missing.filter((command) => !isOnPath(command))
  if (still.length > 0) throw new Error(`apt-get installed ${names.join(' ')}, but ${still.join(', ')} is still not on PATH`)
}

function isOnPath(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

// Test files run side by side, and apt-get gives up when another one runs: flock lets them wait for each other.
function aptGet(args: readonly string[], wanted: string): void {
  const lock = join(tmpdir(), 'sluice-apt-get.lock')
  const { status, error, stderr } = spawnSync('flock', [lock, 'apt-get', '-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status === 0) return
  const why = error?.message ?? `exit code ${status}: ${stderr.trim()}`
  throw new Error(`${wanted} is needed by this test, and 'apt-get ${args.join(' ')}' failed (${why}); install it by hand`)
}
