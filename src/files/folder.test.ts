import assert from 'node:assert/strict'
import { mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'))

test('a folder is made with those above it, all with the mode; one that is there stays', () => {
  const path = join(folder, 'a/b/c')
  makeFolder(path, 0o700)
  makeFolder(path)
  for (const each of ['a', 'a/b', 'a/b/c']) assert.equal(statSync(join(folder, each)).mode & 0o777, 0o700)
})

test('what stands in its way is an error at once, and so is a system that has no folders to make', () => {
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  for (const path of ['file', 'file/a', 'file/a/b', 'link', 'link/a'])
    assert.throws(() => makeFolder(join(folder, path)), { syscall: 'mkdir' })
  assert.throws(() => makeFolder(''), { code: 'ENOENT' })
  if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/sluice/a/b'), { code: 'ENOENT' })
})
