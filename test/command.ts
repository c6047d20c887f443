// Runs a command from its source, in a process of its own, as main.ts would: for tests of a command that need no build.
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quote } from './quote.ts'

const programOf = (name: string): string => {
  const url = pathToFileURL(join(import.meta.dirname, `../src/cli/${name}.ts`)).href
  return `import('${url}').then(({ run }) => run(process.argv.slice(1))).then(
    (code) => { process.exitCode = code },
    (error) => { console.error('sluice: ' + (error.name === 'CommandError' ? error.message : error.stack)); process.exitCode = error.exitCode ?? 70 },
  )`
}

export type Started = { cwd: string; env: Record<string, string>; input?: string }

export const runCommand = (name: string, args: readonly string[], { cwd, env, input = '' }: Started): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, ['-e', programOf(name), '--', ...args], { cwd, env, input, encoding: 'utf8' })

/** The same on a terminal: all that it shows is in stdout. */
export function runOnTerminal(name: string, args: readonly string[], { cwd, env, input = '' }: Started): SpawnSyncReturns<string> {
  const line = [process.execPath, '-e', programOf(name), '--', ...args].map(quote).join(' ')
  return spawnSync('script', ['-qec', line, '/dev/null'], { cwd, env: { ...env, TERM: 'dumb' }, input, encoding: 'utf8' })
}
