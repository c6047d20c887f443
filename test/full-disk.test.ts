// A disk that is full, as a limit on the size of files shows it: a write stops in the middle, and the next one fails.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { place } from './run-support.ts'
import { command } from './run.ts'

const script = 'turns: [{tools: [{name: bash, input: {command: "seq 1 20000"}}]}, {text: done}]'

test('a run whose session file cannot be written says so, shows no stack and leaves no lock', (t) => {
  const here = place(t)
  writeFileSync(join(here.top, 's.yaml'), script)
  for (const blocks of [0, 1, 2, 8, 100]) {
    const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
    const words = [command, 'run', 'go', '--model', `script/${join(here.top, 's.yaml')}`, '--auto-approve', '--format', 'sluice']
    const { status, stderr } = spawnSync('/bin/sh', ['-c', limited, 'sh', ...words], { cwd: here.root, env: here.env, encoding: 'utf8' })
    assert.equal(status, blocks === 0 ? 2 : 1, stderr)
    assert.match(stderr, blocks === 0 ? /the session cannot be kept in/ : /the session file cannot be written any more/)
    assert.doesNotMatch(stderr, /\n\s+at .+:\d+|a fault of sluice/)
    assert.deepEqual(
      readdirSync(here.sessions).filter((name) => name.includes('.lock')),
      [],
      `${blocks} blocks`,
    )
  }
})
