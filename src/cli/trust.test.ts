import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { suite, test } from 'node:test'
import { runCommand, runOnTerminal } from '../../test/command.ts'
import { createProject, type Project } from '../../test/project.ts'

const settings = '{"permission": {"bash": {"git *": "allow", "rm *": "deny"}}, "mcp": {"m": {"command": ["evil", "\\u001b[2J"]}}}'
const trust = (project: Project, ...args: string[]) => runCommand('trust', args, { cwd: project.root, env: project.env })
const stored = (project: Project): string[] => {
  const path = project.path('~/.local/state/sluice/trust.json')
  return existsSync(path) ? Object.keys((JSON.parse(readFileSync(path, 'utf8')) as { files: object }).files) : []
}

suite('agreeing', () => {
  test('headless it shows what would be granted, and stores nothing', () => {
    using project = createProject({ 'sluice.json': settings, '.claude/agents/a.md': '---\nname: a\ndescription: d\n---\nPrompt.' })
    const { status, stdout, stderr } = trust(project)
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.deepEqual(stderr.split('\n'), [
      `"${project.path('sluice.json')}" (settings)`,
      '  permission bash: "git *" = allow',
      '  MCP server m: runs "evil \\u001b[2J"',
      '  and 1 rule to ask or deny',
      `"${project.path('.claude/agents/a.md')}" (an agent)`,
      '  profile a: "d"; prompt "Prompt."',
      'sluice: nobody can be asked here; when you have read the above, say --yes',
      '',
    ])
    assert.deepEqual(stored(project), [])
  })

  test('--yes stores the hashes; after a change only what changed is shown', () => {
    using project = createProject({ 'sluice.json': settings, '.claude/agents/a.md': '---\nname: a\n---\n' })
    assert.equal(trust(project, '--yes').status, 0)
    assert.deepEqual(stored(project), [project.path('sluice.json'), project.path('.claude/agents/a.md')])
    assert.match(trust(project).stderr, /has nothing that is not trusted/)
    project.write('sluice.json', '{"permission": {"bash": "deny"}}')
    const { status, stderr } = trust(project)
    assert.equal(status, 2)
    assert.match(stderr, /sluice.json" \(settings, changed since it was trusted\)\n {2}grants nothing\n {2}and 1 rule/)
    assert.ok(!stderr.includes('agents/a.md'))
  })

  test('on a terminal it asks, and takes only a yes', () => {
    using project = createProject({ 'sluice.json': settings })
    for (const [input, status, files] of [
      ['n\n', 1, 0],
      ['\n', 1, 0],
      ['yes\n', 0, 1],
    ] as const) {
      const ran = runOnTerminal('trust', [], { cwd: project.root, env: project.env, input })
      assert.match(ran.stdout, /Trust this file as it is now\?/)
      assert.equal(ran.status, status, ran.stdout)
      assert.equal(stored(project).length, files)
    }
  })

  test('another folder, one that has nothing, one that is wrong, one that is not there', () => {
    using project = createProject({ 'sluice.json': '{"modle": 1}', 'sub/x': '' })
    assert.match(trust(project, project.home).stderr, /has no settings and no agents of its own/)
    const wrong = trust(project, 'sub', '--yes')
    assert.equal(wrong.status, 2)
    assert.match(wrong.stderr, /^sluice: .*sluice.json:1: unknown key "modle" in the file; did you mean model\?/)
    assert.match(trust(project, 'none').stderr, /cannot look into "none": no such file/)
    assert.match(trust(project, 'a', 'b').stderr, /one DIR is enough/)
    assert.match(trust(project, '--list', '--yes').stderr, /--list takes nothing else/)
  })
})

test('an agent that goes without a tool is not said to be passed over', () => {
  using project = createProject({ '.claude/agents/a.md': '---\nname: a\ntools: Read, Bash(git *)\n---\n' })
  const [first, second] = trust(project).stderr.split('\n')
  const path = project.path('.claude/agents/a.md')
  assert.match(first!, /^sluice: ".*a\.md": it goes without "Bash\(git \*\)": /)
  assert.equal(second, `"${path}" (an agent)`)
  const { stdout } = runCommand('doctor', ['--no-mcp', '--json'], { cwd: project.root, env: project.env })
  assert.match(stdout, /a\.md\\": it goes without/)
})

test('--list tells the state of each; --revoke forgets a project, also one that is gone', () => {
  using project = createProject({
    'sluice.json': settings,
    'other/.git/x': '',
    'other/sluice.yaml': 'maxTurns: 3',
    '.claude/agents/a.md': '---\n---\n',
  })
  project.write('.claude/agents/a.md', '---\nname: a\n---\n')
  trust(project, '--yes')
  trust(project, 'other', '--yes')
  project.write('sluice.json', '{}')
  rmSync(project.path('.claude/agents/a.md'))
  const paths = ['sluice.json', '.claude/agents/a.md', 'other/sluice.yaml'].map((name) => project.path(name))
  assert.equal(trust(project, '--list').stdout, `changed  ${paths[0]}\ngone     ${paths[1]}\ntrusted  ${paths[2]}\n`)
  const other = project.path('other')
  rmSync(other, { recursive: true })
  assert.equal(trust(project, '--revoke', 'other').stderr, `1 file of "${other}" no longer trusted\n`)
  assert.equal(trust(project, '--revoke').stderr, `2 files of "${project.root}" no longer trusted\n`)
  assert.equal(trust(project, '--list').stdout, '')
})
