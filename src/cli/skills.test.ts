import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../test/command.ts'
import { createProject } from '../../test/project.ts'

test('a table, what is no skill on stderr, and one a line as JSON', () => {
  using project = createProject({
    '~/.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: "reads\\u001b[2J PDF"\nversion: 1.10\n---\n',
    '.sluice/skills/release/SKILL.md': '---\nname: release\ndescription: makes one\n---\n',
    '.sluice/skills/x/SKILL.md': 'x',
  })
  const where = { cwd: project.home, env: project.env }
  const { status, stdout, stderr } = runCommand('skills', ['--dir', project.root], where)
  assert.equal(status, 0)
  assert.equal(
    stdout,
    'skill    version  where    description\npdf      1.10     home     reads\\u001b[2J PDF\nrelease           project  makes one\n',
  )
  assert.match(stderr, /^sluice: ".*\.sluice\/skills\/x\/SKILL.md" is not a skill: it does not begin with .*\n2 skills\n$/)
  const lines = runCommand('skills', ['--json'], where).stdout.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    [
      {
        name: 'pdf',
        description: 'reads\u001b[2J PDF',
        version: '1.10',
        path: project.path('~/.claude/skills/pdf/SKILL.md'),
        folder: project.path('~/.claude/skills/pdf'),
        where: 'home',
      },
    ],
  )
  const none = runCommand('skills', [], { cwd: project.root, env: { ...project.env, HOME: project.top } })
  assert.match(none.stderr, /\n1 skill\n$/)
  assert.equal(runCommand('skills', ['x'], where).status, 2)
})
