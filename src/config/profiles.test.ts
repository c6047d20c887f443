import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { suite, test } from 'node:test'
import { createProject, type Project } from '../../test/project.ts'
import { chooseProfile, findProfiles, type FoundProfiles } from './profiles.ts'
import { loadSettings } from './settings.ts'
import type { Profile } from './shape.ts'
import { matchesName } from './tools.ts'
import { writeTrust } from './trust.ts'
import { readAgents } from './agents.ts'

async function find(project: Project, trustProject = false): Promise<FoundProfiles> {
  const places = project.places()
  return findProfiles({ places, settings: await loadSettings({ places, trustProject }), trustProject })
}
const named = (profiles: readonly Profile[], name: string): Profile => chooseProfile(profiles, name)
const denied = ({ rules }: Profile): string[] => rules.map(({ permission, pattern, action }) => `${permission}:${pattern}=${action}`)

test('two are built in; explore reads and searches, no more', async () => {
  using project = createProject()
  const { profiles } = await find(project)
  assert.deepEqual(
    profiles.map(({ name }) => name),
    ['default', 'explore'],
  )
  assert.deepEqual(named(profiles, 'default').rules, [])
  const explore = named(profiles, 'explore')
  assert.deepEqual(explore.tools, ['read', 'glob', 'grep'])
  assert.deepEqual(
    denied(explore),
    ['bash', 'write', 'edit', 'webfetch', 'todowrite', 'task', 'skill'].map((name) => `${name}:*=deny`),
  )
})

test('a name that is not there is an error with the nearest one', async () => {
  using project = createProject()
  const { profiles } = await find(project)
  assert.throws(() => chooseProfile(profiles, 'explorer'), /there is no profile "explorer"; did you mean explore\?/)
  assert.throws(() => chooseProfile(profiles, 'zzzzzzzzzz'), /known are default, explore/)
})

suite('.claude/agents', () => {
  test('name, description, tools in our names, model, and the prompt', async () => {
    using project = createProject({
      '~/.claude/agents/review.md':
        '---\nname: reviewer\ndescription: Use it: after edits\ntools: Read, Grep, Agent, mcp__git hub__list, mcp__db\nmodel: opus\ncolor: red\n---\n\nYou review.\n',
    })
    const reviewer = named((await find(project)).profiles, 'reviewer')
    assert.deepEqual(
      { ...reviewer, rules: [] },
      {
        name: 'reviewer',
        description: 'Use it: after edits',
        prompt: 'You review.',
        model: 'opus',
        tools: ['read', 'grep', 'task', 'git_hub_list', 'db_*'],
        rules: [],
        from: '~/.claude/agents/review.md',
      },
    )
    assert.deepEqual(
      denied(reviewer),
      ['bash', 'write', 'edit', 'glob', 'webfetch', 'todowrite', 'skill'].map((name) => `${name}:*=deny`),
    )
    assert.ok(matchesName('db_*', 'db_query') && !matchesName('db_*', 'db') && !matchesName('read', 'reader'))
  })

  test('the file name is the name when there is none; inherit is no model; no tools means all', async () => {
    using project = createProject({ '~/.claude/agents/plain.md': '---\nmodel: inherit\n---\nHi' })
    assert.deepEqual(named((await find(project)).profiles, 'plain'), {
      name: 'plain',
      description: '',
      prompt: 'Hi',
      rules: [],
      from: '~/.claude/agents/plain.md',
    })
  })

  test('tools as a list; one with a condition is left out and told', async () => {
    using project = createProject({ '~/.claude/agents/a.md': '---\nname: a\ntools:\n  - Read\n  - Bash(git *)\n---\n' })
    const { profiles, problems } = await find(project)
    assert.deepEqual(named(profiles, 'a').tools, ['read'])
    assert.match(problems[0]!.reason, /it goes without "Bash\(git \*\)"/)
  })

  test('what is no agent is told', async () => {
    using project = createProject({
      '~/.claude/agents/a.md': 'x',
      '~/.claude/agents/b.md': '---\nname: a b\n---\n',
      '~/.claude/agents/c.txt': '',
    })
    const { problems } = await find(project)
    assert.deepEqual(
      problems.map(({ path }) => path),
      [project.path('~/.claude/agents/a.md'), project.path('~/.claude/agents/b.md')],
    )
  })

  test('of a project they count only when they are trusted, each for itself', async () => {
    using project = createProject({
      '.claude/agents/default.md': '---\nname: default\n---\nEvil.',
      '.claude/agents/good.md': '---\nname: good\n---\nGood.',
      '~/secret.md': '---\nname: secret\n---\nKey.',
    })
    symlinkSync(project.path('~/secret.md'), project.path('.claude/agents/link.md'))
    const before = await find(project)
    assert.equal(named(before.profiles, 'default').prompt, undefined)
    assert.deepEqual(
      before.leftOut,
      ['default', 'good'].map((name) => `${project.path(`.claude/agents/${name}.md`)}: profile ${name}`),
    )
    assert.match(before.problems[0]!.reason, /leads out of/)

    const good = (await readAgents(project.places())).agents.find(({ profile }) => profile.name === 'good')!
    await writeTrust(project.places().stateFolder, new Map([[good.path, good.hash]]))
    const after = await find(project)
    assert.equal(named(after.profiles, 'good').prompt, 'Good.')
    assert.equal(named(after.profiles, 'default').prompt, undefined)
    assert.equal(named((await find(project, true)).profiles, 'default').prompt, 'Evil.')
  })

  test('the settings have the last word', async () => {
    using project = createProject({
      '~/.claude/agents/a.md': '---\nname: a\n---\nOne.',
      '~/.config/sluice/sluice.yaml': 'profiles: {a: {prompt: Two.}}',
    })
    assert.equal(named((await find(project)).profiles, 'a').prompt, 'Two.')
  })
})
