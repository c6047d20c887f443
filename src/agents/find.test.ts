import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { findAgents, kinds, locate, missingText, versionOf } from './find.ts'

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

function program(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

test('programs are found as a shell finds them', (t) => {
  const [first, second] = [folder(t), folder(t)]
  writeFileSync(join(first, 'claude'), 'not a program')
  mkdirSync(join(first, 'codex'))
  program(join(second, 'claude'), '')
  const env = { PATH: `:relative:${first}:${second}` }
  assert.equal(locate('claude', env), join(second, 'claude'))
  assert.equal(locate('codex', env), undefined)
  assert.equal(locate('claude', {}), undefined)
})

test('a version comes from the package, without a start, or from the program itself', async (t) => {
  const place = folder(t)
  const pack = join(place, 'lib/node_modules/agent')
  mkdirSync(join(pack, 'bin'), { recursive: true })
  writeFileSync(join(pack, 'package.json'), '{"version": "1.2.3", "bin": {"agent": "bin/agent"}}')
  program(join(pack, 'bin/agent'), 'echo started > "$0.started"; exit 1')
  symlinkSync(join(pack, 'bin/agent'), join(place, 'agent'))
  assert.deepEqual(await versionOf(join(place, 'agent'), {}), { version: '1.2.3' })

  const env = { PATH: '/usr/bin:/bin', ANTHROPIC_API_KEY: 'secret' }
  assert.deepEqual(await versionOf(program(join(place, 'native'), 'echo "2.1.325 (Agent)$ANTHROPIC_API_KEY"'), env), { version: '2.1.325' })
  assert.deepEqual(await versionOf(program(join(place, 'mute'), ''), env), { error: '--version tells no version' })
  assert.match((await versionOf(program(join(place, 'bad'), 'exit 3'), env)).error!, /^--version failed/)
})

test('the list names every agent once, with a way to install what is missing', async (t) => {
  const place = folder(t)
  program(join(place, 'claude'), 'echo 2.0.76')
  const found = await findAgents({ PATH: `${place}:/usr/bin:/bin` })
  assert.equal(new Set(found.map(({ name }) => name)).size, found.length)
  const claude = found.find(({ name }) => name === 'claude')!
  assert.deepEqual([claude.path, claude.version], [join(place, 'claude'), '2.0.76'])
  for (const { name, program: called, install } of kinds)
    if (called !== undefined) assert.ok(install!.length > 0 && missingText(name).includes(install!))
})
