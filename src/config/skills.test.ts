import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { suite, test } from 'node:test'
import { createProject } from '../../test/project.ts'
import { findSkills, loadSkill, skillOf } from './skills.ts'

const skill = (name: string, more = ''): string => `---\nname: ${name}\ndescription: about ${name}\n${more}---\n# ${name}\n`

test('they are found in all places; the project wins, and its inner folders', async () => {
  using project = createProject({
    '~/.claude/skills/a/SKILL.md': skill('a'),
    '~/.claude/skills/b/SKILL.md': skill('b', 'version: 1.10\n'),
    '~/.agents/skills/deep/er/c/SKILL.md': skill('c', 'metadata:\n  version: "2"\n'),
    '.sluice/skills/a/SKILL.md': skill('a'),
    'sub/.claude/skills/a/SKILL.md': skill('a'),
    'other/.claude/skills/x/SKILL.md': skill('x'),
  })
  const { skills, problems } = await findSkills(project.places('sub'))
  assert.deepEqual(problems, [])
  assert.deepEqual(skills, [
    {
      name: 'a',
      description: 'about a',
      path: project.path('sub/.claude/skills/a/SKILL.md'),
      folder: project.path('sub/.claude/skills/a'),
      where: 'project',
    },
    {
      name: 'b',
      description: 'about b',
      version: '1.10',
      path: project.path('~/.claude/skills/b/SKILL.md'),
      folder: project.path('~/.claude/skills/b'),
      where: 'home',
    },
    {
      name: 'c',
      description: 'about c',
      version: '2',
      path: project.path('~/.agents/skills/deep/er/c/SKILL.md'),
      folder: project.path('~/.agents/skills/deep/er/c'),
      where: 'home',
    },
  ])
  assert.equal((await findSkills(project.places())).skills[0]!.path, project.path('.sluice/skills/a/SKILL.md'))
})

test('of the places in one folder, .sluice wins over .agents, and that over .claude', async () => {
  using project = createProject({
    '.sluice/skills/a/SKILL.md': skill('a'),
    '.agents/skills/a/SKILL.md': skill('a'),
    '.claude/skills/a/SKILL.md': skill('a'),
  })
  for (const place of ['.sluice', '.agents', '.claude']) {
    assert.equal((await findSkills(project.places())).skills[0]!.path, project.path(`${place}/skills/a/SKILL.md`))
    rmSync(project.path(place), { recursive: true })
  }
})

test('what is no skill is told with the reason', async () => {
  const cases: [text: string, reason: RegExp][] = [
    ['# no block', /does not begin with a block/],
    ['---\nname: x\n', /does not begin with a block/],
    ['---\nname: x\n---\n', /it has no description/],
    ['---\ndescription: x\n---\n', /it has no name/],
    ['---\nname: x\ndescription:\n---\n', /it has no description/],
    ['---\nname: [x]\ndescription: y\n---\n', /it has no name/],
    ['---\n- x\n---\n', /not a mapping/],
    ['---\n---\n', /not a mapping/],
    ['---\nname: [x\n---\n', /^line \d: /],
    ['---\nname: "x\\u001b[2J"\ndescription: y\n---\n', /^"x\\u001b\[2J" is no name/],
    ['---\nname: &a x\ndescription: *a\n---\n', /is no name/],
  ]
  for (const [text, reason] of cases) {
    using project = createProject({ '.claude/skills/x/SKILL.md': text })
    const { skills, problems } = await findSkills(project.places())
    assert.deepEqual(skills, [], text)
    assert.equal(problems[0]?.path, project.path('.claude/skills/x/SKILL.md'))
    assert.match(problems[0].reason, reason)
  }
})

test('a description with a colon in it, as many are', async () => {
  using project = createProject({
    '.claude/skills/x/SKILL.md': '---\r\nname: x\r\ndescription: Use it when: always, "so"\r\n---\r\nBody: yes\r\n',
  })
  const { skills } = await findSkills(project.places())
  assert.equal(skills[0]?.description, 'Use it when: always, "so"')
  assert.equal((await loadSkill(skills[0])).body, 'Body: yes')
})

test('two with one name in one place: the first counts, the other is told', async () => {
  using project = createProject({ '.claude/skills/a/SKILL.md': skill('same'), '.claude/skills/b/SKILL.md': skill('same') })
  const { skills, problems } = await findSkills(project.places())
  assert.deepEqual(
    skills.map(({ folder }) => folder),
    [project.path('.claude/skills/a')],
  )
  assert.match(problems[0]!.reason, /a\/SKILL.md" has the same name/)
})

suite('links', () => {
  test('inside the project are followed, circles once; out of it they are not', async () => {
    using project = createProject({
      'shared/a/SKILL.md': skill('a'),
      '~/private/b/SKILL.md': skill('b'),
      '.claude/skills/c/x': '',
      '~/key': skill('key'),
    })
    symlinkSync(project.path('shared/a'), project.path('.claude/skills/a'))
    symlinkSync(project.path('~/private/b'), project.path('.claude/skills/b'))
    symlinkSync(project.path('.claude/skills'), project.path('.claude/skills/loop'))
    symlinkSync(project.path('~/key'), project.path('.claude/skills/c/SKILL.md'))
    const { skills, problems } = await findSkills(project.places())
    assert.deepEqual(
      skills.map(({ name, folder }) => [name, folder]),
      [['a', project.path('shared/a')]],
    )
    assert.deepEqual(
      problems.map(({ path }) => path.replace(`${project.root}/`, '')),
      ['.claude/skills/b', '.claude/skills/c/SKILL.md'],
    )
  })

  test('a pipe in the place of the file does not hang', async () => {
    using project = createProject({ '.claude/skills/a/x': '' })
    execFileSync('mkfifo', [project.path('.claude/skills/a/SKILL.md')])
    assert.match((await findSkills(project.places())).problems[0]!.reason, /not a file/)
  })
})

test('the body is read when it is used, with the first files beside it', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`.claude/skills/a/f${String(index).padStart(2, '0')}.txt`, '']),
  )
  using project = createProject({
    '.claude/skills/a/SKILL.md': skill('a'),
    '.claude/skills/a/.git/x': '',
    '.claude/skills/a/b/y': '',
    ...files,
  })
  const [found] = (await findSkills(project.places())).skills
  project.write('.claude/skills/a/SKILL.md', `${skill('a')}\nmore`)
  const loaded = await loadSkill(found!)
  assert.equal(loaded.body, '# a\n\nmore')
  assert.deepEqual(loaded.files, [
    'b/y',
    ...Object.keys(files)
      .slice(0, 9)
      .map((path) => path.slice('.claude/skills/a/'.length)),
  ])
  symlinkSync(project.write('~/secret', 'x'), project.path('.claude/skills/a/link'))
  rmSync(project.path('.claude/skills/a/SKILL.md'))
  await assert.rejects(loadSkill(found!), /the skill "a" is gone/)
  symlinkSync(project.path('~/secret'), project.path('.claude/skills/a/SKILL.md'))
  await assert.rejects(loadSkill(found!), /leads out of/)
})

test('a file belongs to the skill whose folder it lies in', async () => {
  using project = createProject({ '.claude/skills/a/SKILL.md': skill('a'), '.claude/skills/ab/SKILL.md': skill('ab') })
  const { skills } = await findSkills(project.places())
  assert.equal(skillOf(project.path('.claude/skills/ab/x/y.txt'), skills)?.name, 'ab')
  assert.equal(skillOf(project.path('.claude/skills/a/SKILL.md'), skills)?.name, 'a')
  assert.equal(skillOf(project.path('.claude/skills/x'), skills), undefined)
})

test('more folders than anybody has are not all looked into', async () => {
  using project = createProject(Object.fromEntries(Array.from({ length: 2100 }, (_, index) => [`.claude/skills/d${index}/x`, ''])))
  assert.match((await findSkills(project.places())).problems[0]!.reason, /only the first 2000 folders/)
})
