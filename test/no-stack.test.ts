// No message shows a stack unless --debug: faults of sluice, wrong settings, a HOME that is a file.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProject, type Project } from './project.ts'

const program = join(import.meta.dirname, '../bin/sluice')
const sluice = ({ root, env }: Project, args: readonly string[], more: Record<string, string> = {}) =>
  spawnSync(program, args, { cwd: root, env: { ...env, ...more }, encoding: 'utf8', input: '' })
const stack = /\n\s+at .+:\d+/

const commands = [
  ['run', '--model', 'script/demo', 'hello'],
  ['doctor', '--no-mcp'],
  ['trust', '--list'],
  ['trust', '--yes'],
  ['skills'],
  ['tools'],
  ['usage'],
  ['models'],
  ['agents'],
  ['control', 'list'],
]

test('a HOME that is a file is told in one line', () => {
  using project = createProject({ 'a-file': '' })
  const home = project.path('a-file')
  for (const args of commands) {
    const { stderr, status, signal } = sluice(project, args, { HOME: home })
    assert.doesNotMatch(stderr, stack, args.join(' '))
    assert.doesNotMatch(stderr, /a fault of sluice itself/, args.join(' '))
    assert.equal(signal, null)
    if (args[0] === 'run') assert.equal(status, 2, stderr)
  }
})

test('wrong settings are told in one line by every command that reads them', () => {
  using project = createProject({ 'sluice.jsonc': '{"redact": {"patterns": [\n"(a"]}}' })
  for (const args of commands.slice(0, 6)) assert.doesNotMatch(sluice(project, args).stderr, stack, args.join(' '))
  const { status, stderr } = sluice(project, ['run', '--model', 'script/demo', 'hello'])
  assert.equal(status, 2)
  assert.match(stderr, /^sluice: .*sluice\.jsonc:2: the pattern "\(a"/)
})

test('--debug is an option of every command', () => {
  using project = createProject()
  for (const args of [
    ['--debug', '--version'],
    ['--debug', 'skills'],
    ['skills', '--debug'],
  ])
    assert.equal(sluice(project, args).status, 0)
})
