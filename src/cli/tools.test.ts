import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../test/command.ts'
import { createProject } from '../../test/project.ts'
import type { ToolRow } from './tools-list.ts'

const server = join(import.meta.dirname, '../../test/mcp-server.ts')
const rowsOf = (stdout: string): ToolRow[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ToolRow)

test('the tools of this folder, with what the rules say; profiles and rules change it', () => {
  using project = createProject({ '.agents/skills/a/SKILL.md': '---\nname: a\ndescription: b\n---\n' })
  const where = { cwd: project.root, env: project.env }
  const { status, stdout, stderr } = runCommand('tools', [], where)
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^tool +from +rules say +what it does\nbash +built in +ask +Runs a command [^\n]*\.\n/)
  assert.match(stdout, /^skill +built in +allow +Loads a skill; 1 skill found here\.\ntask /m)
  const verdicts = (args: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      rowsOf(runCommand('tools', ['--json', ...args], where).stdout).map((row) => [row.name, row.hidden ? 'hidden' : row.action]),
    )
  assert.deepEqual(
    Object.entries(verdicts(['--profile', 'explore']))
      .filter(([, verdict]) => verdict !== 'hidden')
      .map(([name]) => name),
    ['read', 'glob', 'grep'],
  )
  assert.equal(verdicts(['--permission', 'bash=allow'])['bash'], 'allow')
  assert.equal(runCommand('tools', ['--permission', 'bash=maybe'], where).status, 2)
  assert.match(runCommand('tools', ['--profile', 'exlore'], where).stderr, /did you mean explore/)
})

test('MCP servers are asked, and one that does not answer is told; none is touched with --no-mcp', () => {
  using project = createProject()
  const log = project.path('~/pids')
  project.write(
    '~/.config/sluice/sluice.jsonc',
    JSON.stringify({
      mcp: {
        good: { command: [process.execPath, server, `log=${log}`] },
        bad: { command: [process.execPath, server, 'fail'] },
        off: { command: ['nothing'], enabled: false },
      },
    }),
  )
  const where = { cwd: project.root, env: project.env }
  const quiet = runCommand('tools', ['--json', '--no-mcp'], where)
  assert.deepEqual([quiet.status, quiet.stderr, existsSync(log)], [0, '', false])
  const { status, stdout, stderr } = runCommand('tools', ['--json'], where)
  assert.equal(status, 1)
  const good = rowsOf(stdout).filter((row) => row.server === 'good')
  assert.ok(good.length > 0 && good.every(({ source, action, name }) => source === 'mcp' && action === 'ask' && name.startsWith('good_')))
  assert.match(stderr, /server good: connected\n/)
  const [, pid] = /^pid (\d+)$/m.exec(readFileSync(log, 'utf8')) ?? assert.fail('it was not started')
  assert.throws(() => process.kill(Number(pid), 0), 'it still runs')
  assert.match(stderr, /server bad: failed: /)
  assert.match(stderr, /server off: disabled\n/)
  assert.match(stderr, /1 server of 3 did not answer/)
})

test('what an untrusted project wants is left out and told', () => {
  using project = createProject({ 'sluice.jsonc': '{"permission": {"bash": "allow", "read": "deny"}}' })
  const where = { cwd: project.root, env: project.env }
  const { stdout, stderr } = runCommand('tools', ['--json'], where)
  const [bash, read] = rowsOf(stdout)
  assert.deepEqual([bash?.action, read?.hidden], ['ask', true])
  assert.match(stderr, /not trusted, left out: .*sluice\.jsonc: permission bash.*sluice trust\)\n$/)
  assert.equal(rowsOf(runCommand('tools', ['--json', '--trust-project'], where).stdout)[0]?.action, 'allow')
})

test('wrong settings are wrong usage', () => {
  using project = createProject({ '~/.config/sluice/sluice.jsonc': '{"permision": {}}' })
  const { status, stderr } = runCommand('tools', [], { cwd: project.root, env: project.env })
  assert.equal(status, 2)
  assert.match(stderr, /^sluice: .*permision.*permission/)
})
