// One file under many names is one, where that is certain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFiles } from './digest-files.ts'

type Touch = [path: string, agent?: string, directory?: string]

function listOf(directory: string | undefined, ...touches: Touch[]): [string, number][] {
  const files = createFiles()
  if (directory !== undefined) files.enter(directory, undefined)
  for (const [path, agent, where] of touches) files.touch(path, 'read', agent, where)
  return files.list().items.map(({ path, read }) => [path, read])
}
const each = (...paths: string[]): Touch[] => paths.map((path) => [path])

test('relative, absolute and by a detour: one file, under its first name', () => {
  const names = ['src/a.ts', '/home/dev/src/a.ts', './src/a.ts', 'src/../src/a.ts', '/home/dev/./src//a.ts', '../dev/src/a.ts']
  assert.deepEqual(listOf('/home/dev', ...each(...names)), [['src/a.ts', names.length]])
  assert.deepEqual(listOf('/home/dev/', ...each(...names)), [['src/a.ts', names.length]])
  assert.deepEqual(listOf('/', ...each('a', '/a', '/../a')), [['a', 3]])
})

test('where the directory is not known, only names of the same place are one', () => {
  assert.deepEqual(listOf(undefined, ...each('src/a.ts', './src/a.ts', '/home/dev/src/a.ts', '/home/dev/src/../src/a.ts')), [
    ['src/a.ts', 2],
    ['/home/dev/src/a.ts', 2],
  ])
  assert.deepEqual(listOf(undefined, ...each('../a', '../../a', 'a', 'b/../../a')), [
    ['../a', 2],
    ['../../a', 1],
    ['a', 1],
  ])
})

test('what may be another file is another file', () => {
  const names = ['a.ts', 'A.ts', 'lib/a.ts', '~/a.ts', './~/a.ts', 'file:///home/dev/a.ts', 'C:\\dev\\a.ts', 'lib\\a.ts', '/home/dev2/a.ts']
  assert.equal(listOf('/home/dev', ...each(...names)).length, names.length)
})

test('a directory that is told late holds what came before; one that changes does not', () => {
  const files = createFiles()
  files.touch('a', 'read', undefined, undefined)
  files.touch('/w/a', 'changed', undefined, undefined)
  files.touch('b', 'told', undefined, undefined)
  files.enter('/w', undefined)
  files.touch('./a', 'read', undefined, undefined)
  files.enter('/v', undefined)
  files.touch('a', 'read', undefined, undefined)
  assert.deepEqual(files.list().items, [
    { path: 'a', read: 2, changed: 1 },
    { path: 'b', read: 0, changed: 1 },
    { path: 'a', read: 1, changed: 0 },
  ])
})

test('a subagent that works elsewhere, and a call that says where it runs', () => {
  const files = createFiles()
  files.enter('/w', undefined)
  files.enter('/tree', 'sub')
  for (const [path, agent, where] of [
    ['a'],
    ['a', 'sub'],
    ['/tree/a'],
    ['a', 'other'],
    ['a', undefined, '/tree'],
    ['a', undefined, 'x'],
    ['x/a'],
  ] as Touch[])
    files.touch(path, 'read', agent, where)
  assert.deepEqual(
    files.list().items.map(({ path, read }) => [path, read]),
    [
      ['a', 2],
      ['a', 3],
      ['a', 2],
    ],
  )
})
