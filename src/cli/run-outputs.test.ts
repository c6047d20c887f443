import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openOutput } from './run-outputs.ts'

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-out-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a file is emptied and closed to others, also through a link of ours', async (t) => {
  const at = folder(t)
  writeFileSync(join(at, 'file'), 'before', { mode: 0o644 })
  symlinkSync('file', join(at, 'link'))
  const out = await openOutput(join(at, 'link'))
  out.line('after')
  out.flush()
  out.close?.()
  assert.equal(readFileSync(join(at, 'file'), 'utf8'), 'after\n')
  assert.equal(statSync(join(at, 'file')).mode & 0o777, 0o600)
})

test('links, pipes and files of somebody else are not written to, nor what they lead to', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give a file away')
  const at = folder(t)
  chmodSync(at, 0o1777)
  writeFileSync(join(at, 'mine'), 'mine')
  symlinkSync('mine', join(at, 'link'))
  writeFileSync(join(at, 'theirs'), 'theirs', { mode: 0o666 })
  execFileSync('mkfifo', [join(at, 'pipe')])
  for (const name of ['link', 'theirs', 'pipe']) {
    lchownSync(join(at, name), 65534, 65534)
    await assert.rejects(openOutput(join(at, name)), /belongs to somebody else/, name)
  }
  assert.equal(readFileSync(join(at, 'mine'), 'utf8'), 'mine')
  assert.equal(readFileSync(join(at, 'theirs'), 'utf8'), 'theirs')
})

test('/dev/null and the like need no owner', async () => {
  const out = await openOutput('/dev/null')
  out.line('x')
  out.flush()
  out.close?.()
})

test('folders that are missing are made; one that cannot be made is told', async (t) => {
  const at = folder(t)
  const out = await openOutput(join(at, 'a/b/events.ndjson'))
  out.line('x')
  out.flush()
  out.close?.()
  assert.equal(readFileSync(join(at, 'a/b/events.ndjson'), 'utf8'), 'x\n')
  await assert.rejects(openOutput(join(at, 'a/b/events.ndjson/c/d')), /cannot write to ".*d": its folder cannot be made: /)
})
