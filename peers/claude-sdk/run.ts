// The official Claude Agent SDK drives sluice as its executable, in two versions: whatever a host does with Claude Code it does here,
// with a scripted model, no key and no network. Prints a table; exits 1 when a cell of it fails.
// Usage: node peers/claude-sdk/run.ts [EXECUTABLE] (after npm ci --omit=optional --prefix peers/claude-sdk)
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { cases, type Rig, type Sdk } from './cases.ts'

const root = join(import.meta.dirname, '../..')
const executable = resolve(process.argv[2] ?? join(root, 'bin/sluice-claude'))
const versions = { '0.3.325': 'claude-agent-sdk-0.3', '0.2.141': 'claude-agent-sdk-0.2' }
const limitMs = 30_000

/** A home and a project that nobody else has seen, with a script for the model to speak. */
function rigOf(sdk: Sdk, script: string, env: Record<string, string>): Rig & { close(): void } {
  const top = mkdtempSync(join(tmpdir(), 'sluice-sdk-'))
  const cwd = join(top, 'project')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(top, 'script.yaml'), script)
  const model = { SLUICE_MODEL: `script/${join(top, 'script.yaml')}` }
  return {
    sdk,
    cwd,
    options: {
      pathToClaudeCodeExecutable: executable,
      cwd,
      env: { PATH: '/usr/bin:/bin', HOME: top, ...(Object.keys(env).length > 0 ? env : model) },
      stderr: () => {},
    },
    close: () => rmSync(top, { recursive: true, force: true }),
  }
}

/** The scripted model as a server: the SDK's own variables lead to it. */
async function serve(script: string): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sdk-model-'))
  writeFileSync(join(folder, 'script.yaml'), script)
  const server = spawn(join(root, 'bin/sluice'), ['model', 'serve', join(folder, 'script.yaml'), '--port', '0'], {
    env: { PATH: '/usr/bin:/bin', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = await new Promise<string>((found, lost) => {
    for (const stream of [server.stdout, server.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
        if (address !== undefined) found(address)
      })
    server.once('exit', (code) => lost(new Error(`sluice model serve ended with code ${code}`)))
  })
  return {
    env: { ANTHROPIC_API_KEY: 'sk-ant-nobody', ANTHROPIC_BASE_URL: url, ANTHROPIC_MODEL: 'claude-sonnet-5' },
    async close() {
      const gone = once(server, 'exit')
      server.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const stop = new AbortController()
  const late = sleep(limitMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`it was not done within ${limitMs / 1000} s`)
  })
  late.catch(() => {}) // it was in time
  try {
    await Promise.race([work, late])
  } finally {
    stop.abort()
  }
}

let failed = 0
const width = Math.max(...cases.map(({ name }) => name.length))
console.log(`${'what the host does'.padEnd(width)}  ${Object.keys(versions).join('  ')}`)
for (const { name, script, http = false, check } of cases) {
  const cells: string[] = []
  const troubles: string[] = []
  for (const [version, folder] of Object.entries(versions)) {
    const sdk = (await import(folder)) as Sdk
    const server = http ? await serve(script) : undefined
    const rig = rigOf(sdk, script, server?.env ?? {})
    try {
      await inTime(check(rig))
      cells.push('ok'.padEnd(version.length))
    } catch (error) {
      failed++
      cells.push('FAILED'.padEnd(version.length))
      troubles.push(`    ${version}: ${(error as Error).message.replaceAll('\n', '\n    ')}`)
    } finally {
      rig.close()
      await server?.close()
    }
  }
  console.log(`${name.padEnd(width)}  ${cells.join('  ')}`)
  for (const trouble of troubles) console.log(trouble)
}
console.log(failed === 0 ? `all ${cases.length * 2} passed` : `${failed} of ${cases.length * 2} failed`)
process.exitCode = failed === 0 ? 0 : 1
