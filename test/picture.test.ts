// The picture in the README shows what sluice prints today.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './run.ts'

test('docs/terminal.svg is what a run and its digest print', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/picture.ts'), '--check'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
