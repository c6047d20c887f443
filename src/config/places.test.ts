import assert from 'node:assert/strict'
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { createProject } from '../../test/project.ts'
import { foldersBetween, isInside, placesOf, shortPath } from './places.ts'

suite('the root of a project', () => {
  test('the nearest folder with .git, else with settings, else the working folder', () => {
    using project = createProject({ 'a/b/c.txt': '', 'a/sluice.jsonc': '{}' })
    assert.equal(project.places('a/b').root, project.root)
    rmSync(project.path('.git'), { recursive: true })
    assert.equal(project.places('a/b').root, project.path('a'))
    rmSync(project.path('a/sluice.jsonc'))
    assert.equal(project.places('a/b').root, project.path('a/b'))
  })

  test('a home folder is none, unless one works in it', () => {
    using project = createProject({ '~/.git/HEAD': '', '~/src/app/x': '', '~/sluice.yaml': '' })
    assert.equal(project.places('~/src/app').root, join(project.home, 'src/app'))
    assert.equal(project.places('~/').root, project.home)
  })

  test('above the working folder, a mark of somebody else counts for nothing', (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can give files away')
    using project = createProject({ 'sub/x': '' })
    const top = dirname(project.root)
    mkdirSync(join(top, '.git'))
    rmSync(project.path('.git'), { recursive: true })
    assert.equal(project.places('sub').root, project.path('sub'), 'an empty one counts for nothing')
    writeFileSync(join(top, '.git/HEAD'), '')
    assert.equal(project.places('sub').root, top)
    chownSync(join(top, '.git'), 4711, 4711)
    assert.equal(project.places('sub').root, project.path('sub'))
  })

  test('links are resolved first', () => {
    using project = createProject({ 'a/x': '' })
    symlinkSync(project.path('a'), join(project.home, 'link'))
    assert.equal(project.places('~/link').root, project.root)
  })
})

test('the folders of the user follow XDG, when it is absolute', () => {
  using project = createProject()
  const { configFolder, stateFolder } = placesOf(project.root, { HOME: project.home, XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: 'here' })
  assert.equal(configFolder, '/c/sluice')
  assert.equal(stateFolder, join(project.home, '.local/state/sluice'))
})

test('folders between, inside, and short', () => {
  assert.deepEqual(foldersBetween('/a', '/a/b/c'), ['/a', '/a/b', '/a/b/c'])
  assert.deepEqual(foldersBetween('/a', '/a'), ['/a'])
  assert.ok(isInside('/a/..b', '/a') && isInside('/a', '/a') && !isInside('/ab', '/a') && !isInside('/', '/a'))
  assert.equal(shortPath('/home/x/y', '/home/x'), '~/y')
  assert.equal(shortPath('/home/xy', '/home/x'), '/home/xy')
})
