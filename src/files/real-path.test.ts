import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { realPath } from './real-path.ts'

function folder(t: TestContext): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-real-')))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('links are followed as the system follows them, and what is missing is kept', (t) => {
  const top = folder(t)
  mkdirSync(join(top, 'a/b'), { recursive: true })
  writeFileSync(join(top, 'a/b/file'), '')
  symlinkSync('a/b', join(top, 'link'))
  symlinkSync('../nothing/here', join(top, 'a/lost'))
  symlinkSync('round', join(top, 'round'))
  assert.equal(realPath(join(top, 'link/file')), join(top, 'a/b/file'))
  assert.equal(realPath(`${top}/link/../new/one`), join(top, 'a/new/one'))
  assert.equal(realPath(join(top, 'a/lost/more')), join(top, 'nothing/here/more'))
  assert.equal(realPath(join(top, 'round')), join(top, 'round'))
  assert.equal(realPath('/'), '/')
})

test('what lies in /proc is not followed, however it is reached', (t) => {
  const top = folder(t)
  symlinkSync('/proc/self/cwd', join(top, 'here'))
  assert.equal(realPath('/proc/self/cwd/../x'), '/proc/self/cwd/../x')
  assert.equal(realPath(join(top, 'here/x')), '/proc/self/cwd/x')
  assert.match(realPath('/dev/fd/../cwd'), process.platform === 'linux' ? /^\/proc\// : /^\//)
})
