import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { createProject } from '../../test/project.ts'
import { isTrusted, readTrust, trustPath, writeTrust } from './trust.ts'

const permissions = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('what is written is read, and is for its owner alone', async () => {
  using project = createProject()
  const { stateFolder } = project.places()
  assert.deepEqual(readTrust(stateFolder), new Map())
  mkdirSync(stateFolder, { recursive: true, mode: 0o755 })
  await writeTrust(
    stateFolder,
    new Map([
      ['/a', 'h'],
      ['__proto__', 'i'],
    ]),
  )
  const trust = readTrust(stateFolder)
  assert.deepEqual(
    [...trust],
    [
      ['/a', 'h'],
      ['__proto__', 'i'],
    ],
  )
  assert.ok(isTrusted(trust, { path: '/a', hash: 'h' }) && !isTrusted(trust, { path: '/a', hash: 'i' }))
  assert.equal(permissions(trustPath(stateFolder)), '600')
  assert.equal(permissions(stateFolder), '700')
})

test('a list that others may write to, or that is none, is refused', () => {
  using project = createProject()
  const { stateFolder } = project.places()
  const path = trustPath(stateFolder)
  mkdirSync(dirname(path), { recursive: true })
  for (const text of ['[]', '{"files": []}', 'null']) {
    writeFileSync(path, text)
    chmodSync(path, 0o600)
    assert.throws(() => readTrust(stateFolder), /it is not a list of files/, text)
  }
  writeFileSync(path, '{"files": {"/a": "h", "/b": 5}}')
  assert.deepEqual([...readTrust(stateFolder)], [['/a', 'h']])
  chmodSync(path, 0o622)
  assert.throws(() => readTrust(stateFolder), /others may write to it/)
})
