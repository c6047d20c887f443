import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { createProject } from '../../test/project.ts'
import { findInstructions } from './instructions.ts'

test("the user's first, then from the root to the working folder, then what the settings name", async () => {
  using project = createProject({
    '~/.config/sluice/AGENTS.md': '1',
    '~/.claude/CLAUDE.md': '2',
    'AGENTS.md': '3',
    'CLAUDE.md': '4',
    'sub/CLAUDE.md': '5',
    'sub/AGENTS.md': ' \n',
    'docs/more.md': '6',
    'other/AGENTS.md': 'x',
    '../AGENTS.md': 'x',
  })
  const { instructions, problems } = await findInstructions(project.places('sub'), [
    project.path('docs/more.md'),
    project.path('AGENTS.md'),
  ])
  assert.deepEqual(
    instructions.map(({ text }) => text),
    ['1', '2', '3', '4', '5', '6'],
  )
  assert.equal(instructions[2]!.path, project.path('AGENTS.md'))
  assert.deepEqual(problems, [])
})

test('a CLAUDE.md that says what AGENTS.md says counts once: a copy, a pointer, a link', async () => {
  for (const text of ['the same\n', '@AGENTS.md\n', '@./AGENTS.md']) {
    using project = createProject({ 'AGENTS.md': 'the same', 'CLAUDE.md': text })
    assert.deepEqual((await findInstructions(project.places())).instructions.length, 1, text)
  }
  using project = createProject({ 'AGENTS.md': 'the same' })
  symlinkSync('AGENTS.md', project.path('CLAUDE.md'))
  assert.equal((await findInstructions(project.places())).instructions.length, 1)
  using pointing = createProject({ 'CLAUDE.md': '@AGENTS.md' })
  assert.equal((await findInstructions(pointing.places())).instructions.length, 1)
})

test('what is too long is cut at a whole character, and says so', async () => {
  using project = createProject({ 'AGENTS.md': `a${'é'.repeat(40_000)}` })
  const { text, cut } = (await findInstructions(project.places())).instructions[0]!
  assert.ok(cut)
  assert.equal(text, `a${'é'.repeat(32_767)}\n\n[The rest is left out: the file is longer than 65536 bytes.]`)
})

test('a link out of the project, a pipe and a missing file are told, and nothing of them is read', async () => {
  using project = createProject({ '~/.ssh/id': 'KEY', 'sub/x': '' })
  symlinkSync(project.path('~/.ssh/id'), project.path('AGENTS.md'))
  execFileSync('mkfifo', [project.path('sub/CLAUDE.md')])
  const { instructions, problems } = await findInstructions(project.places('sub'), [project.path('none.md')])
  assert.deepEqual(instructions, [])
  assert.deepEqual(
    problems.map(({ reason }) => reason),
    [`it is a link that leads out of ${project.root}`, 'it is not a file', 'there is no such file'],
  )
})

test('a link to a secret of the project is no instruction', async () => {
  using project = createProject({ '.env': 'PASSWORD=hunter2' })
  symlinkSync('.env', project.path('AGENTS.md'))
  const { instructions, problems } = await findInstructions(project.places(), [project.path('.env')], (path) => path.endsWith('.env'))
  assert.deepEqual(instructions, [])
  assert.deepEqual(
    problems.map(({ reason }) => reason),
    ['it leads to a file that may hold secrets', 'it leads to a file that may hold secrets'],
  )
})
