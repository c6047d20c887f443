// Runs the built command as a user does, with an empty environment.
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
export const command = join(root, 'bin/sluice')
if (!existsSync(join(root, 'dist/cli.js'))) throw new Error('dist/ is missing: run npm run build first')

export const env = { PATH: '/usr/bin:/bin', HOME: mkdtempSync(join(tmpdir(), 'sluice-home-')) }

export const sluice = (args: readonly string[], input?: string | Uint8Array): SpawnSyncReturns<string> =>
  spawnSync(command, args, { env, encoding: 'utf8', input: input ?? '', maxBuffer: 1 << 28 })

/** A shell line with `sluice` in it; pipes and redirections are the shell's. */
export const shell = (line: string, cwd = root): SpawnSyncReturns<string> =>
  spawnSync('/bin/bash', ['-c', line], {
    cwd,
    env: { ...env, PATH: `${join(root, 'bin')}:${env.PATH}` },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })

export const start = (args: readonly string[]) => spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })

export const fixture = (path: string): string => join(root, 'fixtures', path)

export function scratch(name: string, content: string | Uint8Array): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-test-')), name)
  writeFileSync(file, content)
  return file
}
