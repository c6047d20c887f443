import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../test/command.ts'
import { createProject, type Project } from '../../test/project.ts'
import type { Check } from './doctor-check.ts'
import { sizeText } from './doctor-machine.ts'

const server = join(import.meta.dirname, '../../test/mcp-server.ts')

function checks({ root, env }: Project, more: Record<string, string> = {}, args: readonly string[] = []) {
  const { status, stdout, stderr } = runCommand('doctor', ['--json', ...args], { cwd: root, env: { ...env, ...more } })
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Check)
  return { status, stdout, stderr, all, of: (name: string) => all.filter((check) => check.name === name) }
}

test('a bare machine has notes and no problem', () => {
  using project = createProject()
  const { status, all, of, stderr } = checks(project)
  assert.equal(status, 0)
  assert.deepEqual(
    all.filter(({ level }) => level === 'problem'),
    [],
  )
  for (const name of ['node', 'ripgrep', 'bash', 'git', 'sessions']) assert.equal(of(name)[0]?.level, 'ok', name)
  assert.deepEqual(of('keys')[0]?.level, 'note')
  assert.match(of('keys')[0]?.hint ?? '', /script\/demo/)
  assert.match(stderr, /^0 problems, \d+ notes\n$/)
})

test('keys are named and never shown; the model they choose has a price and a limit', () => {
  using project = createProject()
  const { stdout, of } = checks(project, { ANTHROPIC_API_KEY: 'sk-ant-very-secret' })
  assert.equal(of('keys')[0]?.text, 'ANTHROPIC_API_KEY')
  assert.match(of('model')[0]?.text ?? '', /^anthropic\/\S+: context [\d,]+ tokens, prices known$/)
  assert.doesNotMatch(stdout, /very-secret/)
})

test('a model without its key, or without a known price, is a note; one that cannot be is a problem', () => {
  using project = createProject()
  const withModel = (model: string) => {
    project.write('~/.config/sluice/sluice.jsonc', JSON.stringify({ model }))
    const { status, of } = checks(project)
    return [status, of('model')[0]?.level]
  }
  assert.deepEqual(withModel('openai/gpt-6-sol'), [0, 'note'])
  assert.deepEqual(withModel('ollama/my-own-model-7'), [0, 'note'])
  assert.deepEqual(withModel('script/demo'), [0, 'ok'])
  assert.deepEqual(withModel('script/none.yaml'), [1, 'problem'])
})

test('settings: what is found, what is not trusted, and what is wrong', () => {
  using project = createProject({ 'sluice.jsonc': '{"permission": {"bash": "allow"}}', '~/.config/sluice/sluice.yaml': 'maxTurns: 5\n' })
  const { status, all } = checks(project)
  assert.equal(status, 0)
  assert.deepEqual(
    all.filter(({ section }) => section === 'Settings').map(({ name, level }) => [name, level]),
    [
      ['user', 'ok'],
      ['project', 'note'],
    ],
  )
  project.write('sluice.jsonc', '{"permission":')
  const broken = checks(project)
  assert.equal(broken.status, 1)
  assert.equal(broken.of('settings')[0]?.level, 'problem')
  assert.match(broken.stderr, /^1 problem, /)
})

test('MCP servers are tried, unless they are to be left alone', () => {
  using project = createProject()
  const mcp = { good: { command: [process.execPath, server] }, bad: { command: [process.execPath, server, 'fail'] } }
  project.write('~/.config/sluice/sluice.jsonc', JSON.stringify({ mcp }))
  const { status, of } = checks(project)
  assert.equal(status, 1)
  assert.match(of('good')[0]?.text ?? '', /^connected, \d+ tools$/)
  assert.equal(of('bad')[0]?.level, 'problem')
  assert.equal(checks(project, {}, ['--no-mcp']).status, 0)
})

test('a folder of sessions that cannot be, and one that others can look into', () => {
  using project = createProject()
  const file = project.write('~/file', '')
  const { status, of } = checks(project, { XDG_DATA_HOME: file })
  assert.equal(status, 1)
  assert.match(of('sessions')[0]?.text ?? '', /is not a folder/)
  const folder = project.path('~/.local/share/sluice/sessions')
  mkdirSync(folder, { recursive: true })
  project.write('~/.local/share/sluice/sessions/ses_1.ndjson', 'x'.repeat(2500))
  chmodSync(folder, 0o755)
  const open = checks(project).of('sessions')
  assert.match(open[0]?.text ?? '', /^1 session, 2\.5 kB in ~\//)
  assert.equal(open[1]?.hint, 'chmod 700 ~/.local/share/sluice/sessions')
})

test('for people: sections, signs, and what to do', () => {
  using project = createProject({ '.agents/skills/x/SKILL.md': 'no \u001b[2Jhead' })
  const { stdout } = runCommand('doctor', ['--no-mcp'], { cwd: project.root, env: project.env })
  assert.match(stdout, /^Machine\n {2}✔ sluice /)
  assert.match(stdout, /\n\nModel\n {2}! keys +none is set\n +→ set ANTHROPIC_API_KEY/)
  assert.match(stdout, /\n {2}! file +"[^]*SKILL\.md"/)
  assert.ok(stdout.split('\n').every((line) => line.length <= 80))
})

test('sizes are short', () => {
  assert.deepEqual([0, 999, 1000, 12_345, 123_456_789].map(sizeText), ['0 B', '999 B', '1.0 kB', '12.3 kB', '123 MB'])
})

test('a wrong redaction pattern is a problem with file and line, for doctor and trust alike', () => {
  using project = createProject({ 'sluice.jsonc': '{"redact": {"patterns": [\n"(a"]}}' })
  const { status, of } = checks(project)
  assert.equal(status, 1)
  assert.match(of('settings')[0]?.text ?? '', /sluice\.jsonc:2: the pattern "\(a" is no regular expression/)
  const trusted = runCommand('trust', ['--yes'], { cwd: project.root, env: project.env })
  assert.equal(trusted.status, 2)
  assert.match(trusted.stderr, /sluice\.jsonc:2: the pattern "\(a"/)
  assert.doesNotMatch(trusted.stderr, /\n\s+at /)
})

test('no program of the project is run, and none sees a key', () => {
  using project = createProject({ git: '#!/bin/sh\nenv > seen\n' })
  chmodSync(project.path('git'), 0o755)
  checks(project, { PATH: `.:${project.env['PATH']}`, ANTHROPIC_API_KEY: 'sk-ant-very-secret' })
  assert.equal(existsSync(project.path('seen')), false)
})
